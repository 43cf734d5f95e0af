/* SPDX-License-Identifier: MIT */
/* Who uses a recording's directory, by locks on its file `lock`. Everybody who reads or writes a
 * recording shares its use; only who uses it alone may remove it. Replays of one recording keep
 * each other out: they put their schedules and traces at the same places. The system drops locks
 * with the process, however it ends. */
#ifndef PREPLAY_TARGET_TRACE_LOCK_H
#define PREPLAY_TARGET_TRACE_LOCK_H

#include "base/error.h"

#include <stdbool.h>

#define TRACE_LOCK_FILE "lock"

struct trace_lock {
    int file; /* plus one; 0: nothing is locked */
};

/* Shares the use of the directory; -1 if somebody is removing it. Where no lock can be had (a
 * medium that is read-only, a file system without locks) it goes without. */
int trace_lock_share(struct trace_lock *lock, const char *directory, struct error *error);
/* For who made the directory, or is about to empty it: nobody else uses it, nor does a recorded
 * program still write there. ERROR_USAGE that names who does. */
int trace_lock_alone(struct trace_lock *lock, const char *directory, struct error *error);
/* From alone to shared, without a moment in between. The process leaves its number for others. */
void trace_lock_open_up(struct trace_lock *lock);
/* Besides: replays in it. -1 if another preplay replays there. */
int trace_lock_replay(struct trace_lock *lock, const char *directory, struct error *error);
void trace_lock_release(struct trace_lock *lock);

#endif
