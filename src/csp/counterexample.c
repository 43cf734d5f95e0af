/* SPDX-License-Identifier: MIT */
#include "csp/counterexample.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const channels[EVENT_COUNT] = {
    [EVENT_START] = "start",
    [EVENT_END] = "end",
    [EVENT_FORK] = "fork",
    [EVENT_JOIN] = "join",
    [EVENT_READ] = "read",
    [EVENT_WRITE] = "write",
    [EVENT_ATOMIC_LOAD] = "load",
    [EVENT_ATOMIC_LOOK] = "atomic_read",
    [EVENT_ATOMIC_STORE] = "store",
    [EVENT_ATOMIC_RMW] = "rmw",
    [EVENT_ACQUIRE] = "lock",
    [EVENT_RELEASE] = "unlock",
    [EVENT_ACQUIRE_READ] = "rdlock",
    [EVENT_RELEASE_READ] = "rdunlock",
    [EVENT_ACQUIRE_WRITE] = "wrlock",
    [EVENT_RELEASE_WRITE] = "wrunlock",
    [EVENT_WAIT_BEGIN] = "wait",
    [EVENT_WAIT_END] = "woken",
    [EVENT_SIGNAL] = "signal",
    [EVENT_BROADCAST] = "broadcast",
    [EVENT_BARRIER_ENTER] = "barrier_enter",
    [EVENT_BARRIER_EXIT] = "barrier_exit",
    [EVENT_POST] = "post",
    [EVENT_SEM_WAIT] = "semwait",
    [EVENT_ONCE_BEGIN] = "once_begin",
    [EVENT_ONCE_END] = "once_end",
    [EVENT_ONCE_PASS] = "once_pass",
};

struct writing {
    FILE *out;
    const struct trace *trace;
    uint32_t written, most;
};

/* "T1" and "t1" are the same thread to a reader; the papers write t1. */
static void write_thread(FILE *out, const struct trace *trace, uint32_t thread)
{
    const char *name = trace_name(trace, CLASS_THREAD, thread);
    if (name[0] == 'T')
        fprintf(out, ".t%s", name + 1);
    else
        fprintf(out, ".%s", name);
}

static bool begin_event(struct writing *writing)
{
    if (writing->written++ >= writing->most)
        return false;
    if (writing->written > 1)
        fputs(", ", writing->out);
    return true;
}

static void write_bare(struct writing *writing, const char *channel, uint32_t thread)
{
    if (!begin_event(writing))
        return;
    fputs(channel, writing->out);
    write_thread(writing->out, writing->trace, thread);
}

static void write_event(struct writing *writing, const struct event *event)
{
    if (!begin_event(writing))
        return;
    enum object_class class = event_object_class(event->op);
    fputs(channels[event->op], writing->out);
    write_thread(writing->out, writing->trace, event->thread);
    if (class == CLASS_THREAD)
        write_thread(writing->out, writing->trace, event->object);
    else if (class != CLASS_NONE)
        fprintf(writing->out, ".%s", trace_name(writing->trace, class, event->object));
}

char *counterexample_text(const struct history *history, const uint32_t *witness, uint32_t length,
                          uint32_t targets, uint32_t from, uint32_t most)
{
    char *text = NULL;
    size_t size = 0;
    struct writing writing = {open_memstream(&text, &size), history->trace, 0, most};
    for (uint32_t at = from; at < length; at++) {
        const struct event *event = &history->events[witness[at]];
        bool own = at >= length - targets;
        uint32_t thread = event->thread;
        if (history->index[witness[at]] == 0 && history->fork_of[thread] != POS_NONE &&
            event->op != EVENT_START)
            write_bare(&writing, "start", thread);
        if (own || !op_in(event->op, OPS_SYNC) || !channels[event->op])
            continue;
        if (event->op == EVENT_JOIN) {
            uint32_t count = history_thread_length(history, event->object);
            if (!count ||
                history->events[history_pos(history, event->object, count - 1)].op != EVENT_END)
                write_bare(&writing, "end", event->object);
        }
        write_event(&writing, event);
    }
    if (writing.written > most)
        fprintf(writing.out, ", ... (%u events)", writing.written);
    fclose(writing.out);
    return text;
}
