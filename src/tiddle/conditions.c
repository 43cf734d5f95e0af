/* SPDX-License-Identifier: MIT */
#include "tiddle/conditions.h"

#include "base/array.h"

struct sleeping {
    uint32_t begin, end; /* pos of the wait and of its return, POS_NONE for none */
    bool by_time;        /* it returns without a signal */
    bool older;          /* in G1 */
    bool left;           /* got its signal and is at its mutex */
};

struct groups {
    struct sleepers ARRAY_OF(struct sleeping) sleepers;
    uint32_t unsignalled; /* threads of G1 that have not got a signal */
};

static const char blocks[] = "wakes several threads in a way in which glibc's condition variables "
                             "would wait for one that may not return yet";
static const char elsewhere[] = "returns by a signal that glibc gives to another thread";

static uint32_t members(const struct groups *groups, bool older)
{
    uint32_t count = 0;
    for (size_t i = 0; i < groups->sleepers.count; i++)
        count += groups->sleepers.items[i].older == older && !groups->sleepers.items[i].left;
    return count;
}

/* G2 becomes G1. False if the signal would block: somebody of G1 is still there. */
static bool switch_groups(struct groups *groups)
{
    if (members(groups, true))
        return false;
    groups->unsignalled = members(groups, false);
    for (size_t i = 0; i < groups->sleepers.count; i++)
        groups->sleepers.items[i].older = true;
    return true;
}

/* The thread of G1 that takes the next signal: the first that returns by one. Those
 * that never return come next; one that returns by time gets none. */
static struct sleeping *taker(struct groups *groups)
{
    struct sleeping *best = NULL;
    for (size_t i = 0; i < groups->sleepers.count; i++) {
        struct sleeping *sleeping = &groups->sleepers.items[i];
        if (sleeping->older && !sleeping->left && !sleeping->by_time &&
            (!best || sleeping->end < best->end))
            best = sleeping;
    }
    return best;
}

static bool give_signal(struct groups *groups, uint32_t pos, uint32_t *signal_of)
{
    struct sleeping *sleeping = taker(groups);
    if (!sleeping)
        return false;
    groups->unsignalled--;
    sleeping->left = true;
    signal_of[sleeping->begin] = pos;
    return true;
}

static bool signal_one(struct groups *groups, uint32_t pos, uint32_t *signal_of)
{
    if (!groups->unsignalled) {
        if (!members(groups, false))
            return true;
        if (!switch_groups(groups))
            return false;
    }
    return give_signal(groups, pos, signal_of);
}

static bool signal_all(struct groups *groups, uint32_t pos, uint32_t *signal_of)
{
    /* One call wakes both groups, and waits for the first in between. */
    if (groups->unsignalled && members(groups, false))
        return false;
    if (members(groups, false) && !switch_groups(groups))
        return false;
    while (groups->unsignalled)
        if (!give_signal(groups, pos, signal_of))
            return false;
    return true;
}

/* A thread returns. False if it got no signal but should have one. */
static bool leave(struct groups *groups, uint32_t end)
{
    size_t i = 0;
    while (groups->sleepers.items[i].end != end)
        i++;
    struct sleeping gone = groups->sleepers.items[i];
    groups->sleepers.items[i] = array_last(&groups->sleepers);
    groups->sleepers.count--;
    if (!gone.left && gone.older)
        groups->unsignalled--;
    return gone.left || gone.by_time;
}

static const char *step(struct groups *groups, const struct history *history, uint32_t pos,
                        uint32_t end, uint32_t *signal_of)
{
    const struct event *event = &history->events[pos];
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        array_push(&groups->sleepers,
                   ((struct sleeping){.begin = pos,
                                      .end = end,
                                      .by_time = end != POS_NONE &&
                                                 history->events[end].flags & EVENT_FAILED}));
        return NULL;
    case EVENT_WAIT_END:
        return leave(groups, pos) ? NULL : elsewhere;
    case EVENT_SIGNAL:
        return signal_one(groups, pos, signal_of) ? NULL : blocks;
    default:
        return signal_all(groups, pos, signal_of) ? NULL : blocks;
    }
}

/* A wait's return is the next event of its thread. */
static uint32_t end_of(const struct history *history, uint32_t pos)
{
    uint32_t thread = history->events[pos].thread, next = history->index[pos] + 1;
    return next < history_thread_length(history, thread) ? history_pos(history, thread, next)
                                                         : POS_NONE;
}

uint32_t *conditions_plan(const struct history *history, uint32_t *broken, const char **reason)
{
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION);
    struct groups *groups = NEW_ARRAY(struct groups, conditions);
    uint32_t *signal_of = memory_alloc(history->count, sizeof *signal_of);
    memset(signal_of, 0xff, history->count * sizeof *signal_of);
    *broken = POS_NONE;
    for (uint32_t pos = 0; pos < history->count && *broken == POS_NONE; pos++) {
        const struct event *event = &history->events[pos];
        if (event_object_class(event->op) != CLASS_CONDITION)
            continue;
        *reason = step(&groups[event->object], history, pos, end_of(history, pos), signal_of);
        if (*reason)
            *broken = pos;
    }
    for (uint32_t i = 0; i < conditions; i++)
        array_free(&groups[i].sleepers);
    free(groups);
    if (*broken == POS_NONE)
        return signal_of;
    free(signal_of);
    return NULL;
}
