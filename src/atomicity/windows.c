/* SPDX-License-Identifier: MIT */
#include "atomicity/windows.h"

#include "base/map.h"

/* What a transaction did to an object last; one above its pos, 0 for nothing. */
struct touched {
    uint32_t transaction, read, write;
};

struct finder {
    const struct history *history;
    struct blocks *blocks;
    struct windows *windows;
    struct map last; /* (object, thread) -> place in touched */
    struct all_touched ARRAY_OF(struct touched) touched;
};

bool windows_guards(const struct trace *trace, const struct event *event)
{
    return event_acquires(event) ||
           (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED) &&
            trace_semaphore_initial(trace, event->object) > 0);
}

uint32_t windows_object(const struct history *history, const struct event *event)
{
    const struct trace *trace = history->trace;
    if (op_in(event->op, OPS_ACCESS))
        return event->object;
    if (!windows_guards(trace, event))
        return UINT32_MAX;
    uint32_t variables = trace_count(trace, CLASS_VARIABLE);
    if (event->op == EVENT_SEM_WAIT)
        return variables + trace_count(trace, CLASS_LOCK) + event->object;
    return variables + event_lock(event);
}

uint32_t windows_objects(const struct history *history)
{
    return trace_count(history->trace, CLASS_VARIABLE) + trace_count(history->trace, CLASS_LOCK) +
           trace_count(history->trace, CLASS_SEMAPHORE);
}

static void add_window(struct finder *finder, uint32_t object, uint32_t begin, uint32_t end)
{
    const struct history *history = finder->history;
    const uint32_t *labels;
    uint32_t count =
        blocks_blamed(finder->blocks, history->events[end].thread, history->index[begin], &labels);
    if (!count)
        return;
    struct window window = {object, begin, end, labels[count - 1], WINDOW_MARKED};
    array_push(finder->windows, window);
}

static void touch(struct finder *finder, uint32_t object, uint32_t transaction, uint32_t pos)
{
    const struct event *event = &finder->history->events[pos];
    bool added;
    uint64_t *place = map_at(&finder->last, map_pair(object, event->thread), &added);
    if (added) {
        *place = finder->touched.count;
        array_grow(&finder->touched, finder->touched.count + 1);
    }
    struct touched *touched = &finder->touched.items[*place];
    if (touched->transaction != transaction)
        *touched = (struct touched){.transaction = transaction};
    if (touched->read)
        add_window(finder, object, touched->read - 1, pos);
    if (touched->write && touched->write != touched->read)
        add_window(finder, object, touched->write - 1, pos);
    if (event_reads(event))
        touched->read = pos + 1;
    if (!event_reads(event) || event_writes(event))
        touched->write = pos + 1;
}

static void find(struct finder *finder)
{
    const struct history *history = finder->history;
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_BLOCKS))
            blocks_step(finder->blocks, &history->events[pos], history->index[pos]);
    blocks_rewind(finder->blocks);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_BLOCKS))
            blocks_step(finder->blocks, event, history->index[pos]);
        uint32_t object = windows_object(history, event);
        uint32_t transaction = blocks_transaction(finder->blocks, event->thread);
        if (object != UINT32_MAX && transaction)
            touch(finder, object, transaction, pos);
    }
}

void windows_find(struct windows *windows, const struct history *history, struct blocks *blocks)
{
    struct finder finder = {.history = history, .blocks = blocks, .windows = windows};
    find(&finder);
    array_free(&finder.touched);
    map_free(&finder.last);
}
