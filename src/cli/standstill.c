#include "cli/standstill.h"

#include "cli/blocked.h"
#include "model/hang.h"
#include "trace/binary_wishes.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t standstill_ran(int process)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
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

/* Accesses are most of a trace, and say nothing about who waits: a long recording must not take
 * the machine's memory while the program still runs. */
static struct history *read_synchronisation(struct trace *trace, struct error *error)
{
    struct event_list ARRAY_OF(struct event) list = {0};
    const struct event *batch;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++)
            if (!op_in(batch[i].op, OPS_ACCESS | OPS_LOCAL))
                array_push(&list, batch[i]);
    if (count == 0)
        return history_create(trace, list.items, (uint32_t)list.count);
    array_free(&list);
    return NULL;
}

static bool is_stuck(const char *directory, uint64_t threads, bool handlers)
{
    struct error ignored = {0}; /* what cannot be read proves nothing */
    struct trace *trace = trace_open(directory, &ignored);
    struct history *history = trace ? read_synchronisation(trace, &ignored) : NULL;
    struct hang *hang = history ? hang_find(history) : NULL;
    bool stuck = hang && hang->stuck == threads && !(handlers && handler_helps(history, hang));
    hang_destroy(hang);
    history_destroy(history);
    trace_close(trace);
    return stuck;
}

uint32_t standstill_threads(int process, const char *directory)
{
    uint64_t ran = standstill_ran(process), threads = living_threads(process);
    bool stuck = all_wait(directory, threads) && blocked_for_good(process) &&
                 !blocked_until_moved(process) &&
                 is_stuck(directory, threads, catches_signals(process)) &&
                 standstill_ran(process) == ran;
    return stuck ? (uint32_t)threads : 0;
}
