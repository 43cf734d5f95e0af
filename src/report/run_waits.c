/* SPDX-License-Identifier: MIT */
#include "report/run_waits.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>

/* Who did something last, and when: the position plus one, 0 for never. */
struct deed {
    uint32_t when, thread;
};

struct lock_now {
    uint32_t acquired;
    struct deed released;
};

struct semaphore_now {
    uint64_t count;
    struct deed filled; /* when it was empty before */
};

struct walk {
    const struct history *history;
    struct run_waits *out;
    struct waits ARRAY_OF(struct run_wait) waits;
    size_t most;
    uint32_t *last; /* by thread: position of its last event plus one */
    struct lock_now *locks;
    struct deed *conditions, *barriers; /* signals; who came last, by instance */
    struct semaphore_now *semaphores;
};

static int by_length(const void *a, const void *b)
{
    const struct run_wait *x = a, *y = b;
    uint32_t long_x = x->to - x->from, long_y = y->to - y->from;
    if (long_x != long_y)
        return long_x < long_y ? 1 : -1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

static void keep_longest(struct walk *self)
{
    if (self->waits.count)
        qsort(self->waits.items, self->waits.count, sizeof *self->waits.items, by_length);
    if (self->waits.count > self->most)
        self->waits.count = self->most;
}

static void add_wait(struct walk *self, struct run_wait wait)
{
    if (wait.to <= wait.from)
        return;
    self->out->waited[wait.thread] += wait.to - wait.from;
    array_push(&self->waits, wait);
    if (self->waits.count >= 4 * self->most)
        keep_longest(self);
}

/* `deed` let the thread go on. */
static void add_until(struct walk *self, uint32_t pos, struct deed deed)
{
    uint32_t thread = self->history->events[pos].thread;
    if (deed.when > self->last[thread] && deed.thread != thread)
        add_wait(self, (struct run_wait){thread, deed.thread, self->last[thread], deed.when, pos});
}

static void acquire(struct walk *self, uint32_t pos)
{
    const struct event *event = &self->history->events[pos];
    uint32_t id = event_lock(event), last = self->last[event->thread];
    struct lock_now *lock = &self->locks[id];
    struct run_lock *told = &self->out->locks[id];
    told->taken++;
    if (event->op != EVENT_WAIT_END && lock->released.when > last &&
        lock->released.thread != event->thread) {
        uint32_t from = lock->acquired > last ? lock->acquired : last;
        add_wait(self, (struct run_wait){event->thread, lock->released.thread, from,
                                         lock->released.when, pos});
        told->waits++;
        told->waited += lock->released.when - from;
    }
    lock->acquired = pos + 1;
}

static void release(struct walk *self, uint32_t pos)
{
    const struct event *event = &self->history->events[pos];
    struct lock_now *lock = &self->locks[event_lock(event)];
    struct run_lock *told = &self->out->locks[event_lock(event)];
    if (lock->acquired && pos + 1 - lock->acquired > told->held)
        told->held = pos + 1 - lock->acquired;
    lock->released = (struct deed){pos + 1, event->thread};
}

static void semaphore_taken(struct walk *self, uint32_t pos)
{
    struct semaphore_now *semaphore = &self->semaphores[self->history->events[pos].object];
    add_until(self, pos, semaphore->filled);
    semaphore->count -= semaphore->count > 0;
}

static void other_deed(struct walk *self, uint32_t pos, struct deed deed)
{
    const struct event *event = &self->history->events[pos];
    bool failed = event->flags & EVENT_FAILED;
    switch (event->op) {
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        self->conditions[event->object] = deed;
        break;
    case EVENT_WAIT_END:
        add_until(self, pos,
                  failed ? (struct deed){pos, POS_NONE} : self->conditions[event->object]);
        break;
    case EVENT_BARRIER_ENTER:
        self->barriers[event->other] = deed;
        break;
    case EVENT_BARRIER_EXIT:
        add_until(self, pos, self->barriers[event->other]);
        break;
    case EVENT_JOIN:
        add_until(self, pos, (struct deed){self->last[event->object], event->object});
        break;
    case EVENT_POST:
        if (self->semaphores[event->object].count++ == 0)
            self->semaphores[event->object].filled = deed;
        break;
    case EVENT_SEM_WAIT:
        if (!failed)
            semaphore_taken(self, pos);
        break;
    default:
        break;
    }
}

static void walk(struct walk *self)
{
    const struct history *history = self->history;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_SYNC)) {
            other_deed(self, pos, (struct deed){pos + 1, event->thread});
            if (event_acquires(event))
                acquire(self, pos);
            else if (event_releases(event))
                release(self, pos);
        }
        self->last[event->thread] = pos + 1;
    }
    for (uint32_t pos = history->count; pos < history_total(history); pos++) {
        uint32_t thread = history->events[pos].thread;
        add_wait(self,
                 (struct run_wait){thread, POS_NONE, self->last[thread], history->count, pos});
    }
}

static int by_waits(const void *a, const void *b)
{
    const struct run_lock *x = a, *y = b;
    if (x->waited != y->waited)
        return x->waited < y->waited ? 1 : -1;
    if (x->taken != y->taken)
        return x->taken < y->taken ? 1 : -1;
    return (x->lock > y->lock) - (x->lock < y->lock);
}

static void sort_locks(struct run_waits *waits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (waits->locks[i].taken) {
            struct run_lock lock = waits->locks[i];
            lock.lock = i;
            waits->locks[waits->lock_count++] = lock;
        }
    if (waits->lock_count)
        qsort(waits->locks, waits->lock_count, sizeof *waits->locks, by_waits);
}

void run_waits_find(struct run_waits *waits, const struct history *history, size_t most)
{
    const struct trace *trace = history->trace;
    uint32_t semaphores = trace_count(trace, CLASS_SEMAPHORE);
    *waits = (struct run_waits){
        .waited = memory_zero(trace_count(trace, CLASS_THREAD) + 1, sizeof *waits->waited),
        .locks = memory_zero(trace_count(trace, CLASS_LOCK) + 1, sizeof *waits->locks),
    };
    struct walk self = {
        .history = history,
        .out = waits,
        .most = most,
        .last = memory_zero(trace_count(trace, CLASS_THREAD) + 1, sizeof *self.last),
        .locks = memory_zero(trace_count(trace, CLASS_LOCK) + 1, sizeof *self.locks),
        .conditions = memory_zero(trace_count(trace, CLASS_CONDITION) + 1, sizeof(struct deed)),
        .barriers = memory_zero(trace_barrier_instances(trace) + 1, sizeof(struct deed)),
        .semaphores = memory_zero(semaphores + 1, sizeof *self.semaphores),
    };
    for (uint32_t i = 0; i < semaphores; i++)
        self.semaphores[i].count = trace_semaphore_initial(trace, i);
    walk(&self);
    keep_longest(&self);
    waits->longest = self.waits.items;
    waits->count = self.waits.count;
    sort_locks(waits, trace_count(trace, CLASS_LOCK));
    free(self.last);
    free(self.locks);
    free(self.conditions);
    free(self.barriers);
    free(self.semaphores);
}

void run_waits_free(struct run_waits *waits)
{
    free(waits->longest);
    free(waits->waited);
    free(waits->locks);
}
