/* SPDX-License-Identifier: MIT */
/* Processes that a recorded program leaves behind when it ends: a daemon, a child that nobody
 * waited for. They record on, and a trace is analysed when nobody writes to it any more. */
#ifndef PREPLAY_TARGET_LEFT_BEHIND_H
#define PREPLAY_TARGET_LEFT_BEHIND_H

/* Waits until the last of those that record into the directory has ended, at most so many seconds
 * (0: any number) or until a user asks for the end. Says whom it waits for, and who goes on. How
 * many go on. */
unsigned left_behind_wait(const char *directory, double seconds);

#endif
