/* From cycles of lock dependencies to deadlocks: every cycle stands for many tuples
 * of acquires, of which a decider says whether some reordering leads to them. Used
 * by `csp` and `deadlock`, which differ in how they decide. */
#ifndef PREPLAY_ENGINE_CYCLE_SEARCH_H
#define PREPLAY_ENGINE_CYCLE_SEARCH_H

#include "engine/engine.h"
#include "engine/lock_order.h"

enum decision { DECISION_NO, DECISION_YES, DECISION_UNKNOWN };

struct cycle_search {
    struct engine_run *run;
    const struct lock_order *order;
    enum model model;
    uint64_t tuples;      /* to try for one cycle at most */
    uint64_t cycle_steps; /* of the enumeration */
    /* Says whether the acquires can deadlock; on yes, it leaves the witness
     * (malloc-ed) and perhaps a note (malloc-ed). */
    enum decision (*decide)(void *context, const uint32_t *acquires, uint32_t count,
                            uint32_t **witness, uint32_t *length, char **note);
    void *context;
    enum verdict verdict;
};

/* Tries all cycles; adds findings, counts candidates, refuted and exhausted ones
 * in the run. With --pairs every tuple of acquires is a candidate of its own,
 * otherwise every cycle of source locations. */
void cycle_search_run(struct cycle_search *search);

#endif
