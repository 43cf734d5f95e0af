/* SPDX-License-Identifier: MIT */
/* Who waited in a recorded run, for what, and who ended it.
 *
 * A recording has an order and no clock. A thread waited if what let it go on came after its own
 * last event: the release of a lock that another held, the signal of a condition, the last thread
 * at a barrier, the end of a thread it joins, the post of a semaphore that was empty. It may have
 * done something else that is not recorded, so that a wait is at most as long as told. What was
 * wanted to the end is a wait that nobody ended. */
#ifndef PREPLAY_REPORT_RUN_WAITS_H
#define PREPLAY_REPORT_RUN_WAITS_H

#include "trace/history.h"

struct run_wait {
    uint32_t thread, by; /* who waited; who ended it, or POS_NONE */
    uint32_t from, to;   /* positions */
    uint32_t pos;        /* of the event that waited */
};

struct run_lock {
    uint32_t lock;
    uint64_t taken, waits, waited; /* how often; how often after a wait; all those waits together */
    uint64_t held;                 /* the longest, in events of all threads */
};

struct run_waits {
    struct run_wait *longest; /* the longest first */
    size_t count;
    uint64_t *waited;       /* by thread: all its waits together */
    struct run_lock *locks; /* those most waited for first */
    size_t lock_count;
};

/* At most `most` waits are kept; `locks` has all locks that were taken. */
void run_waits_find(struct run_waits *waits, const struct history *history, size_t most);
void run_waits_free(struct run_waits *waits);

#endif
