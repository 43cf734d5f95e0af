/* SPDX-License-Identifier: MIT */
/* Cycles of lock dependencies, of any length, shortest first, one at a time: each
 * dependency waits for a lock that the next one's thread holds, all threads differ,
 * and no two of them exclude each other (dependencies_meet). Smallest ones only: nobody waits
 * for another thread of the cycle than the next one.
 *
 * Only locks in a strongly connected component of the lock graph are looked at; the
 * search for cycles of one length never takes a step from which its start is too
 * far to be reached in the steps left. */
#ifndef PREPLAY_DEADLOCK_LOCK_CYCLES_H
#define PREPLAY_DEADLOCK_LOCK_CYCLES_H

#include "deadlock/lock_order.h"

enum cycle_reply {
    CYCLE_STOP,    /* no more cycles */
    CYCLE_NEXT,    /* the next one, please */
    CYCLE_SETTLED, /* ... but none that goes through the same set of locations */
};

/* Sees a cycle: numbers of dependencies, the one with the lowest thread first, each
 * waiting for the next. Some of those it does not want may still come. */
typedef enum cycle_reply cycle_visit(void *context, const uint32_t *cycle, uint32_t length);

/* Visits the cycles, in a fixed order, and takes what that needed from `steps`. False if
 * they were not enough to see them all. */
bool lock_cycles_each(const struct lock_order *order, uint64_t *steps, cycle_visit *visit,
                      void *context);

#endif
