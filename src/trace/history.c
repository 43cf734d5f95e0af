/* SPDX-License-Identifier: MIT */
#include "trace/history.h"

#include "base/sorted.h"
#include "base/array.h"

struct event_list ARRAY_OF(struct event);

static void index_threads(struct history *history)
{
    uint32_t *next = NEW_ARRAY(uint32_t, history->threads + 1);
    for (uint32_t pos = 0; pos < history->count; pos++)
        history->first[history->events[pos].thread + 1]++;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        history->first[thread + 1] += history->first[thread];
    memcpy(next, history->first, (history->threads + 1) * sizeof *next);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t thread = history->events[pos].thread;
        history->index[pos] = next[thread] - history->first[thread];
        history->positions[next[thread]++] = pos;
    }
    free(next);
}

static void index_forks(struct history *history)
{
    memset(history->fork_of, 0xff, history->threads * sizeof *history->fork_of);
    memset(history->join_of, 0xff, history->threads * sizeof *history->join_of);
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t pos = history->syncs[i];
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_FORK)
            history->fork_of[event->object] = pos;
        else if (event->op == EVENT_JOIN && history->join_of[event->object] == POS_NONE)
            history->join_of[event->object] = pos;
    }
}

static void note_value(struct history *history, const struct event *event, bool is_initial)
{
    if (!history->has_values) {
        history->has_values = true;
        history->initial_value = NEW_ARRAY(uint64_t, history->variables);
        history->initial_known = NEW_ARRAY(bool, history->variables);
    }
    /* The value of a read-modify-write is what it wrote, not what it read. */
    if (is_initial && event->op != EVENT_ATOMIC_RMW) {
        history->initial_value[event->object] = event->value;
        history->initial_known[event->object] = true;
    }
}

static void index_accesses(struct history *history)
{
    uint32_t variables = history->variables;
    uint32_t *last = memory_alloc(variables, sizeof *last);
    struct positions ARRAY_OF(uint32_t) syncs = {0};
    memset(last, 0xff, variables * sizeof *last);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        history->ops |= OP_BIT(event->op);
        if (event->flags & EVENT_HAS_VALUE)
            note_value(history, event, event_reads(event) && last[event->object] == POS_NONE);
        history->reads_from[pos] = event_reads(event) ? last[event->object] : POS_NONE;
        if (event_writes(event))
            last[event->object] = pos;
        else if (op_in(event->op, OPS_SYNC & ~OPS_ACCESS))
            array_push(&syncs, pos);
    }
    history->syncs = syncs.items;
    history->sync_count = (uint32_t)syncs.count;
    free(last);
}

/* Each stands where its thread's next event would. */
static void add_wishes(struct history *history)
{
    const struct trace *trace = history->trace;
    for (uint32_t i = 0; i < history->wishes; i++) {
        uint32_t pos = history->count + i;
        history->events[pos] = trace->wishes[i];
        history->index[pos] = history_thread_length(history, trace->wishes[i].thread);
    }
}

struct history *history_create_with(const struct trace *trace, struct event *events, uint32_t count,
                                    uint32_t variables)
{
    struct history *history = NEW(struct history);
    history->trace = trace;
    history->count = count;
    history->wishes = trace->wish_count;
    history->events =
        history->wishes ? memory_resize(events, history_total(history), sizeof *events) : events;
    history->threads = trace_count(trace, CLASS_THREAD);
    history->variables = variables;
    history->index = memory_alloc(history_total(history), sizeof *history->index);
    history->positions = memory_alloc(count, sizeof *history->positions);
    history->first = NEW_ARRAY(uint32_t, history->threads + 1);
    history->fork_of = memory_alloc(history->threads, sizeof *history->fork_of);
    history->join_of = memory_alloc(history->threads, sizeof *history->join_of);
    history->reads_from = memory_alloc(count, sizeof *history->reads_from);
    index_threads(history);
    index_accesses(history);
    index_forks(history);
    add_wishes(history);
    return history;
}

/* Of variables that nobody read before they were written. */
static void learn_initial_values(struct history *history)
{
    for (uint32_t i = 0; history->has_values && i < history->variables; i++)
        if (!history->initial_known[i])
            history->initial_known[i] =
                trace_initial(history->trace, i, &history->initial_value[i]);
}

struct history *history_create(const struct trace *trace, struct event *events, uint32_t count)
{
    struct history *history =
        history_create_with(trace, events, count, trace_count(trace, CLASS_VARIABLE));
    learn_initial_values(history);
    return history;
}

struct history *history_read(struct trace *trace, struct error *error)
{
    struct event_list list = {0};
    const struct event *batch;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0) {
        array_reserve(&list, list.count + (size_t)count);
        memcpy(list.items + list.count, batch, (size_t)count * sizeof *batch);
        list.count += (size_t)count;
    }
    if (count < 0) {
        array_free(&list);
        return NULL;
    }
    return history_create(trace, list.items, (uint32_t)list.count);
}

void history_destroy(struct history *history)
{
    if (!history)
        return;
    free(history->events);
    free(history->index);
    free(history->positions);
    free(history->first);
    free(history->fork_of);
    free(history->join_of);
    free(history->reads_from);
    free(history->syncs);
    free(history->initial_value);
    free(history->initial_known);
    free(history);
}

uint32_t history_count_before(const struct history *history, uint32_t thread, uint32_t pos)
{
    return SORTED_POINT(middle, 0, history_thread_length(history, thread),
                        history_pos(history, thread, middle) < pos);
}
