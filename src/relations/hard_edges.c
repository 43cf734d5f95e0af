/* SPDX-License-Identifier: MIT */
#include "relations/hard_edges.h"

#include "base/array.h"
#include "model/meetings.h"

/* The last moment of each thread that may start an edge. */
struct source {
    uint32_t thread;
    struct vclock clock;
};

struct sources {
    struct source *items; /* those beyond count keep their clocks' memory */
    size_t count, capacity;
};

struct holder {
    uint32_t thread;
    bool shared;
    struct vclock then;  /* when it acquired the lock */
    struct vclock tries; /* those that failed because of it */
};

struct lock_edges {
    struct holder *items; /* who holds it now */
    size_t count, capacity;
    struct sources mutex, written, shared; /* releases, by kind */
    bool is_rwlock;
};

struct atomic_edges {
    struct sources written, read; /* reads since the last write */
};

struct hard_edges {
    struct meetings *meetings;
    struct edge_locks ARRAY_OF(struct lock_edges) locks;
    struct edge_atomics ARRAY_OF(struct atomic_edges) atomics;
};

struct hard_edges *hard_edges_create(void)
{
    struct hard_edges *edges = NEW(struct hard_edges);
    edges->meetings = meetings_create();
    return edges;
}

static void sources_free(struct sources *sources)
{
    for (size_t i = 0; i < sources->capacity; i++)
        vclock_free(&sources->items[i].clock);
    free(sources->items);
}

static void sources_put(struct sources *sources, uint32_t thread, const struct vclock *clock)
{
    size_t at = 0;
    while (at < sources->count && sources->items[at].thread != thread)
        at++;
    if (at == sources->count) {
        size_t before = sources->capacity;
        array_reserve(sources, sources->count + 1);
        if (before < sources->capacity)
            memset(sources->items + before, 0,
                   (sources->capacity - before) * sizeof *sources->items);
        sources->items[sources->count++].thread = thread;
    }
    vclock_copy(&sources->items[at].clock, clock);
}

static bool join_others(struct vclock *clock, const struct sources *sources, uint32_t self)
{
    bool grew = false;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->items[i].thread != self)
            grew |= vclock_join(clock, &sources->items[i].clock);
    return grew;
}

static void holder_free(struct holder *holder)
{
    vclock_free(&holder->then);
    vclock_free(&holder->tries);
}

void hard_edges_destroy(struct hard_edges *edges)
{
    if (!edges)
        return;
    for (size_t i = 0; i < edges->locks.count; i++) {
        struct lock_edges *lock = &edges->locks.items[i];
        for (size_t k = 0; k < lock->capacity; k++)
            holder_free(&lock->items[k]);
        free(lock->items);
        sources_free(&lock->mutex);
        sources_free(&lock->written);
        sources_free(&lock->shared);
    }
    for (size_t i = 0; i < edges->atomics.count; i++) {
        sources_free(&edges->atomics.items[i].written);
        sources_free(&edges->atomics.items[i].read);
    }
    array_free(&edges->locks);
    array_free(&edges->atomics);
    meetings_destroy(edges->meetings);
    free(edges);
}

static struct lock_edges *lock_at(struct hard_edges *edges, const struct event *event)
{
    uint32_t lock = event_lock(event);
    array_grow(&edges->locks, lock + 1);
    return &edges->locks.items[lock];
}

static struct atomic_edges *atomic_at(struct hard_edges *edges, const struct event *event)
{
    array_grow(&edges->atomics, event->object + 1);
    return &edges->atomics.items[event->object];
}

static bool arrive_at_lock(struct lock_edges *lock, const struct event *event, struct vclock *clock)
{
    if (!lock->is_rwlock && op_is_mutex(event->op))
        return false;
    bool grew = join_others(clock, &lock->written, event->thread);
    if (!op_is_mutex(event->op))
        grew |= join_others(clock, &lock->mutex, event->thread);
    if (event->op != EVENT_ACQUIRE_READ)
        grew |= join_others(clock, &lock->shared, event->thread);
    return grew;
}

static bool try_in_vain(const struct lock_edges *lock, const struct event *event,
                        struct vclock *clock)
{
    bool grew = false;
    for (size_t i = 0; i < lock->count; i++) {
        const struct holder *holder = &lock->items[i];
        if (holder->thread != event->thread && !(holder->shared && event->op == EVENT_ACQUIRE_READ))
            grew |= vclock_join(clock, &holder->then);
    }
    return grew;
}

static struct holder *holder_of(struct lock_edges *lock, uint32_t thread)
{
    for (size_t i = 0; i < lock->count; i++)
        if (lock->items[i].thread == thread)
            return &lock->items[i];
    return NULL;
}

static bool arrive_at_atomic(const struct atomic_edges *atomic, const struct event *event,
                             struct vclock *clock)
{
    bool grew = join_others(clock, &atomic->written, event->thread);
    return event_writes(event) ? join_others(clock, &atomic->read, event->thread) | grew : grew;
}

bool hard_edges_arrive(struct hard_edges *edges, const struct event *event,
                       hard_edges_moment *moment, void *context, struct vclock *clock)
{
    if (op_in(event->op, OPS_ATOMIC))
        return arrive_at_atomic(atomic_at(edges, event), event, clock);
    if (event->op == EVENT_JOIN)
        return vclock_join(clock, moment(context, event->object));
    bool grew = op_in(event->op, OPS_MEETING) && meetings_arrive(edges->meetings, event, clock);
    if (event_acquires(event))
        return arrive_at_lock(lock_at(edges, event), event, clock) | grew;
    if (op_in(event->op, OPS_ACQUIRING))
        return try_in_vain(lock_at(edges, event), event, clock) | grew;
    if (event_releases(event)) {
        const struct holder *holder = holder_of(lock_at(edges, event), event->thread);
        return (holder && vclock_join(clock, &holder->tries)) | grew;
    }
    return grew;
}

static bool hold(struct lock_edges *lock, const struct event *event, const struct vclock *clock)
{
    size_t before = lock->capacity;
    array_reserve(lock, lock->count + 1);
    if (before < lock->capacity)
        memset(lock->items + before, 0, (lock->capacity - before) * sizeof *lock->items);
    struct holder *holder = &lock->items[lock->count++];
    holder->thread = event->thread;
    holder->shared = event->op == EVENT_ACQUIRE_READ;
    vclock_copy(&holder->then, clock);
    vclock_clear(&holder->tries);
    lock->is_rwlock |= !op_is_mutex(event->op);
    return true;
}

static bool leave_try(struct lock_edges *lock, const struct event *event,
                      const struct vclock *clock)
{
    for (size_t i = 0; i < lock->count; i++)
        if (lock->items[i].thread != event->thread &&
            !(lock->items[i].shared && event->op == EVENT_ACQUIRE_READ))
            vclock_join(&lock->items[i].tries, clock);
    return true;
}

static bool leave_lock(struct lock_edges *lock, const struct event *event,
                       const struct vclock *clock)
{
    struct holder *holder = holder_of(lock, event->thread);
    if (holder) { /* swapped, not copied: the clock's memory stays in the list */
        struct holder last = lock->items[--lock->count];
        lock->items[lock->count] = *holder;
        *holder = last;
    }
    if (op_is_mutex(event->op)) {
        sources_put(&lock->mutex, event->thread, clock);
    } else if (event->op == EVENT_RELEASE_READ) {
        sources_put(&lock->shared, event->thread, clock);
    } else { /* it had joined all before, or is later in program order */
        lock->written.count = lock->shared.count = 0;
        sources_put(&lock->written, event->thread, clock);
    }
    return true;
}

static bool leave_atomic(struct atomic_edges *atomic, const struct event *event,
                         const struct vclock *clock)
{
    if (event_writes(event)) {
        atomic->written.count = atomic->read.count = 0;
        sources_put(&atomic->written, event->thread, clock);
    } else {
        sources_put(&atomic->read, event->thread, clock);
    }
    return true;
}

bool hard_edges_leave(struct hard_edges *edges, const struct event *event,
                      const struct vclock *clock)
{
    if (op_in(event->op, OPS_ATOMIC))
        return leave_atomic(atomic_at(edges, event), event, clock);
    bool starts = op_in(event->op, OPS_MEETING) && meetings_leave(edges->meetings, event, clock);
    if (event_acquires(event))
        return hold(lock_at(edges, event), event, clock);
    if (op_in(event->op, OPS_ACQUIRING))
        return leave_try(lock_at(edges, event), event, clock);
    if (event_releases(event))
        return leave_lock(lock_at(edges, event), event, clock);
    return starts;
}
