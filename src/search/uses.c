/* SPDX-License-Identifier: MIT */
#include "search/uses.h"

#include "base/sorted.h"
#include "base/memory.h"

#include <stdlib.h>

struct use {
    uint32_t object, thread, number;
};

void uses_objects(const struct uses *uses, const struct event *event, uint32_t objects[2])
{
    objects[0] = objects[1] = OBJECT_NONE;
    if (op_in(event->op, OPS_ACCESS)) {
        if (uses->kept[event->object])
            objects[0] = uses->variables + event->object;
        return;
    }
    if (op_in(event->op, OPS_ACQUIRING) || event_releases(event))
        objects[0] = event_lock(event);
    if (event_object_class(event->op) == CLASS_CONDITION)
        objects[1] = uses->conditions + event->object;
    else if (event->op == EVENT_POST || event->op == EVENT_SEM_WAIT)
        objects[1] = uses->semaphores + event->object;
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* A failed one is eager to be executed, but who frees or takes the object may be too soon. */
static bool fails(const struct event *event)
{
    return event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END &&
           (op_in(event->op, OPS_ACQUIRING) || event->op == EVENT_SEM_WAIT);
}

static size_t collect(struct uses *uses, const struct search_index *index, struct use *list)
{
    const struct history *history = index->history;
    size_t count = 0;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        uint32_t objects[2];
        uses_objects(uses, event, objects);
        for (int i = 0; i < 2; i++) {
            if (objects[i] == OBJECT_NONE || (i == 0 && event_releases(event)))
                continue; /* a release changes nothing for who may acquire, but frees */
            if (list)
                list[count] = (struct use){objects[i], event->thread, history->index[pos]};
            if (fails(event))
                uses->tried[objects[i]] = true;
            count++;
        }
    }
    return count;
}

static void group(struct uses *uses, const struct use *list, size_t count)
{
    uint32_t users = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || list[i].object != list[i - 1].object ||
            list[i].thread != list[i - 1].thread) {
            uses->users[users++] = (struct object_user){list[i].thread, (uint32_t)i, (uint32_t)i};
            uses->start[list[i].object + 1]++;
        }
        uses->users[users - 1].end++;
        uses->items[i] = list[i].number;
    }
    for (uint32_t object = 0; object < uses->count; object++)
        uses->start[object + 1] += uses->start[object];
}

void uses_create(struct uses *uses, const struct search_index *index)
{
    const struct history *history = index->history;
    const struct trace *trace = history->trace;
    uses->conditions = trace_count(trace, CLASS_LOCK);
    uses->semaphores = uses->conditions + trace_count(trace, CLASS_CONDITION);
    uses->variables = uses->semaphores + trace_count(trace, CLASS_SEMAPHORE);
    uses->count = uses->variables + trace_count(trace, CLASS_VARIABLE);
    uses->kept = NEW_ARRAY(bool, trace_count(trace, CLASS_VARIABLE));
    uses->tried = NEW_ARRAY(bool, uses->count);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (index_keep(index, pos) != KEEP_NOT)
            uses->kept[history->events[pos].object] = true;
    size_t count = collect(uses, index, NULL);
    struct use *list = memory_alloc(count, sizeof *list);
    collect(uses, index, list);
    if (count)
        qsort(list, count, sizeof *list, compare_uses);
    uses->start = NEW_ARRAY(uint32_t, (size_t)uses->count + 1);
    uses->users = memory_alloc(count, sizeof *uses->users);
    uses->items = memory_alloc(count, sizeof *uses->items);
    group(uses, list, count);
    free(list);
}

void uses_free(struct uses *uses)
{
    free(uses->start);
    free(uses->users);
    free(uses->items);
    free(uses->tried);
    free(uses->kept);
    *uses = (struct uses){0};
}

bool uses_between(const struct uses *uses, const struct object_user *user, uint32_t from,
                  uint32_t to)
{
    uint32_t low = SORTED_POINT(middle, user->begin, user->end, uses->items[middle] < from);
    return low < user->end && uses->items[low] < to;
}
