/* SPDX-License-Identifier: MIT */
/* Condition variables, semaphores and barriers. */
#include "model/order_state.h"

static struct waiters *waiters_at(struct order *order, uint32_t condition)
{
    array_grow(&order->conditions, condition + 1);
    return &order->conditions.items[condition];
}

void order_signal(struct order *order, const struct event *event, const struct vclock *clock)
{
    struct waiters *waiters = waiters_at(order, event->object);
    for (size_t i = 0; i < waiters->count; i++)
        vclock_join(&waiters->items[i].signals, clock);
    order_tick(order, event->thread);
}

void order_wait_begin(struct order *order, const struct event *event)
{
    struct waiters *waiters = waiters_at(order, event->object);
    struct waiter waiter = {.thread = event->thread};
    array_push(waiters, waiter);
}

void order_wait_end(struct order *order, const struct event *event, struct vclock *clock)
{
    struct waiters *waiters = waiters_at(order, event->object);
    for (size_t i = 0; i < waiters->count; i++) {
        struct waiter *waiter = &waiters->items[i];
        if (waiter->thread != event->thread)
            continue;
        if (!(event->flags & EVENT_FAILED))
            order_see(order, event->thread, clock, &waiter->signals);
        vclock_free(&waiter->signals);
        *waiter = array_pop(waiters);
        return;
    }
}

void order_semaphore(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *posts = order_at(&order->posts, event->object);
    struct vclock *takes = order_at(&order->takes, event->object);
    if (event->op == EVENT_POST) {
        vclock_join(posts, clock);
    } else if (event->flags & EVENT_FAILED) {
        order_see(order, event->thread, clock, takes); /* they left nothing */
        return;
    } else {
        order_see(order, event->thread, clock, posts);
        vclock_join(takes, clock);
    }
    order_tick(order, event->thread);
}

/* Who enters an instance of a barrier comes after all who entered the one before. */
void order_barrier_enter(struct order *order, const struct event *event, struct vclock *clock)
{
    array_grow(&order->barriers, event->object + 1);
    struct barrier_use *use = &order->barriers.items[event->object];
    if (use->instance_plus_one != event->other + 1) {
        use->before_plus_one = use->instance_plus_one;
        use->instance_plus_one = event->other + 1;
    }
    if (use->before_plus_one)
        order_see(order, event->thread, clock,
                  order_at(&order->instances, use->before_plus_one - 1));
    vclock_join(order_at(&order->instances, event->other), clock);
    order_tick(order, event->thread);
}
