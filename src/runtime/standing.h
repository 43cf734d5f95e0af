/* SPDX-License-Identifier: MIT */
/* Where the threads of an error stand when the schedule has been followed: each before its
 * target, until all are there. Then the gates open and it happens. */
#ifndef PREPLAY_RUNTIME_STANDING_H
#define PREPLAY_RUNTIME_STANDING_H

#include "runtime/recorder.h"
#include "runtime/schedule.h"

/* The thread's target, if that is about its operation `index`, or an access before it. */
struct schedule_target *standing_target(const struct schedule_thread *thread, uint32_t index);
/* Returns when every thread of the deadlock stands before its acquire: now all may go in, and
 * the others may do what they can about it. */
void standing_acquire(struct recorder *self, struct schedule_thread *thread,
                      const struct schedule_target *target);
/* Returns when both threads of the race stand before their accesses. If these are of different
 * memory, it is a loop, and the one that came first goes on to its next round. */
void standing_access(struct recorder *self, struct schedule_thread *thread,
                     const struct schedule_target *target, uintptr_t address, uint32_t size);

/* Whose access comes first, where the schedule says so. The other one makes its own right behind
 * it, before the first goes on, so that the run shows what this order of the two does: a value that
 * was read is used after it has changed. An access has been made when the thread comes to its next
 * one, or to an operation. Who does not come there (it sleeps in a system call, it computes) is let
 * go by the tool's watchdog. */
void both_orders_made(struct recorder *self);

static inline void both_orders_settle(struct recorder *self)
{
    if (unlikely(self->racing))
        both_orders_made(self);
}

#endif
