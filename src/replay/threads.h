/* What the kernel tells about the threads of another process. On a busy machine a thread may wait
 * for a processor for seconds, and anybody may stop a process: who is not asleep may yet go on. */
#ifndef PREPLAY_REPLAY_THREADS_H
#define PREPLAY_REPLAY_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Asleep until something happens, or ended. */
bool thread_asleep(pid_t process, uint32_t thread);
bool threads_asleep(pid_t process);
/* Asleep in a futex and without a time limit: only another thread can wake it. */
bool threads_stuck(pid_t process);

/* Seconds of processor time. */
double thread_ran(pid_t process, uint32_t thread);
double threads_ran(pid_t process);
/* Seconds that its threads could have run, and no processor was free for them, all together; 0 if
 * the kernel does not count them. */
double threads_delayed(pid_t process);

#endif
