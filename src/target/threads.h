/* SPDX-License-Identifier: MIT */
/* What the kernel tells about the threads of another process. On a busy machine a thread may wait
 * for a processor for seconds, and anybody may stop a process: who is not asleep may yet go on.
 *
 * `process` is its directory in a /proc, which may be that of another PID namespace than ours;
 * `thread` is an id of the same. */
#ifndef PREPLAY_TARGET_THREADS_H
#define PREPLAY_TARGET_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { THREADS_PATH = 64 }; /* room for such a directory's name */

/* Asleep until something happens, or ended. */
bool thread_asleep(const char *process, uint32_t thread);
bool threads_asleep(const char *process);
/* Asleep in a futex and without a time limit: only another thread can wake it. */
bool threads_stuck(const char *process);

/* Seconds of processor time; of all threads: of those that have not ended, and 0 if the kernel
 * does not count them. */
double thread_ran(const char *process, uint32_t thread);
double threads_ran(const char *process);
/* Seconds that its threads could have run, and no processor was free for them, all together; 0 if
 * the kernel does not count them. */
double threads_delayed(const char *process);
/* How often they were given a processor: who sleeps and wakes up again and again, often. */
double threads_turns(const char *process);

/* Its id among ours, and in *own that of its process; 0 if it has none. */
pid_t threads_here(const char *process, uint32_t thread, pid_t *own);

#endif
