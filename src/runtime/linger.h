/* SPDX-License-Identifier: MIT */
/* The end of a program whose threads have not all come to theirs. main() returns, and with it go
 * threads that have not run at all yet: what they do is in no trace, or only in one of a run on a
 * quieter machine. So those that can run are let run for a moment. Never in a replay. */
#ifndef PREPLAY_RUNTIME_LINGER_H
#define PREPLAY_RUNTIME_LINGER_H

#include <stdbool.h>
#include <stdint.h>

/* At most so many milliseconds for threads that have not begun, a quarter of it for others that
 * can run; if it is `wanted` by then. `cut_off` is told how many could still run after that. */
void linger_for(uint32_t milliseconds, bool (*wanted)(void), void (*cut_off)(uint32_t threads));
/* A thread was created; it begins. */
void linger_created(void);
void linger_begun(void);

#endif
