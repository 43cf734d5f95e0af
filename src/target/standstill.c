/* SPDX-License-Identifier: MIT */
#include "target/standstill.h"

#include "target/blocked.h"
#include "model/hang.h"
#include "trace/recorded/binary_wishes.h"
#include "trace/outline.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool standstill_ran(int process, uint64_t *ran)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &time))
        return false;
    *ran = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

static bool has_run_no_more(int process, uint64_t ran)
{
    uint64_t now;
    return standstill_ran(process, &now) && now == ran;
}

/* Of a process whose first thread has ended before others, that one counts as a zombie. */
static uint64_t living_threads(int process)
{
    char state[64], threads[64];
    blocked_status(process, "State", state);
    blocked_status(process, "Threads", threads);
    return strtoull(threads, NULL, 10) - (state[0] == 'Z');
}

/* The C library's own (cancellation, setuid) help nobody. */
static bool catches_signals(int process)
{
    char caught[64];
    uint64_t own = UINT64_C(3) << 31;
    blocked_status(process, "SigCgt", caught);
    return strtoull(caught, NULL, 16) & ~own;
}

static bool all_wait(const char *directory, uint64_t threads)
{
    struct binary_waiting waiting = {0};
    binary_waiting_count(&waiting, directory);
    return waiting.threads == threads && waiting.waiting == threads;
}

/* A handler may signal, or post: it cannot let go of another one's lock. */
static bool handler_helps(const struct history *history, const struct hang *hang)
{
    for (size_t i = 0; i < hang->wishes.count; i++)
        if (op_in(history->events[hang->wishes.items[i]].op,
                  OP_BIT(EVENT_WAIT_END) | OP_BIT(EVENT_SEM_WAIT)))
            return true;
    return false;
}

static bool is_stuck(const char *directory, uint64_t threads, bool handlers)
{
    struct error ignored = {0}; /* what cannot be read proves nothing */
    struct outline outline = {0};
    struct trace *trace = trace_open(directory, &ignored);
    bool known = trace && outline_read(&outline, trace, &ignored) == 0;
    struct hang *hang = known ? hang_find(outline.history) : NULL;
    bool stuck =
        hang && hang->stuck == threads && !(handlers && handler_helps(outline.history, hang));
    hang_destroy(hang);
    outline_free(&outline);
    trace_close(trace);
    return stuck;
}

uint32_t standstill_threads(int process, const char *directory)
{
    uint64_t ran, threads = living_threads(process);
    bool stuck = standstill_ran(process, &ran) && all_wait(directory, threads) &&
                 blocked_for_good(process) && !blocked_until_moved(process) &&
                 is_stuck(directory, threads, catches_signals(process)) &&
                 has_run_no_more(process, ran);
    return stuck ? (uint32_t)threads : 0;
}
