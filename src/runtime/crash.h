/* SPDX-License-Identifier: MIT */
/* In a replay, a signal that ends the program is told to the tool before it does: which, in which
 * thread, where. The thread then waits until the tool has looked at its stack. Programs that
 * handle these signals themselves replace this. */
#ifndef PREPLAY_RUNTIME_CRASH_H
#define PREPLAY_RUNTIME_CRASH_H

/* Once the process follows a schedule. */
void crash_watch(void);

#endif
