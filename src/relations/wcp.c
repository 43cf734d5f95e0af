/* SPDX-License-Identifier: MIT */
#include "relations/wcp.h"

#include "base/array.h"
#include "relations/hard_edges.h"
#include "relations/moment.h"
#include "relations/section_accesses.h"

/* A mutex that a thread holds, and what it accessed meanwhile. */
struct hold {
    uint32_t lock;
    uint32_t tick; /* of the acquire */
    struct section_access **items;
    size_t count, capacity;
};

struct thread_state {
    struct vclock happened; /* happens-before; the own entry is the tick */
    struct vclock before;   /* the relation */
    struct hold *items;     /* those beyond count keep their memory */
    size_t count, capacity;
};

/* A section of a mutex that is not known to come before later ones. */
struct queued {
    uint32_t thread, tick; /* of the acquire */
    struct moment *release;
};

struct mutex_state {
    struct vclock happened, before; /* at its last release */
    struct queued *items;
    size_t first, count, capacity;
};

struct wcp {
    struct wcp_threads ARRAY_OF(struct thread_state) threads;
    struct wcp_mutexes ARRAY_OF(struct mutex_state) mutexes;
    struct section_accesses accesses;
    struct hard_edges *hard;
    struct moments moments;
    struct vclock arriving; /* scratch */
};

struct wcp *wcp_create(void)
{
    struct wcp *wcp = NEW(struct wcp);
    wcp->hard = hard_edges_create();
    return wcp;
}

static void forget(struct wcp *wcp, struct section_ref refs[2])
{
    moment_drop(&wcp->moments, refs[0].section);
    moment_drop(&wcp->moments, refs[1].section);
}

static void free_moments(struct wcp *wcp)
{
    struct map *index = &wcp->accesses.index;
    for (size_t i = map_first(index); i < index->capacity; i = map_following(index, i)) {
        struct section_access *access = (struct section_access *)(uintptr_t)index->entries[i].value;
        forget(wcp, access->reads);
        forget(wcp, access->writes);
    }
    for (size_t i = 0; i < wcp->mutexes.count; i++) {
        struct mutex_state *mutex = &wcp->mutexes.items[i];
        for (size_t k = mutex->first; k < mutex->count; k++)
            moment_drop(&wcp->moments, mutex->items[k].release);
    }
    moments_free(&wcp->moments);
}

void wcp_destroy(struct wcp *wcp)
{
    if (!wcp)
        return;
    free_moments(wcp);
    for (size_t i = 0; i < wcp->threads.count; i++) {
        struct thread_state *thread = &wcp->threads.items[i];
        for (size_t k = 0; k < thread->capacity; k++)
            free(thread->items[k].items);
        free(thread->items);
        vclock_free(&thread->happened);
        vclock_free(&thread->before);
    }
    for (size_t i = 0; i < wcp->mutexes.count; i++) {
        vclock_free(&wcp->mutexes.items[i].happened);
        vclock_free(&wcp->mutexes.items[i].before);
        free(wcp->mutexes.items[i].items);
    }
    array_free(&wcp->threads);
    array_free(&wcp->mutexes);
    section_accesses_free(&wcp->accesses);
    hard_edges_destroy(wcp->hard);
    vclock_free(&wcp->arriving);
    free(wcp);
}

static struct thread_state *thread_at(struct wcp *wcp, uint32_t id)
{
    if (id >= wcp->threads.count)
        array_grow(&wcp->threads, id + 1);
    struct thread_state *thread = &wcp->threads.items[id];
    if (!vclock_get(&thread->happened, id))
        vclock_set(&thread->happened, id, 1);
    return thread;
}

static struct vclock *moment_of(void *context, uint32_t thread)
{
    return &thread_at(context, thread)->happened;
}

const struct vclock *wcp_before(struct wcp *wcp, uint32_t thread)
{
    return &thread_at(wcp, thread)->before;
}

const struct vclock *wcp_happened_before(struct wcp *wcp, uint32_t thread)
{
    return &thread_at(wcp, thread)->happened;
}

static struct mutex_state *mutex_at(struct wcp *wcp, uint32_t lock)
{
    array_grow(&wcp->mutexes, lock + 1);
    return &wcp->mutexes.items[lock];
}

/* Whoever knows a release's tick has joined its moment. */
static void join_moment(struct vclock *clock, const struct moment *moment)
{
    if (moment && vclock_get(clock, moment->thread) < moment->tick)
        vclock_join(clock, &moment->clock);
}

/* Rule (a). Within one section the first access of a kind has seen all there is. */
static void access_in_section(struct wcp *wcp, const struct event *event,
                              struct thread_state *thread, struct hold *hold)
{
    struct section_access *access = section_access_at(&wcp->accesses, hold->lock, event->object);
    uint8_t kinds = (uint8_t)((event_reads(event) ? SECTION_READS : 0) |
                              (event_writes(event) ? SECTION_WRITES : 0));
    if ((access->pending & kinds) == kinds)
        return;
    if (!access->pending)
        array_push(hold, access);
    access->pending |= kinds;
    join_moment(&thread->before, section_ref_of_other(access->writes, event->thread));
    if (kinds & SECTION_WRITES)
        join_moment(&thread->before, section_ref_of_other(access->reads, event->thread));
}

static void acquire(struct wcp *wcp, const struct event *event, struct thread_state *thread)
{
    const struct mutex_state *mutex = mutex_at(wcp, event_lock(event));
    vclock_join(&thread->happened, &mutex->happened);
    vclock_join(&thread->before, &mutex->before);
    size_t room = thread->capacity;
    array_reserve(thread, thread->count + 1);
    if (room < thread->capacity)
        memset(thread->items + room, 0, (thread->capacity - room) * sizeof *thread->items);
    struct hold *hold = &thread->items[thread->count++];
    hold->lock = event_lock(event);
    hold->tick = vclock_get(&thread->happened, event->thread);
    hold->count = 0;
}

/* Rule (b): the release of the last queued section that begins before this release
 * happened after those of all sections before it. */
static void apply_queue(struct wcp *wcp, struct mutex_state *mutex, struct thread_state *thread)
{
    for (bool again = true; again;) {
        struct moment *last = NULL;
        while (mutex->first < mutex->count) {
            const struct queued *front = &mutex->items[mutex->first];
            if (front->tick > vclock_get(&thread->before, front->thread))
                break;
            moment_drop(&wcp->moments, last);
            last = front->release;
            mutex->first++;
        }
        again = last && vclock_join(&thread->before, &last->clock);
        moment_drop(&wcp->moments, last);
    }
}

static void enqueue(struct mutex_state *mutex, struct queued queued)
{
    if (mutex->count == mutex->capacity && mutex->first > mutex->count / 2) {
        memmove(mutex->items, mutex->items + mutex->first,
                (mutex->count - mutex->first) * sizeof *mutex->items);
        mutex->count -= mutex->first;
        mutex->first = 0;
    }
    array_push(mutex, queued);
}

static void remember(struct wcp *wcp, struct section_ref refs[2], uint32_t thread,
                     struct moment *release)
{
    moment_drop(&wcp->moments, section_ref_push(refs, thread, moment_share(release)));
}

static void end_section(struct wcp *wcp, struct hold *hold, uint32_t thread, struct moment *release)
{
    for (size_t i = 0; i < hold->count; i++) {
        struct section_access *access = hold->items[i];
        if (access->pending & SECTION_READS)
            remember(wcp, access->reads, thread, release);
        if (access->pending & SECTION_WRITES)
            remember(wcp, access->writes, thread, release);
        access->pending = 0;
    }
}

static void take_out(struct thread_state *thread, size_t at)
{
    struct hold ended = thread->items[at];
    memmove(thread->items + at, thread->items + at + 1,
            (thread->count - at - 1) * sizeof *thread->items);
    thread->items[--thread->count] = ended;
}

static void release(struct wcp *wcp, const struct event *event, struct thread_state *thread)
{
    size_t at = thread->count;
    while (at > 0 && thread->items[at - 1].lock != event_lock(event))
        at--;
    if (at-- == 0)
        return;
    struct hold *hold = &thread->items[at];
    struct mutex_state *mutex = mutex_at(wcp, hold->lock);
    apply_queue(wcp, mutex, thread);
    struct moment *moment = moment_take(&wcp->moments, event->thread, &thread->happened);
    end_section(wcp, hold, event->thread, moment);
    enqueue(mutex, (struct queued){event->thread, hold->tick, moment});
    vclock_copy(&mutex->happened, &thread->happened);
    vclock_copy(&mutex->before, &thread->before);
    take_out(thread, at);
}

void wcp_enter(struct wcp *wcp, const struct event *event)
{
    thread_at(wcp, event->thread);
    if (event->op == EVENT_FORK || event->op == EVENT_JOIN)
        thread_at(wcp, event->object); /* may move the others: before we point at one */
    struct thread_state *thread = thread_at(wcp, event->thread);
    if (op_in(event->op, OPS_SYNC)) {
        vclock_clear(&wcp->arriving);
        if (hard_edges_arrive(wcp->hard, event, moment_of, wcp, &wcp->arriving)) {
            vclock_join(&thread->happened, &wcp->arriving);
            vclock_join(&thread->before, &wcp->arriving);
        }
    }
    if (op_in(event->op, OPS_ACCESS))
        for (size_t i = 0; i < thread->count; i++)
            access_in_section(wcp, event, thread, &thread->items[i]);
    else if (event_acquires(event) && op_is_mutex(event->op))
        acquire(wcp, event, thread);
}

void wcp_leave(struct wcp *wcp, const struct event *event)
{
    if (!op_in(event->op, OPS_SYNC))
        return;
    struct thread_state *thread = thread_at(wcp, event->thread);
    bool starts = hard_edges_leave(wcp->hard, event, &thread->happened);
    if (event_releases(event) && op_is_mutex(event->op))
        release(wcp, event, thread);
    if (event->op == EVENT_FORK) {
        struct thread_state *child = thread_at(wcp, event->object);
        vclock_join(&child->happened, &thread->happened);
        vclock_join(&child->before, &thread->happened);
        starts = true;
    }
    if (starts)
        thread->happened.ticks[event->thread]++;
}
