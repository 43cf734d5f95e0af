/* SPDX-License-Identifier: MIT */
/* Who gives and takes posts and signals, and when: for each thread and each semaphore or
 * condition, the events of that thread in order, so that how many lie before or behind a
 * place is a binary search. */
#ifndef PREPLAY_DEADLOCK_STUCK_COUNTS_H
#define PREPLAY_DEADLOCK_STUCK_COUNTS_H

#include "base/array.h"
#include "base/map.h"
#include "trace/history.h"

struct indices ARRAY_OF(uint32_t);

/* What one thread does with one semaphore or condition: indices in its thread, ascending. */
struct usage {
    struct indices gives;      /* posts, signals */
    struct indices takes;      /* successful semaphore waits; begins of waits */
    struct indices broadcasts; /* of a condition */
};

struct stuck_counts {
    const struct history *history;
    struct map usage_of; /* blocking_help_key() -> its number + 1 */
    struct usage_list ARRAY_OF(struct usage) usage;
    int64_t *left; /* by semaphore: its count after the observed run */
};

struct stuck_counts *stuck_counts_create(const struct history *history);
void stuck_counts_destroy(struct stuck_counts *counts);

/* NULL if the thread has nothing to do with it. */
const struct usage *stuck_counts_of(const struct stuck_counts *counts, bool condition,
                                    uint32_t object, uint32_t thread);
/* Posts less takes of a semaphore that a thread has left from its event `index` on. */
int64_t stuck_counts_owed(const struct stuck_counts *counts, uint32_t semaphore, uint32_t thread,
                          uint32_t index);
/* How many of them are below `limit`. */
uint32_t indices_below(const struct indices *indices, uint32_t limit);

#endif
