/* SPDX-License-Identifier: MIT */
/* What the kernel knows of a process that seems to stand still. The wishes of its trace are the
 * threads' own word, which may be out of date: a handler has jumped out of the wait, or its
 * thread sleeps in the handler now. */
#ifndef PREPLAY_TARGET_BLOCKED_H
#define PREPLAY_TARGET_BLOCKED_H

#include <stdbool.h>

/* Is each thread in a futex that has no time limit, and that no other process can reach? Also true
 * where the kernel does not tell of anybody what it is in; false if it does not tell us. */
bool blocked_for_good(int process);

/* May the process still be moved by somebody who needs none of its threads: a debugger, a timer
 * whose signal it handles? */
bool blocked_until_moved(int process);

/* What /proc/PROCESS/status has behind a name; "" if nothing. */
void blocked_status(int process, const char *name, char text[64]);

#endif
