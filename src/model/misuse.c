/* SPDX-License-Identifier: MIT */
#include "model/misuse.h"

#include "base/memory.h"

#include <stdlib.h>

/* A destroy that was refused, or that is none: the lock's memory is freed or initialised anew. */
#define NOT_ITS_OWN (EVENT_FAILED | EVENT_IMPLIED)

static bool uses_lock(const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING | OPS_RELEASING);
}

/* Forgets the locks that are misused in the recorded run. */
static void drop_misused(struct misuse_index *index)
{
    const struct history *history = index->history;
    uint32_t *holders = NEW_ARRAY(uint32_t, index->locks);
    bool *destroyed = NEW_ARRAY(bool, index->locks);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_MISUSE) && event_object_class(event->op) == CLASS_LOCK) {
            bool fine = event->op == EVENT_DESTROY && !(event->flags & NOT_ITS_OWN) &&
                        !holders[event->object] && !destroyed[event->object];
            if (!fine)
                index->destroy[event->object] = POS_NONE;
            destroyed[event->object] |= event->op == EVENT_DESTROY;
        } else if (uses_lock(event)) {
            uint32_t lock = event_lock(event);
            if (destroyed[lock])
                index->destroy[lock] = POS_NONE;
            holders[lock] += event_acquires(event);
            holders[lock] -= event_releases(event);
        }
    }
    free(holders);
    free(destroyed);
}

/* The destroys of semaphores or of condition variables, without those of objects that are misused
 * in the recorded run; NULL if none is left. */
static uint32_t *find_destroys(const struct history *history, enum event_op op, uint64_t uses)
{
    if (!(history->ops & OP_BIT(op)))
        return NULL;
    uint32_t count = trace_count(history->trace, event_object_class(op));
    uint32_t *destroys = memory_alloc(count, sizeof *destroys);
    bool *misused = NEW_ARRAY(bool, count), any = false;
    for (uint32_t object = 0; object < count; object++)
        destroys[object] = POS_NONE;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, uses | OP_BIT(op)))
            continue;
        misused[event->object] |=
            destroys[event->object] != POS_NONE || (event->op == op && event->flags & NOT_ITS_OWN);
        if (event->op == op)
            destroys[event->object] = pos;
    }
    for (uint32_t object = 0; object < count; object++) {
        if (misused[object])
            destroys[object] = POS_NONE;
        any |= destroys[object] != POS_NONE;
    }
    free(misused);
    if (any)
        return destroys;
    free(destroys);
    return NULL;
}

struct misuse_index *misuse_index_create(const struct history *history)
{
    struct misuse_index *index = NEW(struct misuse_index);
    index->history = history;
    index->locks = trace_count(history->trace, CLASS_LOCK);
    index->destroy = memory_alloc(index->locks, sizeof *index->destroy);
    for (uint32_t lock = 0; lock < index->locks; lock++)
        index->destroy[lock] = POS_NONE;
    index->semaphore_destroy = find_destroys(history, EVENT_SEMAPHORE_DESTROY, OPS_SEMAPHORE_USES);
    index->condition_destroy = find_destroys(history, EVENT_CONDITION_DESTROY,
                                             OPS_CONDITION_USES | OP_BIT(EVENT_WAIT_BEGIN));
    index->any = index->semaphore_destroy || index->condition_destroy;
    if (!(history->ops & OP_BIT(EVENT_DESTROY)))
        return index;
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (history->events[pos].op == EVENT_DESTROY)
            index->destroy[history->events[pos].object] = pos;
    drop_misused(index);
    for (uint32_t lock = 0; lock < index->locks; lock++)
        index->any |= index->destroy[lock] != POS_NONE;
    return index;
}

void misuse_index_destroy(struct misuse_index *index)
{
    if (!index)
        return;
    free(index->destroy);
    free(index->semaphore_destroy);
    free(index->condition_destroy);
    free(index);
}

uint32_t misuse_destroy_of_used(const struct misuse_index *index, const struct event *event)
{
    if (op_in(event->op, OPS_ACQUIRING))
        return index->destroy[event_lock(event)];
    if (op_in(event->op, OPS_SEMAPHORE_USES) && index->semaphore_destroy)
        return index->semaphore_destroy[event->object];
    if (op_in(event->op, OPS_CONDITION_USES) && index->condition_destroy)
        return index->condition_destroy[event->object];
    return POS_NONE;
}

uint32_t misuse_holding(const struct history *history, uint32_t thread, uint32_t next,
                        uint32_t lock)
{
    while (next-- > 0) {
        uint32_t pos = history_pos(history, thread, next);
        const struct event *event = &history->events[pos];
        if (uses_lock(event) && event_lock(event) == lock) {
            if (event_acquires(event))
                return pos;
            if (event_releases(event))
                return POS_NONE;
        }
    }
    return POS_NONE;
}

static bool holds_since(const struct misuse_index *index, const struct machine *machine,
                        uint32_t acquire)
{
    const struct history *history = index->history;
    const struct event *event = &history->events[acquire];
    if (!event_acquires(event) || !machine_holds(machine, event->thread, event_lock(event)))
        return false;
    uint32_t next = machine_next(machine, event->thread);
    uint32_t done =
        next == POS_NONE ? history_thread_length(history, event->thread) : history->index[next];
    return misuse_holding(history, event->thread, done, event_lock(event)) == acquire;
}

enum misuse misuse_between(const struct misuse_index *index, const struct machine *machine,
                           uint32_t partner, uint32_t pos)
{
    const struct event *event = &index->history->events[pos];
    const struct event *other = &index->history->events[partner];
    if (!machine_executed(machine, partner) || other->thread == event->thread)
        return MISUSE_NONE;
    if (event->op == EVENT_DESTROY)
        return index->destroy[event->object] == pos && event_acquires(other) &&
                       event_lock(other) == event->object && holds_since(index, machine, partner)
                   ? MISUSE_DESTROY_HELD
                   : MISUSE_NONE;
    return misuse_destroy_of_used(index, event) == partner ? MISUSE_USE_DESTROYED : MISUSE_NONE;
}

static enum misuse destroy_at(const struct misuse_index *index, const struct machine *machine,
                              uint32_t pos, uint32_t *partner)
{
    const struct history *history = index->history;
    uint32_t lock = history->events[pos].object;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        if (thread == history->events[pos].thread || !machine_holds(machine, thread, lock))
            continue;
        uint32_t next = machine_next(machine, thread);
        uint32_t done =
            next == POS_NONE ? history_thread_length(history, thread) : history->index[next];
        *partner = misuse_holding(history, thread, done, lock);
        return MISUSE_DESTROY_HELD;
    }
    return MISUSE_NONE;
}

enum misuse misuse_at(const struct misuse_index *index, const struct machine *machine, uint32_t pos,
                      uint32_t *partner)
{
    const struct event *event = &index->history->events[pos];
    if (event->op == EVENT_DESTROY)
        return index->destroy[event->object] == pos ? destroy_at(index, machine, pos, partner)
                                                    : MISUSE_NONE;
    *partner = misuse_destroy_of_used(index, event);
    return *partner != POS_NONE && *partner != pos && machine_executed(machine, *partner)
               ? MISUSE_USE_DESTROYED
               : MISUSE_NONE;
}
