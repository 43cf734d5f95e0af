/* SPDX-License-Identifier: MIT */
#include "runtime/clocks.h"

#include <stdatomic.h>

enum {
    SECOND = 1000000000,
    CLOCKS = 12,             /* that have numbers */
    MONOTONIC_CONDITION = 2, /* a bit of the C library's */
};

/* Clocks that go on together. */
enum family { FAMILY_WALL, FAMILY_BOOT, FAMILIES, FAMILY_NONE = FAMILIES };

static _Atomic int64_t shifts[FAMILIES]; /* from the kernel's time to the program's */
static _Atomic int64_t latest[CLOCKS];   /* that was told to anybody */
static _Atomic bool is_shifted;

static enum family family_of(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return FAMILY_WALL;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return FAMILY_BOOT;
    default:
        return FAMILY_NONE;
    }
}

bool clocks_show_time(clockid_t clock)
{
    return family_of(clock) != FAMILY_NONE;
}

/* The later of the two is told, and is the latest from now on. */
static int64_t not_before_others(clockid_t clock, int64_t time)
{
    int64_t last = atomic_load(&latest[clock]);
    while (last < time && !atomic_compare_exchange_weak(&latest[clock], &last, time))
        continue;
    return last < time ? time : last;
}

int64_t clocks_go_on(clockid_t clock, int64_t now)
{
    return not_before_others(clock, now + atomic_load(&shifts[family_of(clock)]));
}

int64_t clocks_set(clockid_t clock, int64_t now, int64_t told)
{
    told = not_before_others(clock, told);
    atomic_store(&shifts[family_of(clock)], told - now);
    atomic_store(&is_shifted, true);
    return told;
}

struct timespec clocks_time(int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / SECOND, rest = nanoseconds % SECOND;
    if (rest < 0)
        return (struct timespec){seconds - 1, rest + SECOND};
    return (struct timespec){seconds, rest};
}

const struct timespec *clocks_until(clockid_t clock, const struct timespec *until,
                                    struct timespec *room)
{
    enum family family = family_of(clock);
    if (!atomic_load_explicit(&is_shifted, memory_order_relaxed) || !until ||
        family == FAMILY_NONE || until->tv_nsec < 0 || until->tv_nsec >= SECOND ||
        until->tv_sec < 0 || until->tv_sec > INT64_MAX / SECOND / 2)
        return until;
    int64_t when = clocks_count(until) - atomic_load(&shifts[family]);
    *room = clocks_time(when > 0 ? when : 0);
    return room;
}

const struct itimerspec *clocks_timer(clockid_t clock, const struct itimerspec *time,
                                      struct itimerspec *room)
{
    if (!time || (!time->it_value.tv_sec && !time->it_value.tv_nsec))
        return time;
    const struct timespec *first = clocks_until(clock, &time->it_value, &room->it_value);
    if (first == &time->it_value)
        return time;
    room->it_interval = time->it_interval;
    if (!room->it_value.tv_sec && !room->it_value.tv_nsec)
        room->it_value.tv_nsec = 1; /* long ago, and not never */
    return room;
}

clockid_t clocks_of_condition(const pthread_cond_t *condition)
{
    return condition->__data.__wrefs & MONOTONIC_CONDITION ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
