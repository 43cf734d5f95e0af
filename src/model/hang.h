/* SPDX-License-Identifier: MIT */
/* Which threads of the recorded run were stuck for good when it ended, and why: deadlocks
 * that happened, not those that could.
 *
 * The trace says what each thread waited for at its end (trace->wishes) and in what state
 * every lock, condition, semaphore and barrier was left (hang_state.h). From there as in
 * blocking.h: a thread is stuck if one of those that must act is stuck, or will never act
 * since it has ended; or if it needs a signal, a post or one more party at a barrier, and
 * every thread that is left is stuck. What such a thread would have done is not known here, so
 * any that still ran could have helped. Tries and timed forms end by themselves.
 *
 * The greatest set of threads for which all this holds is stuck. Whatever the others did next,
 * these would have stayed, so that it makes no difference that a kill reaches threads one after
 * the other. Signals, posts and ends that were given but not taken yet count as taken: their
 * threads may go on.
 *
 * Of all who are stuck, those to blame are the smallest sets that need nobody else: cycles, a
 * thread that waits for itself or for one that has ended, a wait that nobody is left to end.
 * Who only waits for such a set belongs to none. */
#ifndef PREPLAY_MODEL_HANG_H
#define PREPLAY_MODEL_HANG_H

#include "base/array.h"
#include "trace/history.h"

enum hang_cause {
    HANG_EACH_OTHER, /* each waits for the next one */
    HANG_ITSELF,     /* it has what it wants, so that it never gets it */
    HANG_LEFT,       /* `by` has ended and can give it back no more */
    HANG_NOBODY,     /* nobody is left to signal, to post, to come */
};

struct hang_set {
    enum hang_cause cause;
    uint32_t by;    /* HANG_LEFT: a thread */
    uint32_t first; /* in `wishes` */
    uint32_t count;
};

struct hang {
    uint32_t waiting, stuck;                      /* threads */
    struct hang_wishes ARRAY_OF(uint32_t) wishes; /* pos values, set by set */
    struct hang_sets ARRAY_OF(struct hang_set) sets;
};

/* NULL if no thread waits for anything. */
struct hang *hang_find(const struct history *history);
void hang_destroy(struct hang *hang);

/* Are these wishes, in whatever order, one of the sets? */
bool hang_has(const struct hang *hang, const uint32_t *wishes, uint32_t count);

#endif
