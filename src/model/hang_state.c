/* SPDX-License-Identifier: MIT */
#include "model/hang_state.h"

#include "model/semaphore_locks.h"

#include <stdlib.h>

static void hold(struct hang_holds *mine, const struct event *event)
{
    struct hang_hold one = {event_lock(event), event->thread, event->op == EVENT_ACQUIRE_READ};
    array_push(mine, one);
}

static void let_go(struct hang_holds *mine, uint32_t lock)
{
    for (size_t i = mine->count; i-- > 0;)
        if (mine->items[i].lock == lock) {
            mine->items[i] = array_pop(mine);
            return;
        }
}

static void step(struct hang_state *self, const struct event *event)
{
    bool failed = event->flags & EVENT_FAILED;
    switch (event->op) {
    case EVENT_END:
        self->ended[event->thread] = true;
        break;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        condition_step(&self->conditions[event->object], event);
        break;
    case EVENT_POST:
        self->counts[event->object]++;
        self->posted[event->object] |= self->takers[event->object] == event->thread + 1;
        self->takers[event->object] = 0;
        break;
    case EVENT_SEM_WAIT:
        self->counts[event->object] -= !failed;
        if (!failed)
            self->takers[event->object] = event->thread + 1;
        break;
    case EVENT_ONCE_BEGIN:
        self->inside[event->object] = event->thread + 1;
        break;
    case EVENT_ONCE_END:
        self->inside[event->object] = 0;
        break;
    case EVENT_BARRIER_ENTER:
        self->entered[event->thread] = event->other;
        break;
    case EVENT_BARRIER_EXIT:
        self->left[event->other] = true;
        break;
    default:
        break;
    }
}

static int by_lock(const void *a, const void *b)
{
    const struct hang_hold *x = a, *y = b;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static void walk(struct hang_state *self, struct hang_holds *threads)
{
    const struct history *history = self->history;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        self->started[event->thread] = true;
        if (!op_in(event->op, OPS_SYNC))
            continue;
        step(self, event);
        if (event_acquires(event))
            hold(&threads[event->thread], event);
        else if (event_releases(event))
            let_go(&threads[event->thread], event_lock(event));
    }
}

void hang_state_read(struct hang_state *self, const struct history *history)
{
    const struct trace *trace = history->trace;
    uint32_t threads = history->threads, semaphores = trace_count(trace, CLASS_SEMAPHORE);
    *self = (struct hang_state){
        .history = history,
        .started = NEW_ARRAY(bool, threads),
        .ended = NEW_ARRAY(bool, threads),
        .wish_of = NEW_ARRAY(uint32_t, threads),
        .conditions = NEW_ARRAY(struct condition, trace_count(trace, CLASS_CONDITION) + 1),
        .counts = NEW_ARRAY(int64_t, semaphores + 1),
        .semaphore_locks = semaphore_locks(history),
        .takers = NEW_ARRAY(uint32_t, semaphores + 1),
        .posted = NEW_ARRAY(bool, semaphores + 1),
        .inside = NEW_ARRAY(uint32_t, trace_count(trace, CLASS_ONCE) + 1),
        .entered = NEW_ARRAY(uint32_t, threads),
        .left = NEW_ARRAY(bool, trace_barrier_instances(trace) + 1),
    };
    for (uint32_t i = 0; i < semaphores; i++)
        self->counts[i] = trace_semaphore_initial(trace, i);
    struct hang_holds *held = NEW_ARRAY(struct hang_holds, threads);
    walk(self, held);
    for (uint32_t i = 0; i < threads; i++) {
        self->wish_of[i] = POS_NONE;
        for (size_t k = 0; k < held[i].count; k++)
            array_push(&self->holds, held[i].items[k]);
        array_free(&held[i]);
    }
    free(held);
    if (self->holds.count)
        qsort(self->holds.items, self->holds.count, sizeof *self->holds.items, by_lock);
    for (uint32_t pos = history->count; pos < history_total(history); pos++)
        self->wish_of[history->events[pos].thread] = pos;
}

void hang_state_free(struct hang_state *self)
{
    for (uint32_t i = 0; i < trace_count(self->history->trace, CLASS_CONDITION); i++)
        condition_free(&self->conditions[i]);
    free(self->started);
    free(self->ended);
    free(self->wish_of);
    array_free(&self->holds);
    free(self->conditions);
    free(self->counts);
    free(self->semaphore_locks);
    free(self->takers);
    free(self->posted);
    free(self->inside);
    free(self->entered);
    free(self->left);
}

size_t hang_state_holds(const struct hang_state *self, uint32_t lock, size_t *from)
{
    size_t low = 0, high = self->holds.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->holds.items[middle].lock < lock)
            low = middle + 1;
        else
            high = middle;
    }
    *from = low;
    while (low < self->holds.count && self->holds.items[low].lock == lock)
        low++;
    return low;
}
