/* SPDX-License-Identifier: MIT */
#include "search/past_states.h"

#include "base/memory.h"
#include "base/sorted.h"

/* Operations from one condition variable that is kept to the next. */
enum { APART = 64 };

struct past_states {
    const struct history *history;
    uint32_t conditions, objects; /* semaphores have the numbers after the conditions' */
    uint32_t *start;              /* by object: in `operations`; one more at the end */
    uint32_t *operations;         /* object by object, as observed */
    uint32_t *counts;             /* by operation of a semaphore: the count before it */
    struct condition *kept;       /* by operation / APART: before it, if it is a condition's */
};

static uint32_t object_of(const struct past_states *states, const struct event *event)
{
    switch (event_object_class(event->op)) {
    case CLASS_CONDITION:
        return event->object;
    case CLASS_SEMAPHORE:
        return states->conditions + event->object;
    default:
        return UINT32_MAX;
    }
}

static uint32_t operation_count(const struct past_states *states)
{
    return states->start[states->objects];
}

static void group(struct past_states *states)
{
    const struct history *history = states->history;
    uint32_t *next = NEW_ARRAY(uint32_t, (size_t)states->objects + 2);
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t object = object_of(states, &history->events[history->syncs[i]]);
        if (object != UINT32_MAX)
            next[object + 2]++;
    }
    for (uint32_t object = 0; object < states->objects; object++)
        next[object + 2] += next[object + 1];
    states->operations = memory_alloc(next[states->objects + 1], sizeof *states->operations);
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t object = object_of(states, &history->events[history->syncs[i]]);
        if (object != UINT32_MAX)
            states->operations[next[object + 1]++] = history->syncs[i];
    }
    states->start = next;
}

static void keep_condition(struct past_states *states, uint32_t object)
{
    struct condition now = {0};
    for (uint32_t i = states->start[object]; i < states->start[object + 1]; i++) {
        if (i % APART == 0)
            condition_copy(&states->kept[i / APART], &now);
        condition_step(&now, &states->history->events[states->operations[i]]);
    }
    condition_free(&now);
}

static void keep_counts(struct past_states *states, uint32_t object)
{
    uint32_t count = trace_semaphore_initial(states->history->trace, object - states->conditions);
    for (uint32_t i = states->start[object]; i < states->start[object + 1]; i++) {
        const struct event *event = &states->history->events[states->operations[i]];
        states->counts[i] = count;
        if (event->op == EVENT_POST)
            count++;
        else if (!(event->flags & EVENT_FAILED))
            count--;
    }
}

struct past_states *past_states_create(const struct history *history)
{
    struct past_states *states = NEW(struct past_states);
    states->history = history;
    states->conditions = trace_count(history->trace, CLASS_CONDITION);
    states->objects = states->conditions + trace_count(history->trace, CLASS_SEMAPHORE);
    group(states);
    states->counts = NEW_ARRAY(uint32_t, operation_count(states));
    states->kept = NEW_ARRAY(struct condition, operation_count(states) / APART + 1);
    for (uint32_t object = 0; object < states->objects; object++)
        if (object < states->conditions)
            keep_condition(states, object);
        else
            keep_counts(states, object);
    return states;
}

void past_states_destroy(struct past_states *states)
{
    if (!states)
        return;
    for (uint32_t i = 0; i <= operation_count(states) / APART; i++)
        condition_free(&states->kept[i]);
    free(states->start);
    free(states->operations);
    free(states->counts);
    free(states->kept);
    free(states);
}

/* The object's first operation at or after `pos`. */
static uint32_t operation_from(const struct past_states *states, uint32_t object, uint32_t pos)
{
    return SORTED_POINT(middle, states->start[object], states->start[object + 1],
                        states->operations[middle] < pos);
}

void past_states_condition(const struct past_states *states, uint32_t id, uint32_t pos,
                           struct condition *to)
{
    uint32_t end = operation_from(states, id, pos), from = states->start[id];
    if (end > from && (end - 1) / APART * APART >= from) {
        from = (end - 1) / APART * APART;
        condition_copy(to, &states->kept[from / APART]);
    }
    for (uint32_t i = from; i < end; i++)
        condition_step(to, &states->history->events[states->operations[i]]);
}

uint32_t past_states_count(const struct past_states *states, uint32_t id, uint32_t pos)
{
    uint32_t object = states->conditions + id, from = operation_from(states, object, pos);
    if (from < states->start[object + 1])
        return states->counts[from];
    if (from == states->start[object])
        return trace_semaphore_initial(states->history->trace, id);
    const struct event *last = &states->history->events[states->operations[from - 1]];
    return states->counts[from - 1] + (last->op == EVENT_POST) -
           (last->op == EVENT_SEM_WAIT && !(last->flags & EVENT_FAILED));
}

const uint32_t *past_states_operations(const struct past_states *states, const struct event *event,
                                       uint32_t pos, uint32_t *count)
{
    uint32_t object = object_of(states, event);
    if (object == UINT32_MAX)
        return NULL;
    *count = operation_from(states, object, pos) - states->start[object];
    return states->operations + states->start[object];
}
