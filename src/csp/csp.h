/* SPDX-License-Identifier: MIT */
/* What the files of the `csp` engine share; csp.c says what the engine does. */
#ifndef PREPLAY_CSP_CSP_H
#define PREPLAY_CSP_CSP_H

#include "csp/csp_pairs.h"
#include "engine/engine.h"
#include "csp/refine.h"

struct lock_order;

/* What an event of a witness costs: it is written down, kept and checked. */
#define WITNESS_COST 16

/* A group of pairs that is checked as one refinement, and not decided yet. */
struct csp_pending {
    uint32_t variable, group; /* csp_pairs.h */
};

struct csp_pending_list ARRAY_OF(struct csp_pending);

/* What a variable's accesses in this window have in common. */
struct csp_variable {
    struct csp_accesses accesses;
    uint32_t guards[3]; /* locks that all accesses so far held exclusively */
    uint8_t guard_count;
    bool shared; /* by two threads */
};

struct csp {
    struct engine_run *run;
    struct rules *rules;
    struct refiner *refiner; /* of the current window */
    struct csp_pairs *pairs; /* of the current window */
    struct map decided;      /* pair of places -> what is known of it */
    struct map reported;     /* objects with a counterexample */
    struct csp_pending_list pending, still_pending;
    uint64_t budget; /* work that may still be done in this run ... */
    uint64_t share;  /* ... and, of the window's part of it, what is left */
    /* Candidates (csp_candidates.c). */
    struct order *order;
    struct lock_profiles *profiles;
    uint32_t *segments;                        /* by thread: steps of the model so far */
    bool *atomic;                              /* by variable: read atomically somewhere */
    struct csp_variable *variables;            /* of this window */
    struct touched ARRAY_OF(uint32_t) touched; /* variables with accesses */
    struct lock_order *lock_order;
    /* Deadlocks beyond cycles of locks (csp_deadlocks.c); NULL where there can be none. */
    struct blocking *blocking;
    struct wait_reader *waits;
    struct search_index *index;
    struct stuck_bounds *bounds;
    struct machine *start; /* has executed what lies before ... */
    uint32_t started;      /* ... this pos; it catches up when it is asked for */
    uint32_t *witness;     /* of the last answer */
    uint64_t stuck_states; /* of the refiner, where the search for such deadlocks ends */
};

/* Checks the whole history, window by window, with about so much work (refiner_work() and what
 * is done besides); what that leaves open is counted in the run. Returns what work is left. */
uint64_t csp_run(struct engine_run *run, uint64_t work);

struct csp *csp_create(struct engine_run *run);
void csp_destroy(struct csp *csp);

/* Takes what `work` says was done from the window's share; and how much one check may do
 * so that `left` more of them get as much. */
void csp_spend(struct csp *csp, uint64_t work);
uint64_t csp_allowance(const struct csp *csp, uint64_t left);

/* Checks the pairs of all variables touched in the window (csp_races.c). */
void csp_check_races(struct csp *csp);

/* Collects candidates: forgets the previous window, then sees each event. True if
 * the event counts: synchronisation, and what is left of the accesses when each
 * segment's repetitions are dropped. */
void csp_candidates_begin(struct csp *csp);
bool csp_candidates_step(struct csp *csp, uint32_t pos);

/* Checks every cycle of the window's lock dependencies, and every other set of waits in
 * from .. to - 1. */
void csp_check_deadlocks(struct csp *csp, uint32_t from, uint32_t to);

/* Adds the finding of the refiner's last counterexample. */
void csp_report(struct csp *csp, enum finding_kind kind, enum object_class class, uint32_t object,
                const uint32_t *targets, uint32_t count);

#endif
