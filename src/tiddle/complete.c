/* SPDX-License-Identifier: MIT */
#include "tiddle/complete.h"

#include "base/array.h"

#include <stdio.h>

#define ADDED_LOCATION "added"

struct events ARRAY_OF(struct event);

/* A once-block that never ends: C cannot leave it without ending it. */
static bool ends_inside_once(const struct history *history, uint32_t thread, uint32_t length)
{
    int open = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t op = history->events[history_pos(history, thread, i)].op;
        open += op == EVENT_ONCE_BEGIN ? 1 : op == EVENT_ONCE_END ? -1 : 0;
    }
    return open > 0;
}

static bool ends_blocked(const struct history *history, uint32_t thread)
{
    uint32_t length = thread < history->threads ? history_thread_length(history, thread) : 0;
    if (!length)
        return false;
    uint8_t op = history->events[history_pos(history, thread, length - 1)].op;
    return op == EVENT_WAIT_BEGIN || op == EVENT_BARRIER_ENTER ||
           ends_inside_once(history, thread, length);
}

static bool may_be_main(const struct history *history, uint32_t thread)
{
    return history->fork_of[thread] == POS_NONE && history->join_of[thread] == POS_NONE &&
           !ends_blocked(history, thread);
}

static uint32_t new_thread(struct trace *trace)
{
    static const char *const names[] = {"0", "main"};
    struct interner *threads = trace->names[CLASS_THREAD];
    for (size_t i = 0; i < 2; i++)
        if (intern_find(threads, names[i], strlen(names[i])) == INTERN_NONE)
            return intern(threads, names[i], strlen(names[i]));
    for (unsigned number = 2;; number++) {
        char name[24];
        int length = snprintf(name, sizeof name, "main_%u", number);
        if (intern_find(threads, name, (size_t)length) == INTERN_NONE)
            return intern(threads, name, (size_t)length);
    }
}

static uint32_t choose_main(struct trace *trace, const struct history *history)
{
    uint32_t roots = 0, candidate = INTERN_NONE, named = INTERN_NONE;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        roots += history->fork_of[thread] == POS_NONE;
        if (!may_be_main(history, thread))
            continue;
        const char *name = trace_name(trace, CLASS_THREAD, thread);
        candidate = thread;
        if (named == INTERN_NONE && (strcmp(name, "0") == 0 || strcmp(name, "main") == 0))
            named = thread;
    }
    if (roots == 1 && candidate != INTERN_NONE)
        return candidate;
    return named != INTERN_NONE ? named : new_thread(trace);
}

static struct event added_event(struct trace *trace, enum event_op op, uint32_t by, uint32_t thread)
{
    return (struct event){.thread = by,
                          .op = (uint8_t)op,
                          .order = ORDER_SEQ_CST,
                          .object = thread,
                          .location =
                              intern(trace->locations, ADDED_LOCATION, strlen(ADDED_LOCATION))};
}

void tiddle_complete(struct trace *trace, const struct history *history,
                     struct completion *completion)
{
    struct events events = {0};
    uint32_t main = choose_main(trace, history);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (thread != main && history->fork_of[thread] == POS_NONE)
            array_push(&events, added_event(trace, EVENT_FORK, main, thread));
    completion->main = main;
    completion->forks = (uint32_t)events.count;
    for (uint32_t pos = 0; pos < history->count; pos++)
        array_push(&events, history->events[pos]);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (thread != main && history->join_of[thread] == POS_NONE &&
            !ends_blocked(history, thread))
            array_push(&events, added_event(trace, EVENT_JOIN, main, thread));
    completion->joins = (uint32_t)events.count - completion->forks - history->count;
    completion->history = history_create(trace, events.items, (uint32_t)events.count);
}

void completion_free(struct completion *completion)
{
    history_destroy(completion->history);
    completion->history = NULL;
}
