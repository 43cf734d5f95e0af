/* SPDX-License-Identifier: MIT */
/* Tells of the end of threads: after all the destructors that the program has for one. */
#ifndef PREPLAY_RUNTIME_THREAD_END_H
#define PREPLAY_RUNTIME_THREAD_END_H

#include <stdbool.h>

/* Once per process, before anything is recorded: `tell` is called in each thread that is watched.
 */
void thread_end_prepare(void (*tell)(void));
/* Watches the calling thread. */
void thread_end_watch(void);
/* Gives the key that this needs to the program, if it has it: from then on a thread's end is told
 * before its destructors run. */
bool thread_end_give_key(void);
/* Tells now if nobody watches any more: the program has the key. */
void thread_end_unwatched(void *unused);

#endif
