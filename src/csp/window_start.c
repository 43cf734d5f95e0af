/* SPDX-License-Identifier: MIT */
#include "csp/window_start.h"

struct window_start *window_start_create(const struct rules *rules)
{
    const struct trace *trace = rules->history->trace;
    struct window_start *start = NEW(struct window_start);
    start->rules = rules;
    start->conditions = NEW_ARRAY(struct condition, trace_count(trace, CLASS_CONDITION));
    start->counts = NEW_ARRAY(uint32_t, trace_count(trace, CLASS_SEMAPHORE));
    start->last_write = memory_alloc(trace_count(trace, CLASS_VARIABLE), sizeof(uint32_t));
    start->entered = NEW_ARRAY(uint32_t, trace_barrier_instances(trace));
    start->onces = NEW_ARRAY(uint8_t, trace_count(trace, CLASS_ONCE));
    start->held = NEW_ARRAY(struct held_locks, rules->history->threads);
    for (uint32_t i = 0; i < trace_count(trace, CLASS_SEMAPHORE); i++)
        start->counts[i] = trace_semaphore_initial(trace, i);
    for (uint32_t i = 0; i < trace_count(trace, CLASS_VARIABLE); i++)
        start->last_write[i] = POS_NONE;
    return start;
}

void window_start_destroy(struct window_start *start)
{
    if (!start)
        return;
    for (uint32_t i = 0; i < trace_count(start->rules->history->trace, CLASS_CONDITION); i++)
        condition_free(&start->conditions[i]);
    for (uint32_t i = 0; i < start->rules->history->threads; i++)
        array_free(&start->held[i]);
    free(start->conditions);
    free(start->counts);
    free(start->last_write);
    free(start->entered);
    free(start->onces);
    free(start->held);
    free(start);
}

static void drop_lock(struct held_locks *held, uint32_t lock)
{
    for (size_t i = held->count; i-- > 0;) {
        if (held->items[i].lock != lock)
            continue;
        memmove(&held->items[i], &held->items[i + 1], (held->count - i - 1) * sizeof *held->items);
        held->count--;
        return;
    }
}

void held_locks_step(struct held_locks *held, const struct event *event)
{
    if (event_acquires(event)) {
        struct held_lock lock = {event_lock(event), event->op == EVENT_ACQUIRE_READ};
        array_push(held, lock);
    } else if (event_releases(event)) {
        drop_lock(held, event_lock(event));
    }
}

static void step(struct window_start *start, uint32_t pos)
{
    const struct event *event = &start->rules->history->events[pos];
    if (event_writes(event))
        start->last_write[event->object] = pos;
    if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
        held_locks_step(&start->held[event->thread], event);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        condition_step(&start->conditions[event->object], event);
        break;
    case EVENT_BARRIER_ENTER:
        start->entered[event->other]++;
        break;
    case EVENT_POST:
        start->counts[event->object]++;
        break;
    case EVENT_SEM_WAIT:
        if (!(event->flags & EVENT_FAILED))
            start->counts[event->object]--;
        break;
    case EVENT_ONCE_BEGIN:
        start->onces[event->object] = 1;
        break;
    case EVENT_ONCE_END:
        start->onces[event->object] = 2;
        break;
    default:
        break;
    }
}

void window_start_advance(struct window_start *start, uint32_t to)
{
    for (; start->at < to; start->at++)
        step(start, start->at);
}
