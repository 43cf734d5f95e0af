/* SPDX-License-Identifier: MIT */
/* What time it is. In a replay each thread is told what it was told when it was recorded; when that
 * is used up, the clock goes on from the last of it. */
#include "runtime/clocks.h"
#include "runtime/inputs.h"
#include "runtime/process.h"
#include "runtime/real.h"

#include <sys/time.h>

static int ask(clockid_t clock, struct timespec *time)
{
    int result = REAL(clock_gettime)(clock, time);
    struct recorder *self = recorder_current;
    if (result || !clocks_show_time(clock))
        return result;
    unsigned kind = INPUT_CLOCK + (unsigned)clock;
    int64_t now = clocks_count(time), told;
    if (likely(!inputs_given)) {
        if (self && process_recording())
            inputs_keep(self, kind, &now, sizeof now);
    } else if (self && inputs_again(self, kind, &told, sizeof told)) {
        *time = clocks_time(clocks_set(clock, now, told));
    } else {
        *time = clocks_time(clocks_go_on(clock, now));
    }
    return 0;
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

FUNCTION(int, clock_gettime, (clockid_t clock, struct timespec *time))
{
    return ask(clock, time);
}

FUNCTION(int, gettimeofday, (struct timeval *restrict time, void *restrict zone))
{
    struct timespec now;
    struct timeval *day = time;
    __asm__("" : "+r"(day)); /* declared to be no null pointer, but the kernel takes one */
    if (zone)
        *(struct timezone *)zone = (struct timezone){0};
    if (day && ask(CLOCK_REALTIME, &now) == 0)
        *day = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

FUNCTION(time_t, time, (time_t * result))
{
    struct timespec now = {0};
    ask(CLOCK_REALTIME_COARSE, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}

FUNCTION(int, timespec_get, (struct timespec * time, int base))
{
    if (base != TIME_UTC)
        return REAL(timespec_get)(time, base);
    return ask(CLOCK_REALTIME, time) ? 0 : base;
}

FUNCTION(int, clock_nanosleep,
         (clockid_t clock, int flags, const struct timespec *time, struct timespec *left))
{
    if (flags & TIMER_ABSTIME)
        return REAL(clock_nanosleep)(clock, flags, CLOCKS_UNTIL(clock, time), left);
    return REAL(clock_nanosleep)(clock, flags, time, left);
}
