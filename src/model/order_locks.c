/* SPDX-License-Identifier: MIT */
/* Locks: an acquire comes after the releases before it; a try that fails comes after the
 * acquire that made it fail. */
#include "model/order_state.h"

static struct lock_clocks *lock_at(struct order *order, uint32_t lock)
{
    array_grow(&order->locks, lock + 1);
    return &order->locks.items[lock];
}

/* The thread's clock grows: from now on it is not what it was at its acquires. */
static void keep_acquires(struct order *order, uint32_t thread)
{
    struct holds *holds = &order->holds.items[thread];
    for (size_t i = 0; i < holds->count; i++) {
        struct hold *hold = &holds->items[i];
        if (hold->copied)
            continue;
        vclock_copy(&hold->then, &order->threads.items[thread]);
        vclock_set(&hold->then, thread, hold->tick);
        hold->copied = true;
    }
    holds->uncopied = 0;
}

void order_see(struct order *order, uint32_t thread, struct vclock *clock,
               const struct vclock *other)
{
    if (thread < order->holds.count && order->holds.items[thread].uncopied &&
        !vclock_covers(clock, other))
        keep_acquires(order, thread);
    if (vclock_join(clock, other))
        order_forget_snapshot(order, thread);
}

static void hold(struct order *order, uint32_t thread, uint32_t lock)
{
    array_grow(&order->holds, thread + 1);
    struct holds *holds = &order->holds.items[thread];
    size_t before = holds->capacity;
    array_reserve(holds, holds->count + 1);
    if (before < holds->capacity)
        memset(holds->items + before, 0, (holds->capacity - before) * sizeof *holds->items);
    struct hold *hold = &holds->items[holds->count++];
    hold->lock = lock;
    hold->tick = order->threads.items[thread].ticks[thread];
    hold->copied = false;
    holds->uncopied++;
    order_tick(order, thread); /* what follows is not seen by who sees the acquire */
}

static struct hold *hold_of(const struct order *order, uint32_t thread, uint32_t lock)
{
    if (thread >= order->holds.count)
        return NULL;
    const struct holds *holds = &order->holds.items[thread];
    for (size_t i = holds->count; i-- > 0;)
        if (holds->items[i].lock == lock)
            return &holds->items[i];
    return NULL;
}

static void let_go(struct order *order, uint32_t thread, uint32_t lock)
{
    struct hold *hold = hold_of(order, thread, lock);
    if (!hold)
        return;
    struct holds *holds = &order->holds.items[thread];
    struct hold last = holds->items[--holds->count], gone = *hold;
    holds->uncopied -= !gone.copied;
    *hold = last; /* swapped, not dropped: its clock's memory stays */
    holds->items[holds->count] = gone;
}

/* A try failed because of a holder: its acquire came before. */
static void see_holder(struct order *order, uint32_t holder, uint32_t lock, uint32_t thread,
                       struct vclock *clock)
{
    const struct hold *hold = hold_of(order, holder, lock);
    if (!hold)
        return;
    if (hold->copied) {
        order_see(order, thread, clock, &hold->then);
        return;
    }
    struct vclock *now = &order->threads.items[holder];
    uint32_t own = vclock_get(now, holder);
    vclock_set(now, holder, hold->tick);
    order_see(order, thread, clock, now);
    vclock_set(now, holder, own);
}

static void acquire_failed(struct order *order, const struct event *event, struct vclock *clock)
{
    const struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (lock->owner_plus_one)
        see_holder(order, lock->owner_plus_one - 1, event_lock(event), event->thread, clock);
    for (uint32_t reader = 0; reader < lock->readers.size; reader++)
        if (lock->readers.ticks[reader])
            see_holder(order, reader, event_lock(event), event->thread, clock);
}

void order_acquire(struct order *order, const struct event *event, struct vclock *clock)
{
    struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END) {
        acquire_failed(order, event, clock);
        return;
    }
    order_see(order, event->thread, clock, &lock->written);
    if (event->op == EVENT_ACQUIRE_READ) {
        vclock_set(&lock->readers, event->thread, 1);
    } else {
        order_see(order, event->thread, clock, &lock->shared);
        lock->owner_plus_one = event->thread + 1;
    }
    hold(order, event->thread, event_lock(event));
}

void order_release(struct order *order, const struct event *event, const struct vclock *clock)
{
    struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (event->op == EVENT_RELEASE_READ) {
        vclock_join(&lock->shared, clock);
        vclock_set(&lock->readers, event->thread, 0);
    } else {
        vclock_copy(&lock->written, clock);
        vclock_clear(&lock->shared); /* the new owner had seen the readers */
        lock->owner_plus_one = 0;
    }
    let_go(order, event->thread, event_lock(event));
    order_tick(order, event->thread);
}
