/* SPDX-License-Identifier: MIT */
/* Semaphores used as locks: the count starts at one, and every thread takes and
 * posts in turn, take first. Whoever finds the count at zero then waits for the one
 * thread that took it, as with a mutex, and deadlocks in the same way. */
#ifndef PREPLAY_MODEL_SEMAPHORE_LOCKS_H
#define PREPLAY_MODEL_SEMAPHORE_LOCKS_H

#include "trace/history.h"

/* By semaphore: used as a lock throughout the trace. NULL if none is. The caller
 * frees it. */
bool *semaphore_locks(const struct history *history);

/* True if the thread of `pos`, standing before it, has taken the semaphore and not
 * posted it since. */
bool semaphore_held_before(const struct history *history, uint32_t pos, uint32_t semaphore);

#endif
