/* SPDX-License-Identifier: MIT */
/* Writes before the reads that saw them (ORDER_READS).
 *
 * The clock of a write is that of its thread, which changes but in the thread's own
 * entry only when the thread sees another: the writes in between share one copy, and
 * a variable has only a reference to it and the write's own tick. A reader that has
 * seen the tick has seen the rest with it. */
#include "model/order_state.h"

static void drop(struct order *order, uint32_t snapshot_plus_one)
{
    if (!snapshot_plus_one)
        return;
    struct snapshot *snapshot = &order->snapshots.items[snapshot_plus_one - 1];
    if (!--snapshot->references)
        array_push(&order->free_snapshots, snapshot_plus_one);
}

void order_forget_snapshot(struct order *order, uint32_t thread)
{
    if (thread >= order->current_snapshot.count)
        return;
    drop(order, order->current_snapshot.items[thread]);
    order->current_snapshot.items[thread] = 0;
}

/* The copy of the thread's clock as it is now. */
static uint32_t current(struct order *order, uint32_t thread, const struct vclock *clock)
{
    array_grow(&order->current_snapshot, thread + 1);
    uint32_t *known = &order->current_snapshot.items[thread];
    if (*known)
        return *known;
    if (order->free_snapshots.count) {
        *known = array_pop(&order->free_snapshots);
    } else {
        array_push(&order->snapshots, (struct snapshot){0});
        *known = (uint32_t)order->snapshots.count;
    }
    struct snapshot *snapshot = &order->snapshots.items[*known - 1];
    vclock_copy(&snapshot->clock, clock);
    snapshot->references = 1;
    return *known;
}

void order_read(struct order *order, const struct event *event, struct vclock *clock)
{
    const struct last_write *write = paged_reach(&order->writes, event->object);
    if (!write->snapshot_plus_one || vclock_saw(clock, write->when))
        return;
    struct vclock *then = &order->snapshots.items[write->snapshot_plus_one - 1].clock;
    vclock_set(then, write->when.thread, write->when.tick);
    order_see(order, event->thread, clock, then);
}

void order_write(struct order *order, const struct event *event, const struct vclock *clock)
{
    struct last_write *write = paged_reach(&order->writes, event->object);
    uint32_t before = write->snapshot_plus_one;
    write->snapshot_plus_one = current(order, event->thread, clock);
    write->when = (struct epoch){event->thread, vclock_get(clock, event->thread)};
    order->snapshots.items[write->snapshot_plus_one - 1].references++;
    drop(order, before);
    order_tick(order, event->thread);
}

void order_free_writes(struct order *order)
{
    for (size_t i = 0; i < order->snapshots.count; i++)
        vclock_free(&order->snapshots.items[i].clock);
    array_free(&order->snapshots);
    array_free(&order->free_snapshots);
    array_free(&order->current_snapshot);
    paged_free(&order->writes);
}
