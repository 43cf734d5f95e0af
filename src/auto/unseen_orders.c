/* SPDX-License-Identifier: MIT */
#include "auto/unseen_orders.h"

#include "base/memory.h"
#include "model/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_ROOM = 400 };

/* Two orders of the observed run: all of it, and without what is not seen. */
struct orders {
    struct order *all, *seen;
    uint32_t *all_ticks, *seen_ticks; /* of each event's thread, by position */
    uint32_t *last;                   /* by thread: its last unseen acquire's object, plus one */
};

static bool is_unseen(const struct event *event)
{
    return event->op == EVENT_ATOMIC_LOOK && event->flags & EVENT_UNSEEN;
}

static bool has_unseen(const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (is_unseen(&history->events[pos]))
            return true;
    return false;
}

static int compare_seconds(const void *a, const void *b)
{
    const struct finding *const *x = a, *const *y = b;
    return ((*x)->events[1].pos > (*y)->events[1].pos) -
           ((*x)->events[1].pos < (*y)->events[1].pos);
}

static bool is_ordered(struct order *order, const uint32_t *ticks, const struct finding *finding)
{
    const struct finding_event *first = &finding->events[0];
    const struct vclock *clock = order_clock(order, finding->events[1].thread);
    return vclock_saw(clock, (struct epoch){first->thread, ticks[first->pos]});
}

static void note(struct engine_run *run, struct finding *finding, uint32_t object)
{
    char text[NOTE_ROOM];
    const char *name = object ? trace_name(run->trace, CLASS_VARIABLE, object - 1) : "a library";
    snprintf(text, sizeof text,
             "In the recorded run only %s may order the two: it is not instrumented. Build it "
             "with preplay cc, or use --valgrind, which sees inside.",
             name);
    free((char *)finding->note);
    finding->note = memory_copy(text, strlen(text) + 1);
}

static void step(struct orders *orders, const struct event *event, uint32_t pos)
{
    orders->all_ticks[pos] = vclock_get(order_clock(orders->all, event->thread), event->thread);
    orders->seen_ticks[pos] = vclock_get(order_clock(orders->seen, event->thread), event->thread);
    order_step(orders->all, event);
    if (is_unseen(event))
        orders->last[event->thread] = event->object + 1;
    else
        order_step(orders->seen, event);
}

static void note_all(struct engine_run *run, struct finding **races, size_t count)
{
    enum { FLAGS = ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS | ORDER_C11 };
    const struct history *history = run->history;
    struct orders orders = {
        .all = order_create(FLAGS),
        .seen = order_create(FLAGS),
        .all_ticks = NEW_ARRAY(uint32_t, history->count),
        .seen_ticks = NEW_ARRAY(uint32_t, history->count),
        .last = NEW_ARRAY(uint32_t, history->threads),
    };
    size_t next = 0;
    for (uint32_t pos = 0; pos < history->count && next < count; pos++) {
        const struct event *event = &history->events[pos];
        for (; next < count && races[next]->events[1].pos == pos; next++)
            if (is_ordered(orders.all, orders.all_ticks, races[next]) &&
                !is_ordered(orders.seen, orders.seen_ticks, races[next]))
                note(run, races[next], orders.last[event->thread]);
        step(&orders, event, pos);
    }
    order_destroy(orders.all);
    order_destroy(orders.seen);
    free(orders.all_ticks);
    free(orders.seen_ticks);
    free(orders.last);
}

void unseen_orders_note(struct engine_run *run)
{
    if (!has_unseen(run->history))
        return;
    struct finding **races = NEW_ARRAY(struct finding *, run->findings->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < run->findings->count; i++)
        if (run->findings->items[i].kind == FINDING_RACE &&
            run->findings->items[i].verdict == VERDICT_CANDIDATE)
            races[count++] = &run->findings->items[i];
    if (count) {
        qsort(races, count, sizeof *races, compare_seconds);
        note_all(run, races, count);
    }
    free(races);
}
