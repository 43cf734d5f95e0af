/* Lost wake-ups: a wait that begins only after all the signals that could end it.
 * Where one thread alone signals a condition, that is a question for the witness
 * search: can its last signal come before the wait begins? Under `rf` the waiter
 * must still have read what made it wait, so that a wait whose predicate is set
 * under the mutex is never reported; one that is set outside it is.
 *
 * Not looked for: conditions that several threads signal; timed waits. */
#ifndef PREPLAY_ENGINE_LOST_WAKEUPS_H
#define PREPLAY_ENGINE_LOST_WAKEUPS_H

#include "engine/engine.h"
#include "search/search.h"

#define LOST_WAKEUP_WORK UINT64_C(50000000)

struct lost_wakeups {
    struct engine_run *run;
    struct search *search;
    enum model model;
    uint64_t work;   /* events that all searches may schedule ... */
    uint64_t before; /* ... beyond these */
};

/* Adds a finding (a deadlock of one event, the return from the wait) for each wait
 * by source location, or each at all with --pairs. */
void lost_wakeups_find(struct lost_wakeups *lost);

#endif
