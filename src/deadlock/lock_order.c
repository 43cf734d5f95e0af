/* SPDX-License-Identifier: MIT */
#include "deadlock/lock_order.h"

#include "model/semaphore_locks.h"

#include <xxhash.h>

struct lock_order *lock_order_create(void)
{
    struct lock_order *order = NEW(struct lock_order);
    struct lock_set empty = {0};
    array_push(&order->sets, empty);
    return order;
}

/* Who is joined by a thread that holds something, be it only its own end. */
static bool *find_ends(const struct history *history, const bool *semaphores)
{
    bool *ends = NEW_ARRAY(bool, history->threads);
    uint32_t *held = NEW_ARRAY(uint32_t, history->threads);
    struct joins ARRAY_OF(uint64_t) joins = {0};
    bool any = false, more = true;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event_acquires(event))
            held[event->thread]++;
        else if (event_releases(event))
            held[event->thread]--;
        else if (event->op == EVENT_SEM_WAIT)
            held[event->thread] +=
                semaphores && semaphores[event->object] && !(event->flags & EVENT_FAILED);
        else if (event->op == EVENT_POST)
            held[event->thread] -= semaphores && semaphores[event->object];
        if (event->op != EVENT_JOIN)
            continue;
        any |= ends[event->object] |= held[event->thread] > 0;
        array_push(&joins, map_pair(event->thread, event->object));
    }
    while (any && more) {
        more = false;
        for (size_t i = 0; i < joins.count; i++) {
            uint32_t joined = (uint32_t)joins.items[i];
            if (ends[joins.items[i] >> 32] && !ends[joined])
                more = ends[joined] = true;
        }
    }
    array_free(&joins);
    free(held);
    if (any)
        return ends;
    free(ends);
    return NULL;
}

struct lock_order *lock_order_create_for(const struct history *history)
{
    struct lock_order *order = lock_order_create();
    order->first_end = trace_count(history->trace, CLASS_LOCK);
    order->semaphores = semaphore_locks(history);
    order->ends = find_ends(history, order->semaphores);
    order->first_semaphore = order->first_end + history->threads;
    if (order->ends || order->semaphores)
        order->lock_limit = order->first_semaphore + trace_count(history->trace, CLASS_SEMAPHORE);
    return order;
}

struct lock_order *lock_order_read(const struct history *history, enum model model)
{
    struct lock_order *order = lock_order_create_for(history);
    struct order *must = order_create(order_must(model));
    order_know(must, history);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        lock_order_step(order, event, pos, must);
        if (op_in(event->op, OPS_SYNC | OP_BIT(EVENT_WRITE)))
            order_step(must, event);
        order_passed(must, pos);
    }
    order_destroy(must);
    return order;
}

void lock_order_forget(struct lock_order *order)
{
    for (size_t i = 0; i < order->dependencies.count; i++) {
        array_free(&order->dependencies.items[i].instances);
        vclock_free(&order->dependencies.items[i].first);
    }
    order->dependencies.count = 0;
    map_clear(&order->dependency_index);
    order->instances = 0;
}

void lock_order_destroy(struct lock_order *order)
{
    if (!order)
        return;
    lock_order_forget(order);
    for (size_t i = 0; i < order->threads.count; i++)
        array_free(&order->threads.items[i].stack);
    free(order->ends);
    free(order->semaphores);
    array_free(&order->threads);
    array_free(&order->sets);
    array_free(&order->set_locks);
    array_free(&order->dependencies);
    map_free(&order->set_index);
    map_free(&order->wanted_index);
    map_free(&order->dependency_index);
    free(order);
}

static int compare_modes(const void *a, const void *b)
{
    const struct lock_mode *x = a, *y = b;
    return (x->lock > y->lock) - (x->lock < y->lock);
}

static bool set_is(const struct lock_order *order, uint32_t set, const struct lock_mode *locks,
                   uint32_t count)
{
    const struct lock_set *known = &order->sets.items[set];
    const struct lock_mode *items = &order->set_locks.items[known->begin];
    if (known->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].lock != locks[i].lock || items[i].shared != locks[i].shared)
            return false;
    return true;
}

/* The id of the set of locks on a thread's stack. */
static uint32_t set_of(struct lock_order *order, const struct thread_locks *thread)
{
    uint32_t count = (uint32_t)thread->stack.count;
    uint32_t begin = (uint32_t)order->set_locks.count;
    for (uint32_t i = 0; i < count; i++)
        array_push(&order->set_locks, thread->stack.items[i]);
    struct lock_mode *locks = &order->set_locks.items[begin];
    qsort(locks, count, sizeof *locks, compare_modes);
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = map_mix(hash + map_pair(locks[i].shared, locks[i].lock)) * 3;
    for (;; hash++) {
        bool added;
        uint64_t *place = map_at(&order->set_index, hash >> 1, &added);
        if (added) {
            struct lock_set set = {begin, count};
            array_push(&order->sets, set);
            *place = order->sets.count;
            return (uint32_t)order->sets.count - 1;
        }
        if (set_is(order, (uint32_t)*place - 1, locks, count)) {
            order->set_locks.count = begin;
            return (uint32_t)*place - 1;
        }
    }
}

static struct dependency *dependency_at(struct lock_order *order, const struct event *event,
                                        struct lock_mode wanted, uint32_t set)
{
    bool added;
    uint64_t *number =
        map_at(&order->wanted_index, map_pair(set, wanted.lock << 1 | wanted.shared), &added);
    if (added)
        *number = order->wanted_index.count;
    uint32_t who = (uint32_t)*number;
    number =
        map_at(&order->wanted_index,
               map_pair(event->thread, event->location) ^ UINT64_C(0x8000000000000000), &added);
    if (added)
        *number = order->wanted_index.count;
    uint64_t *place = map_at(&order->dependency_index, map_pair(who, (uint32_t)*number), &added);
    if (added) {
        struct dependency dependency = {
            .thread = event->thread,
            .wanted = wanted,
            .held = set,
            .location = event->location,
        };
        array_push(&order->dependencies, dependency);
        *place = order->dependencies.count;
    }
    return &order->dependencies.items[*place - 1];
}

static void on_nested_acquire(struct lock_order *order, struct thread_locks *thread,
                              const struct event *event, struct lock_mode wanted, uint32_t pos,
                              struct order *must)
{
    if (thread->set == NO_SET)
        thread->set = set_of(order, thread);
    struct dependency *dependency = dependency_at(order, event, wanted, thread->set);
    const struct vclock *clock = order_clock(must, event->thread);
    if (!dependency->instances.count)
        vclock_copy(&dependency->first, clock);
    dependency->last_tick = vclock_get(clock, event->thread);
    array_push(&dependency->instances, pos);
    order->instances++;
}

static void drop(struct thread_locks *thread, uint32_t lock)
{
    for (size_t i = thread->stack.count; i-- > 0;) {
        if (thread->stack.items[i].lock != lock)
            continue;
        memmove(&thread->stack.items[i], &thread->stack.items[i + 1],
                (thread->stack.count - i - 1) * sizeof *thread->stack.items);
        thread->stack.count--;
        return;
    }
}

static struct thread_locks *thread_at(struct lock_order *order, uint32_t number)
{
    if (number >= order->threads.count)
        array_grow(&order->threads, number + 1);
    struct thread_locks *thread = &order->threads.items[number];
    if (!thread->begun) {
        thread->begun = true;
        thread->set = NO_SET;
        struct lock_mode end = {order->first_end + number, false};
        if (order->ends && order->ends[number])
            array_push(&thread->stack, end);
    }
    return thread;
}

static void on_join(struct lock_order *order, const struct event *event, uint32_t pos,
                    struct order *must)
{
    struct thread_locks *thread = thread_at(order, event->thread);
    if (!thread->stack.count)
        return;
    order->joins_while_holding = true;
    struct lock_mode end = {order->first_end + event->object, false};
    if (order->ends && order->ends[event->object])
        on_nested_acquire(order, thread, event, end, pos, must);
}

static void on_semaphore(struct lock_order *order, const struct event *event, uint32_t pos,
                         struct order *must)
{
    if (!order->semaphores || !order->semaphores[event->object] || event->flags & EVENT_FAILED)
        return;
    struct thread_locks *thread = thread_at(order, event->thread);
    struct lock_mode mode = {order->first_semaphore + event->object, false};
    if (event->op == EVENT_POST) {
        drop(thread, mode.lock);
    } else {
        if (thread->stack.count && !(event->flags & EVENT_TRY))
            on_nested_acquire(order, thread, event, mode, pos, must);
        array_push(&thread->stack, mode);
    }
    thread->set = NO_SET;
}

void lock_order_step(struct lock_order *order, const struct event *event, uint32_t pos,
                     struct order *must)
{
    if (event->op == EVENT_POST || event->op == EVENT_SEM_WAIT) {
        on_semaphore(order, event, pos, must);
        return;
    }
    if (event->op == EVENT_JOIN) {
        on_join(order, event, pos, must);
        return;
    }
    if (!op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
        return;
    struct thread_locks *thread = thread_at(order, event->thread);
    struct lock_mode mode = {event_lock(event), event->op == EVENT_ACQUIRE_READ};
    if (event_acquires(event)) {
        if (mode.lock >= order->lock_limit)
            order->lock_limit = mode.lock + 1;
        if (thread->stack.count && event_blocks(event))
            on_nested_acquire(order, thread, event, mode, pos, must);
        array_push(&thread->stack, mode);
    } else if (event_releases(event)) {
        drop(thread, mode.lock);
    }
    thread->set = NO_SET;
}

bool dependency_waits(const struct lock_order *order, const struct dependency *waiting,
                      const struct dependency *holding)
{
    const struct lock_set *set = &order->sets.items[holding->held];
    for (uint32_t i = 0; i < set->count; i++)
        if (lock_modes_exclude(order->set_locks.items[set->begin + i], waiting->wanted))
            return true;
    return false;
}

static bool sets_meet(const struct lock_order *order, uint32_t a, uint32_t b)
{
    const struct lock_set *x = &order->sets.items[a], *y = &order->sets.items[b];
    const struct lock_mode *p = &order->set_locks.items[x->begin], *p_end = p + x->count;
    const struct lock_mode *q = &order->set_locks.items[y->begin], *q_end = q + y->count;
    while (p < p_end && q < q_end) {
        if (lock_modes_exclude(*p, *q))
            return false;
        if (p->lock <= q->lock)
            p++;
        else
            q++;
    }
    return true;
}

/* Every instance of `a` is over before the first of `b` can be reached. */
static bool always_before(const struct dependency *a, const struct dependency *b)
{
    return vclock_saw(&b->first, (struct epoch){a->thread, a->last_tick});
}

bool dependencies_meet(const struct lock_order *order, const struct dependency *a,
                       const struct dependency *b)
{
    return a->thread != b->thread && sets_meet(order, a->held, b->held) && !always_before(a, b) &&
           !always_before(b, a);
}
