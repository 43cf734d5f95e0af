/* SPDX-License-Identifier: MIT */
/* The accesses of every variable, kept so that for a new access the earlier ones
 * that may still race with it are found quickly, for relations where a question
 * about a pair is dear and an answer "no" holds for good:
 *
 *   if (a, b) does not race, then neither does (a, b') for any b' after b in the
 *   thread of b.
 *
 * Accesses that are alike (thread, operation, location) form a group; each group
 * remembers, for every other thread, how many of its first accesses are out of
 * the question for that thread. So all groups together answer in a number of
 * questions that is linear in the number of accesses, times threads. */
#ifndef PREPLAY_RELATIONS_CANDIDATES_H
#define PREPLAY_RELATIONS_CANDIDATES_H

#include "base/array.h"
#include "base/map.h"
#include "model/sections.h"
#include "trace/finding.h"

struct candidate {
    uint32_t pos, index, stack;
    const uint32_t *stamp; /* what its thread knew of the others before it */
};

struct candidate_group {
    uint32_t location;
    uint8_t op, size;
    uint32_t last_index; /* of its last access */
    struct candidate *items;
    size_t count, capacity;
    uint32_t *settled; /* by thread: accesses out of the question; NULL: none */
};

#define COMMON_LOCKS 4

/* All accesses of one variable by one thread. */
struct candidate_thread {
    uint32_t thread;
    uint32_t last_index;
    uint32_t common[COMMON_LOCKS]; /* locks held, not shared, at every access */
    uint32_t common_count;
    struct map done; /* candidates_done() */
    struct candidate_group *items;
    size_t count, capacity;
};

struct candidate_variable {
    struct candidate_thread *items;
    size_t count, capacity;
};

struct candidates {
    struct candidate_variable *variables;
    uint32_t variable_count, threads;
};

void candidates_init(struct candidates *candidates, uint32_t variables, uint32_t threads);
void candidates_free(struct candidates *candidates);

void candidates_add(struct candidates *candidates, const struct event *event,
                    const struct candidate *candidate, const struct holding *held);
/* Makes the array by thread, which most groups never need. */
void candidates_open(const struct candidates *candidates, struct candidate_group *group);

/* Is one of the locks that protect all these accesses held here too? */
bool candidates_protected(const struct candidate_thread *thread, const struct holding *held);

/* The groups that need no look for accesses like `event`, as bits; only the first
 * 64 have one. It is for the caller to set them, and valid until the next call. */
static inline uint64_t *candidates_done(struct candidate_thread *thread, const struct event *event)
{
    return map_at(&thread->done, (uint64_t)event->location << 8 | event->op, NULL);
}

static inline bool candidates_conflict(const struct candidate_group *group,
                                       const struct event *event)
{
    uint64_t ops = OP_BIT(group->op) | OP_BIT(event->op);
    return (ops & OPS_WRITING) && (ops & ~OPS_ATOMIC);
}

#endif
