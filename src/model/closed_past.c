/* SPDX-License-Identifier: MIT */
#include "model/closed_past.h"

#include "base/arena.h"
#include "base/memory.h"
#include "model/meetings.h"

#include <stdlib.h>
#include <string.h>

struct past {
    struct prefix prefix;
    const uint32_t *stamp; /* a copy of prefix.counts, true but for the own thread; or NULL */
};

/* A write, or rather its thread's past up to it. */
struct last_write {
    const uint32_t *stamp; /* NULL: none yet */
    uint32_t thread, count;
};

struct closed_pasts {
    const struct history *history;
    uint32_t thread_count;
    struct past *threads;
    struct last_write *writes; /* by variable */
    struct sections *sections;
    struct meetings *meetings;
    struct arena stamps;
    struct vclock clock; /* scratch */
};

struct closed_pasts *closed_pasts_create(const struct history *history)
{
    struct closed_pasts *pasts = NEW(struct closed_pasts);
    pasts->history = history;
    pasts->thread_count = history->threads;
    pasts->threads = NEW_ARRAY(struct past, history->threads);
    pasts->writes = NEW_ARRAY(struct last_write, trace_count(history->trace, CLASS_VARIABLE));
    pasts->sections = sections_create(history->threads, trace_count(history->trace, CLASS_LOCK));
    pasts->meetings = meetings_create();
    for (uint32_t thread = 0; thread < history->threads; thread++)
        prefix_init(&pasts->threads[thread].prefix, history->threads);
    return pasts;
}

void closed_pasts_destroy(struct closed_pasts *pasts)
{
    if (!pasts)
        return;
    for (uint32_t thread = 0; thread < pasts->thread_count; thread++)
        prefix_free(&pasts->threads[thread].prefix);
    free(pasts->threads);
    free(pasts->writes);
    sections_destroy(pasts->sections);
    meetings_destroy(pasts->meetings);
    arena_free(&pasts->stamps);
    vclock_free(&pasts->clock);
    free(pasts);
}

const struct prefix *closed_pasts_of(const struct closed_pasts *pasts, uint32_t thread)
{
    return &pasts->threads[thread].prefix;
}

const struct sections *closed_pasts_sections(const struct closed_pasts *pasts)
{
    return pasts->sections;
}

const uint32_t *closed_pasts_stamp(struct closed_pasts *pasts, uint32_t thread)
{
    struct past *past = &pasts->threads[thread];
    if (!past->stamp) {
        size_t bytes = pasts->thread_count * sizeof(uint32_t);
        uint32_t *stamp = arena_alloc(&pasts->stamps, bytes);
        memcpy(stamp, past->prefix.counts, bytes);
        past->stamp = stamp;
    }
    return past->stamp;
}

static void join(struct closed_pasts *pasts, uint32_t thread, const uint32_t *counts)
{
    struct past *past = &pasts->threads[thread];
    if (!prefix_join(&past->prefix, pasts->sections, counts))
        return;
    prefix_close(&past->prefix, pasts->sections);
    past->stamp = NULL;
}

static void join_moment(struct closed_pasts *pasts, uint32_t thread, uint32_t other, uint32_t count,
                        const uint32_t *stamp)
{
    struct past *past = &pasts->threads[thread];
    if (past->prefix.counts[other] >= count) /* and with it all that it knew */
        return;
    prefix_join(&past->prefix, pasts->sections, stamp);
    prefix_raise(&past->prefix, pasts->sections, other, count);
    prefix_close(&past->prefix, pasts->sections);
    past->stamp = NULL;
}

static void see_write(struct closed_pasts *pasts, const struct event *event)
{
    const struct last_write *write = &pasts->writes[event->object];
    if (write->stamp)
        join_moment(pasts, event->thread, write->thread, write->count, write->stamp);
}

static void see_holder(struct closed_pasts *pasts, const struct event *event)
{
    const struct section *holder = sections_open(pasts->sections, event->object);
    while (holder && (holder->thread == event->thread ||
                      (event->op == EVENT_ACQUIRE_READ && !holder->exclusive)))
        holder = holder->next_open;
    if (holder)
        join_moment(pasts, event->thread, holder->thread, holder->acquired_index + 1,
                    holder->at_acquire);
}

static void join_clock(struct closed_pasts *pasts, const struct event *event, struct vclock *clock)
{
    vclock_clear(clock);
    if (meetings_arrive(pasts->meetings, event, clock)) {
        vclock_set(clock, pasts->thread_count - 1, vclock_get(clock, pasts->thread_count - 1));
        join(pasts, event->thread, clock->ticks);
    }
}

/* What must come before the event. */
static void step_in(struct closed_pasts *pasts, const struct event *event, struct vclock *clock)
{
    if (event_reads(event))
        see_write(pasts, event);
    else if (event->op == EVENT_JOIN)
        join(pasts, event->thread, pasts->threads[event->object].prefix.counts);
    else if (op_in(event->op, OPS_ACQUIRING) && !event_acquires(event))
        see_holder(pasts, event);
    if (op_in(event->op, OPS_MEETING))
        join_clock(pasts, event, clock);
}

static void take_lock(struct closed_pasts *pasts, uint32_t pos)
{
    const struct event *event = &pasts->history->events[pos];
    struct past *past = &pasts->threads[event->thread];
    struct section *section =
        sections_acquire(pasts->sections, event->thread, event_lock(event),
                         event->op != EVENT_ACQUIRE_READ, pos, pasts->history->index[pos]);
    past->prefix.open[event->thread] = sections_held(pasts->sections, event->thread);
    if (prefix_close(&past->prefix, pasts->sections))
        past->stamp = NULL;
    section->at_acquire = closed_pasts_stamp(pasts, event->thread);
}

static void leave_lock(struct closed_pasts *pasts, uint32_t pos)
{
    const struct event *event = &pasts->history->events[pos];
    struct section *section = sections_release(pasts->sections, event->thread, event_lock(event),
                                               pasts->history->index[pos]);
    section->at_release = closed_pasts_stamp(pasts, event->thread);
    pasts->threads[event->thread].prefix.open[event->thread] =
        sections_held(pasts->sections, event->thread);
}

/* What others will see of the event. */
static void step_out(struct closed_pasts *pasts, uint32_t pos)
{
    const struct event *event = &pasts->history->events[pos];
    struct past *past = &pasts->threads[event->thread];
    uint32_t count = pasts->history->index[pos] + 1;
    past->prefix.counts[event->thread] = count;
    if (event_acquires(event))
        take_lock(pasts, pos);
    else if (event_releases(event))
        leave_lock(pasts, pos);
    else if (event_writes(event))
        pasts->writes[event->object] =
            (struct last_write){closed_pasts_stamp(pasts, event->thread), event->thread, count};
    else if (event->op == EVENT_FORK)
        join(pasts, event->object, past->prefix.counts);
    if (op_in(event->op, OPS_MEETING)) {
        struct vclock clock = {past->prefix.counts, pasts->thread_count, pasts->thread_count};
        meetings_leave(pasts->meetings, event, &clock);
    }
}

void closed_pasts_step(struct closed_pasts *pasts, uint32_t pos)
{
    step_in(pasts, &pasts->history->events[pos], &pasts->clock);
    step_out(pasts, pos);
}
