/* SPDX-License-Identifier: MIT */
#include "cli/contention.h"

#include "base/array.h"
#include "base/map.h"
#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 20 };

/* All acquires of a lock at a place. */
struct place {
    uint32_t lock, location;
    uint64_t times, waits; /* acquires; those that had to wait */
    uint64_t held, waited; /* the longest */
    uint64_t all_held, all_waited;
};

/* A lock that a thread holds. */
struct hold {
    uint32_t lock;
    size_t place;
    uint64_t since; /* events of its thread before */
};

struct thread_now {
    uint64_t events, last; /* so many; where the last one was, plus one */
    struct holds ARRAY_OF(struct hold) holds;
};

struct lock_now {
    uint64_t acquired, released; /* by the last who released it, plus one */
    uint32_t releaser;
};

struct contention {
    uint64_t pos;
    struct places ARRAY_OF(struct place) places;
    struct map place_of; /* (lock, location) -> number plus one */
    struct thread_nows ARRAY_OF(struct thread_now) threads;
    struct lock_nows ARRAY_OF(struct lock_now) locks;
};

struct contention *contention_create(void)
{
    return NEW(struct contention);
}

void contention_destroy(struct contention *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->threads.count; i++)
        array_free(&self->threads.items[i].holds);
    array_free(&self->threads);
    array_free(&self->locks);
    array_free(&self->places);
    map_free(&self->place_of);
    free(self);
}

static size_t place_at(struct contention *self, uint32_t lock, uint32_t location)
{
    uint64_t *number = map_at(&self->place_of, map_pair(lock, location), NULL);
    if (!*number) {
        array_push(&self->places, ((struct place){.lock = lock, .location = location}));
        *number = self->places.count;
    }
    return *number - 1;
}

/* The lock was released after the thread's last event: it stood here, or was about to come. */
static uint64_t waited(const struct lock_now *lock, const struct thread_now *thread,
                       const struct event *event)
{
    if (!lock->released || lock->releaser == event->thread || lock->released <= thread->last)
        return 0;
    uint64_t from = lock->acquired > thread->last ? lock->acquired : thread->last;
    return lock->released - from;
}

static void acquire(struct contention *self, struct thread_now *thread, const struct event *event)
{
    uint32_t id = event_lock(event);
    size_t number = place_at(self, id, event->location);
    struct place *place = &self->places.items[number];
    uint64_t wait = event->op == EVENT_WAIT_END ? 0 : waited(&self->locks.items[id], thread, event);
    place->times++;
    place->waits += wait > 0;
    place->all_waited += wait;
    if (wait > place->waited)
        place->waited = wait;
    array_push(&thread->holds, ((struct hold){id, number, thread->events}));
}

static void release(struct contention *self, struct thread_now *thread, const struct event *event)
{
    uint32_t id = event_lock(event);
    for (size_t i = thread->holds.count; i-- > 0;) {
        struct hold hold = thread->holds.items[i];
        if (hold.lock != id)
            continue;
        struct place *place = &self->places.items[hold.place];
        uint64_t held = thread->events - hold.since;
        place->all_held += held;
        if (held > place->held)
            place->held = held;
        thread->holds.items[i] = array_last(&thread->holds);
        thread->holds.count--;
        break;
    }
    self->locks.items[id].released = self->pos + 1;
    self->locks.items[id].releaser = event->thread;
}

void contention_step(struct contention *self, const struct event *event)
{
    array_grow(&self->threads, event->thread + 1);
    struct thread_now *thread = &self->threads.items[event->thread];
    bool acquires = event_acquires(event);
    if (acquires || event_releases(event))
        array_grow(&self->locks, event_lock(event) + 1);
    if (acquires) {
        acquire(self, thread, event);
        self->locks.items[event_lock(event)].acquired = self->pos + 1;
    } else if (event_releases(event)) {
        release(self, thread, event);
    }
    thread->events++;
    thread->last = ++self->pos;
}

static int by_name(const struct place *x, const struct place *y)
{
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

static int by_hold(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->held == y->held ? by_name(x, y) : x->held < y->held ? 1 : -1;
}

static int by_wait(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->waited == y->waited ? by_name(x, y) : x->waited < y->waited ? 1 : -1;
}

static void print_place(const struct trace *trace, const struct place *place, bool waits)
{
    printf("%12llu  %10llu  %10llu  ", (unsigned long long)(waits ? place->waited : place->held),
           (unsigned long long)(waits ? place->all_waited : place->all_held),
           (unsigned long long)(waits ? place->waits : place->times));
    report_safe_text(stdout, trace_name(trace, CLASS_LOCK, place->lock));
    fputs("  ", stdout);
    report_safe_text(stdout, trace_location(trace, place->location));
    putchar('\n');
}

static void print_table(struct places *places, const struct trace *trace, bool waits)
{
    size_t shown = 0;
    if (places->count)
        qsort(places->items, places->count, sizeof *places->items, waits ? by_wait : by_hold);
    puts(waits ? "locks waited for (longest, all; in events of all threads; times, lock, place)"
               : "locks held (longest, all; in events of the holder; times, lock, place)");
    for (size_t i = 0; i < places->count && shown < SHOWN; i++)
        if (!waits || places->items[i].waits) {
            print_place(trace, &places->items[i], waits);
            shown++;
        }
    if (!shown)
        puts("              none");
}

void contention_print(const struct contention *self, const struct trace *trace)
{
    struct places places = {0};
    for (size_t i = 0; i < self->places.count; i++)
        array_push(&places, self->places.items[i]);
    print_table(&places, trace, false);
    print_table(&places, trace, true);
    array_free(&places);
}
