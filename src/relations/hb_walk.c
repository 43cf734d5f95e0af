/* SPDX-License-Identifier: MIT */
#include "relations/hb_walk.h"

#include "base/array.h"
#include "relations/hard_edges.h"

struct clocks ARRAY_OF(struct vclock);

struct hb_walk {
    struct clocks threads, mutexes;
    struct hard_edges *hard;
    struct vclock arriving; /* scratch */
};

struct hb_walk *hb_walk_create(void)
{
    struct hb_walk *walk = NEW(struct hb_walk);
    walk->hard = hard_edges_create();
    return walk;
}

static void free_clocks(struct clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        vclock_free(&clocks->items[i]);
    array_free(clocks);
}

void hb_walk_destroy(struct hb_walk *walk)
{
    if (!walk)
        return;
    free_clocks(&walk->threads);
    free_clocks(&walk->mutexes);
    hard_edges_destroy(walk->hard);
    vclock_free(&walk->arriving);
    free(walk);
}

static struct vclock *clock_at(struct hb_walk *walk, uint32_t thread)
{
    if (thread >= walk->threads.count)
        array_grow(&walk->threads, thread + 1);
    struct vclock *clock = &walk->threads.items[thread];
    if (!vclock_get(clock, thread))
        vclock_set(clock, thread, 1);
    return clock;
}

static struct vclock *moment_of(void *context, uint32_t thread)
{
    return clock_at(context, thread);
}

static struct vclock *mutex_at(struct hb_walk *walk, uint32_t lock)
{
    array_grow(&walk->mutexes, lock + 1);
    return &walk->mutexes.items[lock];
}

const struct vclock *hb_walk_clock(struct hb_walk *walk, uint32_t thread)
{
    return clock_at(walk, thread);
}

const struct vclock *hb_walk_enter(struct hb_walk *walk, const struct event *event)
{
    if (!op_in(event->op, OPS_SYNC))
        return NULL;
    clock_at(walk, event->thread);
    if (event->op == EVENT_FORK || event->op == EVENT_JOIN)
        clock_at(walk, event->object); /* may move the others: before we point at one */
    vclock_clear(&walk->arriving);
    bool arrived = hard_edges_arrive(walk->hard, event, moment_of, walk, &walk->arriving);
    struct vclock *clock = clock_at(walk, event->thread);
    if (arrived)
        vclock_join(clock, &walk->arriving);
    if (event_acquires(event) && op_is_mutex(event->op))
        vclock_join(clock, mutex_at(walk, event_lock(event)));
    return arrived ? &walk->arriving : NULL;
}

void hb_walk_join(struct hb_walk *walk, uint32_t thread, const struct vclock *clock)
{
    vclock_join(clock_at(walk, thread), clock);
}

void hb_walk_tick(struct hb_walk *walk, uint32_t thread)
{
    clock_at(walk, thread)->ticks[thread]++;
}

void hb_walk_leave(struct hb_walk *walk, const struct event *event)
{
    if (!op_in(event->op, OPS_SYNC))
        return;
    struct vclock *clock = clock_at(walk, event->thread);
    bool starts = hard_edges_leave(walk->hard, event, clock);
    if (event_releases(event) && op_is_mutex(event->op))
        vclock_copy(mutex_at(walk, event_lock(event)), clock);
    if (event->op == EVENT_FORK) {
        vclock_join(clock_at(walk, event->object), clock);
        starts = true;
    }
    if (starts)
        clock->ticks[event->thread]++;
}
