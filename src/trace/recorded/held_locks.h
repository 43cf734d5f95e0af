/* SPDX-License-Identifier: MIT */
/* Which locks of a recorded program are held at which addresses, in the last pass: memory that is
 * freed, or a lock that is initialised anew, is the end of a lock that nobody destroyed. That is
 * told, as a destroy, only where somebody holds it. Few locks are held at a time.
 *
 * And who holds the readers-writer lock that a thread releases: another thread may, or the thread
 * itself in the other way. Its hold ends, so that the lock goes on as a lock. */
#ifndef PREPLAY_TRACE_RECORDED_HELD_LOCKS_H
#define PREPLAY_TRACE_RECORDED_HELD_LOCKS_H

#include "base/array.h"
#include "trace/event.h"

struct held_lock_at {
    uint64_t address;
    uint32_t lock, thread;
    bool reading;
};

struct held_locks ARRAY_OF(struct held_lock_at);

/* The event, on a lock at the address, is delivered. */
void held_locks_follow(struct held_locks *held, const struct event *event, uint64_t address);

/* Is it the release of a readers-writer lock that is held, but not by this thread in this way?
 * Then whose hold it ends is in *holder. */
bool held_locks_amiss(const struct held_locks *held, const struct event *event,
                      struct held_lock_at *holder);

bool held_locks_any(const struct held_locks *held, uint32_t lock);

/* Takes out one that is held within the bytes; false if there is none. */
bool held_locks_take(struct held_locks *held, uint64_t address, uint64_t length, uint32_t *lock);

#endif
