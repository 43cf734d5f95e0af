/* SPDX-License-Identifier: MIT */
/* From cycles of lock dependencies to deadlocks: every cycle stands for many tuples
 * of acquires, of which a decider says whether some reordering leads to them. Used
 * by `csp` and `deadlock`, which differ in how they decide.
 *
 * What counts is a set of source locations: one witness of one cycle through them
 * is enough, and each set gets its share of the work. With --pairs every tuple of
 * acquires is a candidate of its own. */
#ifndef PREPLAY_DEADLOCK_CYCLE_SEARCH_H
#define PREPLAY_DEADLOCK_CYCLE_SEARCH_H

#include "engine/engine.h"
#include "deadlock/lock_order.h"

enum decision { DECISION_NO, DECISION_YES, DECISION_UNKNOWN };

/* The acquires of a cycle, each waiting for the next, and what is found of them. */
struct cycle_tuple {
    const uint32_t *acquires;
    uint32_t count;
    /* Left by who finds a witness; malloc-ed. */
    uint32_t *witness;
    uint32_t witness_length;
    char *note; /* or NULL */
};

struct cycle_search {
    struct engine_run *run;
    const struct lock_order *order;
    enum model model;
    uint32_t looks;       /* tuples to look at for one set of locations at most ... */
    uint32_t decisions;   /* ... and to decide */
    uint64_t cycle_steps; /* of the enumeration; what is left of them, afterwards */
    /* Optional: after a round that left sets undecided, is there another one for them? It may
     * set `decisions` anew. Not asked with --pairs. */
    bool (*another)(void *context, struct cycle_search *search);
    bool only_found; /* count what is found: of the rest, others say what it is */
    bool stop;       /* set by a decider that has nothing left to work with */
    /* Optional: a cheap look for a witness, tried first on the instances of a cycle
     * that lie closest together. */
    bool (*look)(void *context, struct cycle_tuple *tuple);
    enum decision (*decide)(void *context, struct cycle_tuple *tuple);
    void *context;
};

/* Tries all cycles; adds findings, counts candidates, refuted and exhausted ones
 * in the run. */
void cycle_search_run(struct cycle_search *search);

#endif
