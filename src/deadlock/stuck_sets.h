/* SPDX-License-Identifier: MIT */
/* Deadlocks beyond cycles of locks: sets of threads of which at least one waits at a
 * barrier, for a once-block, for a signal or for a post, and all of which wait for each
 * other (model/blocking.h). A wait for a signal, or for a post, belongs to such a set only
 * if every thread that could still give it does. Alone it is a lost wake-up: it began too
 * late, or others got the signals that it needed.
 *
 * Sets are enumerated by classes of waits (wait_classes.h), smallest first, from each
 * special wait on: who else must stand where for it to be stuck? Most tuples of instances
 * are ruled out by what they must have executed and by counting (stuck_bounds.h), the others
 * decided one by one (stuck_decide.h).
 *
 * Under `rf` a waiter must still have read what made it wait, so that a wait whose
 * predicate is set under the mutex is never reported; one that is set outside it is. */
#ifndef PREPLAY_DEADLOCK_STUCK_SETS_H
#define PREPLAY_DEADLOCK_STUCK_SETS_H

#include "engine/engine.h"
#include "deadlock/wait_classes.h"
#include "search/search.h"

/* Can the events all be next, after those of `executed` were executed? */
struct stuck_goal {
    const uint32_t *events;
    uint32_t count;
    const uint32_t *executed;
    uint32_t executed_count;
};

struct stuck_bounds;

struct stuck_sets {
    struct engine_run *run;
    enum model model;
    const struct rules *rules;
    const struct blocking *blocking;
    const struct wait_classes *classes; /* of from .. to - 1, which may be reordered */
    const struct machine *start;        /* has executed what lies before `from` as observed */
    uint32_t from, to;
    /* With a witness if so, which ends in the events (valid until the next call). */
    enum search_answer (*reach)(void *context, const struct stuck_goal *goal,
                                struct search_witness *witness);
    /* What to tell of a finding (malloc-ed), or NULL for a sentence. */
    char *(*note)(void *context, const struct search_witness *witness, uint32_t count);
    void *context;
    struct search *search;            /* for the order of signals and waits, or NULL */
    const struct search_index *index; /* for what must come before what, or NULL */
    struct stuck_bounds *bounds;      /* of the whole history, or NULL: made for the occasion */
    uint64_t *work; /* what is left to be done: about events executed; NULL: enough for a trace */
};

/* Is there anything in the trace that such a set needs? */
bool stuck_sets_possible(const struct trace *trace);

/* Adds a finding for each set of source locations, or each set of events with --pairs. */
void stuck_sets_find(const struct stuck_sets *sets);
/* The same for the whole trace; of `sets` only run, model, reach, context, search and index
 * are filled in. */
void stuck_sets_find_all(struct stuck_sets *sets);

#endif
