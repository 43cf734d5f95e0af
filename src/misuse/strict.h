/* SPDX-License-Identifier: MIT */
/* The history in which a run ends at its first misuse: each destroy that has a rule (misuse.h) is
 * an acquire of its lock that is never released. It needs the lock free, as a destroy does, and
 * nobody can have the lock after it: so the witness search, which knows locks, never passes a
 * misuse on its way.
 *
 * A semaphore or condition variable that is destroyed has a lock of its own there, which its
 * destroy takes for good, and which each use shares while it lasts: those events are added around
 * the use, so that positions differ. */
#ifndef PREPLAY_MISUSE_STRICT_H
#define PREPLAY_MISUSE_STRICT_H

#include "model/misuse.h"

struct strict;

struct strict *strict_create(const struct misuse_index *index);
void strict_destroy(struct strict *strict);

const struct history *strict_history(const struct strict *strict);
/* Where the thread stands there that stands before this event; what it executes there when it
 * executes a destroy. */
uint32_t strict_pos(const struct strict *strict, uint32_t pos);
/* Events there as those of the recorded run, without what was added; returns how many. */
uint32_t strict_original(const struct strict *strict, const uint32_t *events, uint32_t count,
                         uint32_t *original);

#endif
