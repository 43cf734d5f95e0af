/* SPDX-License-Identifier: MIT */
#include "deadlock/stuck_counts.h"

#include "base/sorted.h"
#include "model/blocking.h"

static struct usage *usage_at(struct stuck_counts *counts, const struct event *event)
{
    bool condition = event_object_class(event->op) == CLASS_CONDITION;
    bool added;
    uint64_t *number = map_at(&counts->usage_of,
                              blocking_help_key(condition, event->object, event->thread), &added);
    if (added) {
        array_grow(&counts->usage, counts->usage.count + 1);
        *number = counts->usage.count;
    }
    return &counts->usage.items[*number - 1];
}

const struct usage *stuck_counts_of(const struct stuck_counts *counts, bool condition,
                                    uint32_t object, uint32_t thread)
{
    const uint64_t *number =
        map_find(&counts->usage_of, blocking_help_key(condition, object, thread));
    return number ? &counts->usage.items[*number - 1] : NULL;
}

static void note(struct stuck_counts *counts, uint32_t pos)
{
    const struct event *event = &counts->history->events[pos];
    uint32_t index = counts->history->index[pos];
    switch (event->op) {
    case EVENT_POST:
        counts->left[event->object]++;
        array_push(&usage_at(counts, event)->gives, index);
        break;
    case EVENT_SEM_WAIT:
        if (event->flags & EVENT_FAILED)
            break;
        counts->left[event->object]--;
        array_push(&usage_at(counts, event)->takes, index);
        break;
    case EVENT_SIGNAL:
        array_push(&usage_at(counts, event)->gives, index);
        break;
    case EVENT_BROADCAST:
        array_push(&usage_at(counts, event)->broadcasts, index);
        break;
    case EVENT_WAIT_BEGIN:
        array_push(&usage_at(counts, event)->takes, index);
        break;
    default:
        break;
    }
}

struct stuck_counts *stuck_counts_create(const struct history *history)
{
    struct stuck_counts *counts = NEW(struct stuck_counts);
    uint32_t semaphores = trace_count(history->trace, CLASS_SEMAPHORE);
    counts->history = history;
    counts->left = NEW_ARRAY(int64_t, semaphores);
    for (uint32_t i = 0; i < semaphores; i++)
        counts->left[i] = trace_semaphore_initial(history->trace, i);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_SYNC))
            note(counts, pos);
    return counts;
}

void stuck_counts_destroy(struct stuck_counts *counts)
{
    if (!counts)
        return;
    for (size_t i = 0; i < counts->usage.count; i++) {
        array_free(&counts->usage.items[i].gives);
        array_free(&counts->usage.items[i].takes);
        array_free(&counts->usage.items[i].broadcasts);
    }
    array_free(&counts->usage);
    map_free(&counts->usage_of);
    free(counts->left);
    free(counts);
}

uint32_t indices_below(const struct indices *indices, uint32_t limit)
{
    return SORTED_POINT(middle, 0, (uint32_t)indices->count, indices->items[middle] < limit);
}

int64_t stuck_counts_owed(const struct stuck_counts *counts, uint32_t semaphore, uint32_t thread,
                          uint32_t index)
{
    const struct usage *usage = stuck_counts_of(counts, false, semaphore, thread);
    if (!usage)
        return 0;
    return (int64_t)(usage->gives.count - indices_below(&usage->gives, index)) -
           (int64_t)(usage->takes.count - indices_below(&usage->takes, index));
}
