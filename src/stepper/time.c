/* SPDX-License-Identifier: MIT */
/* Sleeping, yielding and the clock: virtual time. */
#include "stepper/operations.h"
#include "stepper/real.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

static void rest(struct stepped *self, const struct timespec *length)
{
    step_rest(self, (uint64_t)length->tv_sec * UINT64_C(1000000000) + (uint64_t)length->tv_nsec);
}

FUNCTION(int, sched_yield, (void))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sched_yield)();
    step_rest(self, 0);
    return 0;
}

FUNCTION(int, nanosleep, (const struct timespec *length, struct timespec *left))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(nanosleep)(length, left);
    rest(self, length);
    return 0;
}

FUNCTION(int, clock_nanosleep,
         (clockid_t clock, int flags, const struct timespec *length, struct timespec *left))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(clock_nanosleep)(clock, flags, length, left);
    if (flags & TIMER_ABSTIME) {
        step_rest(self, 0);
        step_set_alarm(self, length);
    } else {
        rest(self, length);
    }
    return 0;
}

FUNCTION(int, usleep, (unsigned microseconds))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(usleep)(microseconds);
    step_rest(self, (uint64_t)microseconds * 1000);
    return 0;
}

FUNCTION(unsigned, sleep, (unsigned seconds))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sleep)(seconds);
    step_rest(self, seconds * UINT64_C(1000000000));
    return 0;
}

FUNCTION(int, clock_gettime, (clockid_t clock, struct timespec *time))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(clock_gettime)(clock, time);
    uint64_t now = step_time();
    time->tv_sec = (time_t)(EPOCH + now / 1000000000);
    time->tv_nsec = (long)(now % 1000000000);
    return 0;
}

FUNCTION(time_t, time, (time_t * result))
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}
