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
void standing_access(struct schedule_thread *thread, const struct schedule_target *target,
                     uintptr_t address, uint32_t size);

#endif
