/* Which operation would be a misuse in which state, said once for the checker and the oracle
 * (trace/misuse_rules.h has the rules' names). A run ends at its first misuse: what comes after
 * undefined behaviour says nothing. So a witness of a misuse is a correct reordering in which no
 * earlier event is one, and its last event is.
 *
 *   destroy-held    a destroy of a lock that another thread holds; with the holder's acquire
 *   use-destroyed   an acquire or failed try of a lock whose destroy was executed; with that
 *
 * Locks that the recorded run itself misuses (held at their destroy, or used after it) have no
 * rule in other runs: what happened is reported as such (misuse/observed.h). */
#ifndef PREPLAY_MODEL_MISUSE_H
#define PREPLAY_MODEL_MISUSE_H

#include "model/machine.h"
#include "trace/misuse_rules.h"

/* What the rules ask of a history; immutable. */
struct misuse_index {
    const struct history *history;
    uint32_t *destroy; /* by lock: its destroy, POS_NONE if there is none or no rule */
    uint32_t locks;
    bool any; /* some lock has one */
};

struct misuse_index *misuse_index_create(const struct history *history);
void misuse_index_destroy(struct misuse_index *index);

/* Would `pos`, the next event of its thread, be a misuse in the machine's state because of
 * `partner`, the position of an executed event? */
enum misuse misuse_between(const struct misuse_index *index, const struct machine *machine,
                           uint32_t partner, uint32_t pos);
/* Would it be one at all? Then a partner is in *partner. */
enum misuse misuse_at(const struct misuse_index *index, const struct machine *machine, uint32_t pos,
                      uint32_t *partner);

/* The acquire by which `thread`, which has come as far as the event number `next`, holds the lock;
 * POS_NONE if it does not hold it. */
uint32_t misuse_holding(const struct history *history, uint32_t thread, uint32_t next,
                        uint32_t lock);

#endif
