/* SPDX-License-Identifier: MIT */
#include "model/order_state.h"

/* A thread that is never forked may begin anywhere, and has seen nothing then. In
 * this many events all that there are have begun, we take it. */
#define SETTLED 4096

struct order *order_create(unsigned flags)
{
    struct order *order = NEW(struct order);
    order->flags = flags;
    return order;
}

static void free_clocks(struct clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        vclock_free(&clocks->items[i]);
    array_free(clocks);
}

void order_destroy(struct order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->locks.count; i++) {
        vclock_free(&order->locks.items[i].written);
        vclock_free(&order->locks.items[i].shared);
        vclock_free(&order->locks.items[i].readers);
    }
    for (size_t i = 0; i < order->conditions.count; i++) {
        for (size_t k = 0; k < order->conditions.items[i].count; k++)
            vclock_free(&order->conditions.items[i].items[k].signals);
        array_free(&order->conditions.items[i]);
    }
    for (size_t i = 0; i < order->fences.count; i++) {
        vclock_free(&order->fences.items[i].released);
        vclock_free(&order->fences.items[i].to_acquire);
    }
    for (size_t i = 0; i < order->holds.count; i++) {
        for (size_t k = 0; k < order->holds.items[i].capacity; k++)
            vclock_free(&order->holds.items[i].items[k].then);
        free(order->holds.items[i].items);
    }
    array_free(&order->holds);
    array_free(&order->locks);
    array_free(&order->conditions);
    array_free(&order->fences);
    array_free(&order->barriers);
    free_clocks(&order->threads);
    free_clocks(&order->instances);
    free_clocks(&order->posts);
    free_clocks(&order->takes);
    free_clocks(&order->onces);
    free_clocks(&order->atomics);
    order_free_writes(order);
    vclock_free(&order->seen.least);
    vclock_free(&order->seen.ended);
    free(order->joined);
    free(order);
}

static struct vclock *thread_clock(struct order *order, uint32_t thread)
{
    struct vclock *clock = order_at(&order->threads, thread);
    if (!vclock_get(clock, thread)) {
        vclock_set(clock, thread, 1);
        order->seen.outdated = true;
    }
    return clock;
}

/* A forked thread begins with what its parent has seen. */
static void begin_forked(struct order *order, uint32_t thread)
{
    vclock_set(order_at(&order->threads, thread), thread, 1);
}

const struct vclock *order_clock(struct order *order, uint32_t thread)
{
    return thread_clock(order, thread);
}

/* A plain access of a variable that has not been used atomically. */
static bool orders_nothing(const struct order *order, const struct event *event)
{
    return !(order->flags & ORDER_READS) &&
           (event->op == EVENT_READ ||
            (event->op == EVENT_WRITE && event->object >= order->atomics.count));
}

/* A trace that somebody wrote may join a thread twice; a program does not, and only programs have
 * more threads than these. */
enum { JOINED_KEPT = 1024 };

static void forget(struct order *order, uint32_t thread)
{
    if (order->threads.count <= JOINED_KEPT)
        return;
    order_forget_snapshot(order, thread);
    vclock_free(&order->threads.items[thread]);
}

/* What it knew is known to who joined it: of many threads that have ended no clock is kept. */
static void join_thread(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *joined = &order->threads.items[event->object];
    order_see(order, event->thread, clock, joined);
    forget(order, event->object);
}

void order_know(struct order *order, const struct history *history)
{
    order->history = history;
    order->joined = NEW_ARRAY(bool, history->threads);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (history->events[pos].op == EVENT_JOIN)
            order->joined[history->events[pos].object] = true;
}

void order_passed(struct order *order, uint32_t pos)
{
    const struct history *history = order->history;
    uint32_t thread = history->events[pos].thread;
    if (order->joined[thread] || thread >= order->threads.count ||
        history->index[pos] + 1 < history_thread_length(history, thread))
        return;
    forget(order, thread);
    vclock_set(&order->seen.ended, thread, 1);
}

void order_step(struct order *order, const struct event *event)
{
    order->seen.events += order->seen.events < SETTLED;
    if (event->op == EVENT_FORK)
        begin_forked(order, event->object); /* may move the clocks: before we point at one */
    struct vclock *clock = thread_clock(order, event->thread);
    if (orders_nothing(order, event))
        return; /* nearly every event */
    switch (event->op) {
    case EVENT_FORK:
        vclock_join(&order->threads.items[event->object], clock);
        order_tick(order, event->thread);
        return;
    case EVENT_JOIN:
        if (event->object < order->threads.count)
            join_thread(order, event, clock);
        vclock_set(&order->seen.ended, event->object, 1);
        return;
    case EVENT_WAIT_BEGIN:
        if (order->flags & ORDER_SIGNALS)
            order_wait_begin(order, event);
        break;
    case EVENT_WAIT_END:
        if (order->flags & ORDER_SIGNALS)
            order_wait_end(order, event, clock);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        if (order->flags & ORDER_SIGNALS)
            order_signal(order, event, clock);
        return;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        if (order->flags & ORDER_SIGNALS)
            order_semaphore(order, event, clock);
        return;
    case EVENT_BARRIER_ENTER:
        order_barrier_enter(order, event, clock);
        return;
    case EVENT_BARRIER_EXIT:
        order_see(order, event->thread, clock, order_at(&order->instances, event->other));
        return;
    case EVENT_ONCE_END:
        vclock_copy(order_at(&order->onces, event->object), clock);
        order_tick(order, event->thread);
        return;
    case EVENT_ONCE_PASS:
        order_see(order, event->thread, clock, order_at(&order->onces, event->object));
        return;
    case EVENT_FENCE:
        order_fence(order, event, clock);
        return;
    default:
        break;
    }
    if (op_in(event->op, OPS_ACCESS))
        order_access(order, event, clock);
    else if (!(order->flags & ORDER_LOCKS))
        return;
    else if (op_in(event->op, OPS_ACQUIRING))
        order_acquire(order, event, clock);
    else if (event_releases(event))
        order_release(order, event, clock);
}

static uint32_t least_seen(const struct order *order, uint32_t thread)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < order->threads.count; i++) {
        if (i == thread || vclock_get(&order->seen.ended, i))
            continue;
        uint32_t seen = vclock_get(&order->threads.items[i], thread);
        least = seen < least ? seen : least;
    }
    return least;
}

/* Clocks only grow, so what was seen by all stays seen by all: an old answer is a
 * right one, and a new one costs the square of the number of threads. */
const struct vclock *order_seen_by_all(struct order *order)
{
    struct seen_by_all *seen = &order->seen;
    size_t threads = order->threads.count;
    if (seen->events < SETTLED)
        return &seen->least;
    if (seen->outdated || ++seen->asked > threads * threads) {
        for (uint32_t i = 0; i < threads; i++)
            vclock_set(&seen->least, i, least_seen(order, i));
        seen->outdated = false;
        seen->asked = 0;
    }
    return &seen->least;
}
