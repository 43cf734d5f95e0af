/* SPDX-License-Identifier: MIT */
/* Atomics and fences by the C11 rules or as locks. */
#include "model/order_state.h"

static bool acquires_memory(const struct order *order, const struct event *event)
{
    if (!(order->flags & ORDER_C11))
        return true;
    return event->order != ORDER_RELAXED && event->order != ORDER_RELEASE;
}

static bool releases_memory(const struct order *order, const struct event *event)
{
    return !(order->flags & ORDER_C11) || event->order >= ORDER_RELEASE;
}

static struct fence_clocks *fences_of(struct order *order, uint32_t thread)
{
    array_grow(&order->fences, thread + 1);
    return &order->fences.items[thread];
}

static void atomic_load(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *seen = order_at(&order->atomics, event->object);
    if (event->op == EVENT_ATOMIC_LOOK && !(order->flags & (ORDER_C11 | ORDER_LOCKS)))
        return; /* in every reordering, it may see anything */
    if (order->flags & ORDER_VALUES && event->op == EVENT_ATOMIC_LOAD &&
        event->flags & EVENT_HAS_VALUE)
        return;
    if (acquires_memory(order, event))
        order_see(order, event->thread, clock, seen);
    else
        vclock_join(&fences_of(order, event->thread)->to_acquire, seen);
}

/* A store begins a new release sequence; a read-modify-write continues it. */
static void atomic_store(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *seen = order_at(&order->atomics, event->object);
    bool continues = event->op == EVENT_ATOMIC_RMW && order->flags & ORDER_C11;
    if (!continues)
        vclock_clear(seen);
    if (releases_memory(order, event)) {
        vclock_join(seen, clock);
        order_tick(order, event->thread);
    } else {
        struct fence_clocks *fences = fences_of(order, event->thread);
        if (fences->has_released)
            vclock_join(seen, &fences->released);
    }
}

void order_fence(struct order *order, const struct event *event, struct vclock *clock)
{
    if (!(order->flags & ORDER_C11))
        return;
    struct fence_clocks *fences = fences_of(order, event->thread);
    if (acquires_memory(order, event))
        order_see(order, event->thread, clock, &fences->to_acquire);
    if (releases_memory(order, event)) {
        vclock_copy(&fences->released, clock);
        fences->has_released = true;
        order_tick(order, event->thread);
    }
}

void order_access(struct order *order, const struct event *event, struct vclock *clock)
{
    /* Without C11 orders, an atomic load that saw a plain write is ordered by it. */
    bool plain_store = event->op == EVENT_WRITE && event->object < order->atomics.count;
    if (op_in(event->op, OPS_ATOMIC)) {
        if (event_reads(event))
            atomic_load(order, event, clock);
        if (event_writes(event))
            atomic_store(order, event, clock);
    } else if (plain_store) {
        struct vclock *seen = order_at(&order->atomics, event->object);
        vclock_clear(seen);
        if (!(order->flags & ORDER_C11)) {
            vclock_copy(seen, clock);
            order_tick(order, event->thread);
        }
    }
    if (!(order->flags & ORDER_READS))
        return;
    /* What an atomic saw orders as much as its memory order says, and no more. */
    bool atomic = op_in(event->op, OPS_ATOMIC) && order->flags & ORDER_C11;
    if (event_reads(event) && !atomic)
        order_read(order, event, clock);
    if (event_writes(event))
        order_write(order, event, clock);
}
