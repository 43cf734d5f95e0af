/* What the files of the `csp` engine share; csp.c says what the engine does. */
#ifndef PREPLAY_ENGINE_CSP_H
#define PREPLAY_ENGINE_CSP_H

#include "engine/engine.h"
#include "search/refine.h"

struct lock_order;

/* Two conflicting accesses that the cheap filters leave. */
struct csp_pair {
    uint32_t object;
    uint32_t earlier, later;
    uint64_t threads; /* with --per-pair: which two; otherwise 0 */
    uint64_t bound;   /* the least length of a counterexample */
};

/* An access, or all accesses alike of one thread between two of its
 * synchronisation events. */
struct csp_access {
    uint32_t pos;
    uint32_t segment; /* of its thread */
    uint32_t profile; /* lock_profile.h */
    uint32_t tick;    /* order.h */
};

struct csp_accesses ARRAY_OF(struct csp_access);

struct csp {
    struct engine_run *run;
    struct rules *rules;
    struct refiner *refiner; /* of the current window */
    struct csp_pairs ARRAY_OF(struct csp_pair) pairs;
    struct map decided;  /* pair of places -> enum refinement */
    struct map reported; /* objects with a counterexample */
    /* Candidates (csp_candidates.c). */
    struct order *order;
    struct lock_profiles *profiles;
    uint32_t *segments;                        /* by thread: synchronisation events so far */
    struct csp_accesses *accesses;             /* by variable, of this window */
    struct touched ARRAY_OF(uint32_t) touched; /* variables with accesses */
    struct lock_order *lock_order;
    /* Deadlocks beyond cycles of locks (csp_deadlocks.c); NULL where there can be none. */
    struct blocking *blocking;
    struct wait_reader *waits;
    struct machine *start; /* has executed what lies before ... */
    uint32_t started;      /* ... this pos; it catches up when it is asked for */
    uint32_t *witness;     /* of the last answer */
    uint64_t stuck_states; /* of the refiner, where the search for such deadlocks ends */
};

struct csp *csp_create(struct engine_run *run);
void csp_destroy(struct csp *csp);

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
