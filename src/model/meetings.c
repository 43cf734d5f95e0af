/* SPDX-License-Identifier: MIT */
#include "model/meetings.h"

#include "base/array.h"

struct clocks ARRAY_OF(struct vclock);

struct waiter {
    uint32_t thread;
    struct vclock signals;
};

struct waiters ARRAY_OF(struct waiter);

struct barrier_use {
    uint32_t instance_plus_one, before_plus_one;
};

struct meetings {
    struct clocks instances; /* by barrier instance */
    struct barrier_uses ARRAY_OF(struct barrier_use) barriers;
    struct clocks posts, takes; /* by semaphore */
    struct clocks onces;
    struct conditions ARRAY_OF(struct waiters) conditions;
};

struct meetings *meetings_create(void)
{
    return NEW(struct meetings);
}

static void free_clocks(struct clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        vclock_free(&clocks->items[i]);
    array_free(clocks);
}

void meetings_destroy(struct meetings *meetings)
{
    if (!meetings)
        return;
    for (size_t i = 0; i < meetings->conditions.count; i++) {
        struct waiters *waiters = &meetings->conditions.items[i];
        for (size_t k = 0; k < waiters->count; k++)
            vclock_free(&waiters->items[k].signals);
        array_free(waiters);
    }
    array_free(&meetings->conditions);
    array_free(&meetings->barriers);
    free_clocks(&meetings->instances);
    free_clocks(&meetings->posts);
    free_clocks(&meetings->takes);
    free_clocks(&meetings->onces);
    free(meetings);
}

static struct vclock *at(struct clocks *clocks, uint32_t id)
{
    array_grow(clocks, id + 1);
    return &clocks->items[id];
}

static struct waiters *waiters_at(struct meetings *meetings, uint32_t condition)
{
    array_grow(&meetings->conditions, condition + 1);
    return &meetings->conditions.items[condition];
}

/* The instance before the one that the thread enters, if there was any. */
static uint32_t instance_before_plus_one(struct meetings *meetings, const struct event *event)
{
    array_grow(&meetings->barriers, event->object + 1);
    struct barrier_use *use = &meetings->barriers.items[event->object];
    if (use->instance_plus_one != event->other + 1) {
        use->before_plus_one = use->instance_plus_one;
        use->instance_plus_one = event->other + 1;
    }
    return use->before_plus_one;
}

static bool wake(struct waiters *waiters, const struct event *event, struct vclock *clock)
{
    for (size_t i = 0; i < waiters->count; i++) {
        struct waiter *waiter = &waiters->items[i];
        if (waiter->thread != event->thread)
            continue;
        bool grew = !(event->flags & EVENT_FAILED) && vclock_join(clock, &waiter->signals);
        vclock_free(&waiter->signals);
        *waiter = array_pop(waiters);
        return grew;
    }
    return false;
}

bool meetings_arrive(struct meetings *meetings, const struct event *event, struct vclock *clock)
{
    switch (event->op) {
    case EVENT_BARRIER_ENTER: {
        uint32_t before = instance_before_plus_one(meetings, event);
        return before && vclock_join(clock, at(&meetings->instances, before - 1));
    }
    case EVENT_BARRIER_EXIT:
        return vclock_join(clock, at(&meetings->instances, event->other));
    case EVENT_SEM_WAIT:
        return vclock_join(clock, event->flags & EVENT_FAILED
                                      ? at(&meetings->takes, event->object)
                                      : at(&meetings->posts, event->object));
    case EVENT_WAIT_END:
        return wake(waiters_at(meetings, event->object), event, clock);
    case EVENT_ONCE_PASS:
        return vclock_join(clock, at(&meetings->onces, event->object));
    default:
        return false;
    }
}

bool meetings_leave(struct meetings *meetings, const struct event *event,
                    const struct vclock *clock)
{
    switch (event->op) {
    case EVENT_BARRIER_ENTER:
        vclock_join(at(&meetings->instances, event->other), clock);
        return true;
    case EVENT_POST:
        vclock_join(at(&meetings->posts, event->object), clock);
        return true;
    case EVENT_SEM_WAIT:
        if (event->flags & EVENT_FAILED)
            return false;
        vclock_join(at(&meetings->takes, event->object), clock);
        return true;
    case EVENT_WAIT_BEGIN: {
        struct waiter waiter = {.thread = event->thread};
        array_push(waiters_at(meetings, event->object), waiter);
        return false;
    }
    case EVENT_SIGNAL:
    case EVENT_BROADCAST: {
        struct waiters *waiters = waiters_at(meetings, event->object);
        for (size_t i = 0; i < waiters->count; i++)
            vclock_join(&waiters->items[i].signals, clock);
        return true;
    }
    case EVENT_ONCE_END:
        vclock_copy(at(&meetings->onces, event->object), clock);
        return true;
    default:
        return false;
    }
}
