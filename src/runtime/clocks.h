/* SPDX-License-Identifier: MIT */
/* The program's time. In a replay it is that of the recorded run (times.c), not the kernel's, and
 * the times that the program gives to functions that wait until then are put back into the kernel's
 * first. No clock is told to go back, whatever the order in which threads ask. Clocks of processor
 * time are as they are. */
#ifndef PREPLAY_RUNTIME_CLOCKS_H
#define PREPLAY_RUNTIME_CLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Does it show what time it is? */
bool clocks_show_time(clockid_t clock);
/* What the program is told where the kernel says `now`: the clock goes on from what was told. Of
 * one that shows the time; in nanoseconds. */
int64_t clocks_go_on(clockid_t clock, int64_t now);
/* The same, and it is to be `told`, unless that would be back. */
int64_t clocks_set(clockid_t clock, int64_t now, int64_t told);

/* When the kernel's clock shows what the program calls `until`, which is put into `room` if
 * it is not the same. */
const struct timespec *clocks_until(clockid_t clock, const struct timespec *until,
                                    struct timespec *room);
/* The same for the time at which a timer goes off first; one that is not armed stays so. */
const struct itimerspec *clocks_timer(clockid_t clock, const struct itimerspec *time,
                                      struct itimerspec *room);
/* The clock that timed waits for it go by. */
clockid_t clocks_of_condition(const pthread_cond_t *condition);

static inline int64_t clocks_count(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

struct timespec clocks_time(int64_t nanoseconds);

#define CLOCKS_TIMER(clock, time)  clocks_timer((clock), (time), &(struct itimerspec){0})
#define CLOCKS_UNTIL(clock, until) clocks_until((clock), (until), &(struct timespec){0})

#endif
