/* Deadlocks beyond cycles of locks: sets of threads of which at least one waits at a
 * barrier, for a once-block, for a signal or for a post, and all of which wait for each
 * other (model/blocking.h). A wait for a signal, or for a post, belongs to such a set only
 * if every thread that could still give it does. Alone it is a lost wake-up: it began too
 * late, or others got the signals that it needed.
 *
 * Sets are enumerated by classes of waits (wait_classes.h), smallest first, from each
 * special wait on: who else must stand where for it to be stuck? What remains is decided
 * by the engine's own search for a schedule to the waits, by orders of signals and waits,
 * and at last by explicit exploration (search/explore.h), which says no as well.
 *
 * Under `rf` a waiter must still have read what made it wait, so that a wait whose
 * predicate is set under the mutex is never reported; one that is set outside it is. */
#ifndef PREPLAY_ENGINE_STUCK_SETS_H
#define PREPLAY_ENGINE_STUCK_SETS_H

#include "engine/engine.h"
#include "engine/wait_classes.h"
#include "search/explore.h"

struct stuck_sets {
    struct engine_run *run;
    enum model model;
    const struct rules *rules;
    const struct blocking *blocking;
    const struct wait_classes *classes; /* of from .. to - 1, which may be reordered */
    const struct machine *start;        /* has executed what lies before `from` as observed */
    uint32_t from, to;
    /* Can the events all be next? With a witness if so (valid until the next call). */
    enum search_answer (*reach)(void *context, const uint32_t *events, uint32_t count,
                                struct search_witness *witness);
    /* What to tell of a finding (malloc-ed), or NULL for a sentence. */
    char *(*note)(void *context, const struct search_witness *witness, uint32_t count);
    void *context;
    struct search *search; /* for the order of signals and waits, or NULL */
};

/* Is there anything in the trace that such a set needs? */
bool stuck_sets_possible(const struct trace *trace);

/* Adds a finding for each set of source locations, or each set of events with --pairs. */
void stuck_sets_find(const struct stuck_sets *sets);
/* The same for the whole trace; of `sets` only run, model, reach, context and search are
 * filled in. */
void stuck_sets_find_all(struct stuck_sets *sets);

#endif
