/* The relations of the papers, each straight from its definition: matrices over
 * events and fixpoints of rules, as slow as that is. The engines are compared with
 * these on random traces (relations.c).
 *
 * The definitions speak of threads, mutexes and plain accesses. All else is given
 * to them as hard edges: fork and join, barriers, semaphores, condition variables
 * and once-blocks (model/meetings.h), readers-writer locks (a release before every
 * later acquire that it excludes), conflicting atomic accesses (the appendix's
 * treatment of volatiles), and a failed try, which lies between an acquire and the
 * release of who held the lock. */
#ifndef PREPLAY_REFERENCE_REFERENCE_H
#define PREPLAY_REFERENCE_REFERENCE_H

#include "trace/history.h"

/* before[a * count + b]: a comes before b. */
struct relation {
    uint32_t count;
    uint8_t *before;
};

struct relation relation_create(uint32_t count);
void relation_free(struct relation *relation);
void relation_close(struct relation *relation); /* transitively */

static inline bool related(const struct relation *relation, uint32_t a, uint32_t b)
{
    return relation->before[(size_t)a * relation->count + b];
}

/* True if that is new. */
static inline bool relate(struct relation *relation, uint32_t a, uint32_t b)
{
    uint8_t *cell = &relation->before[(size_t)a * relation->count + b];
    bool fresh = !*cell;
    *cell = 1;
    return fresh;
}

/* By pos: the release of an acquire and the reverse; POS_NONE where there is none.
 * The caller frees it. */
uint32_t *reference_partners(const struct history *history);
/* A section of a mutex, as against those of readers-writer locks. */
bool reference_is_mutex(const struct event *event);
/* Meetings, forks and joins. */
void reference_add_meetings(const struct history *history, struct relation *relation);
/* Those and the other hard edges. */
void reference_add_hard(const struct history *history, struct relation *relation);

/* Each of these fills `races` with the pairs that race. */
void reference_hb(const struct history *history, struct relation *races);
void reference_cp(const struct history *history, struct relation *races);
/* The races that the theorem of causally-precedes holds for, each taken as an edge before the next.
 */
void reference_cp_first(const struct history *history, struct relation *races);
void reference_wcp(const struct history *history, struct relation *races);
void reference_mb(const struct history *history, struct relation *races);
void reference_syncp(const struct history *history, struct relation *races);

#endif
