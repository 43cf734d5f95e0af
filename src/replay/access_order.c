/* SPDX-License-Identifier: MIT */
#include "replay/access_order.h"

#include "base/map.h"
#include "base/memory.h"
#include "trace/schedule.h"

#include <stdlib.h>
#include <string.h>

#define NO_PLACE UINT32_MAX

struct access_order {
    const struct history *history;
    const struct finding *finding;
    uint32_t prefix;
    uint32_t *before, *after; /* by place: the thread's step before it, and after it; numbered
                                 from 1, 0 and UINT32_MAX if there is none */
    bool *listed;             /* by place */
    bool any;
};

static const struct event *event_at(const struct access_order *order, uint32_t place)
{
    return &order->history->events[order->finding->witness[place]];
}

static bool is_step(const struct event *event)
{
    return op_in(event->op, OPS_SCHEDULED) && !(event->flags & EVENT_IMPLIED);
}

static void number_steps(struct access_order *order)
{
    uint32_t *last = NEW_ARRAY(uint32_t, order->history->threads), steps = 0;
    for (uint32_t i = 0; i < order->prefix; i++) {
        const struct event *event = event_at(order, i);
        if (is_step(event))
            last[event->thread] = ++steps;
        order->before[i] = last[event->thread];
    }
    memset(last, 0xff, order->history->threads * sizeof *last);
    for (uint32_t i = order->prefix; i-- > 0;) {
        const struct event *event = event_at(order, i);
        order->after[i] = last[event->thread];
        if (is_step(event))
            last[event->thread] = order->before[i];
    }
    free(last);
}

/* Lists two accesses, unless they are in order anyway. */
static void need(struct access_order *order, uint32_t first, uint32_t second)
{
    if (first == NO_PLACE || event_at(order, first)->thread == event_at(order, second)->thread ||
        order->after[first] < order->before[second])
        return;
    order->listed[first] = order->listed[second] = order->any = true;
}

/* What is known of a variable on the way through the witness. */
struct seen {
    uint32_t write; /* place of the last one, or NO_PLACE */
    uint32_t reads; /* the last read since, linked through `earlier` */
};

static void order_conflicts(struct access_order *order)
{
    uint32_t variables = trace_count(order->history->trace, CLASS_VARIABLE);
    struct seen *seen = memory_alloc(variables, sizeof *seen);
    uint32_t *earlier = NEW_ARRAY(uint32_t, order->prefix);
    for (uint32_t i = 0; i < variables; i++)
        seen[i] = (struct seen){NO_PLACE, NO_PLACE};
    for (uint32_t i = 0; i < order->prefix; i++) {
        const struct event *event = event_at(order, i);
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        struct seen *mine = &seen[event->object];
        need(order, mine->write, i);
        if (event_writes(event)) {
            for (uint32_t read = mine->reads; read != NO_PLACE; read = earlier[read])
                need(order, read, i);
            *mine = (struct seen){i, NO_PLACE};
        } else {
            earlier[i] = mine->reads;
            mine->reads = i;
        }
    }
    free(earlier);
    free(seen);
}

/* The culprit runs inside the window, whatever the three touch. */
static void order_window(struct access_order *order)
{
    uint32_t places[3] = {NO_PLACE, NO_PLACE, NO_PLACE};
    for (uint32_t i = 0; i < order->prefix; i++)
        for (int k = 0; k < 3; k++)
            if (order->finding->witness[i] == order->finding->events[k].pos)
                places[k] = i;
    for (int k = 0; k < 3; k++)
        if (places[k] == NO_PLACE || !op_in(event_at(order, places[k])->op, OPS_ACCESS))
            return;
    need(order, places[0], places[2]);
    need(order, places[2], places[1]);
}

/* Every access of a variable through which a thread sees another one's write. */
static void order_everything(struct access_order *order)
{
    uint32_t variables = trace_count(order->history->trace, CLASS_VARIABLE);
    bool *seen = NEW_ARRAY(bool, variables);
    uint32_t *writer = NEW_ARRAY(uint32_t, variables); /* thread of the last write, plus one */
    for (uint32_t i = 0; i < order->prefix; i++) {
        const struct event *event = event_at(order, i);
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        uint32_t last = writer[event->object];
        if (event_reads(event) && last && last != event->thread + 1)
            seen[event->object] = true;
        if (event_writes(event))
            writer[event->object] = event->thread + 1;
    }
    /* What the culprit of a violation touches is what it is about. */
    if (order->finding->kind == FINDING_ATOMICITY && order->finding->object_class == CLASS_VARIABLE)
        seen[order->finding->object] = true;
    for (uint32_t i = 0; i < order->prefix; i++) {
        const struct event *event = event_at(order, i);
        if (op_in(event->op, OPS_ACCESS) && seen[event->object])
            order->listed[i] = order->any = true;
    }
    free(writer);
    free(seen);
}

/* An access is known by its code and by how many steps came before it: what is done
 * there to other memory in the same breath must be listed, too, to be told apart. */
static void list_alike(struct access_order *order)
{
    struct map alike = {0}; /* (steps before, location and operation) of a listed access */
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < order->prefix; i++) {
            const struct event *event = event_at(order, i);
            if (!op_in(event->op, OPS_ACCESS))
                continue;
            uint64_t place = map_pair(event->thread, event->location) * 64 + event->op;
            uint64_t key = (map_mix(place) ^ order->before[i]) >> 1;
            if (round == 0 && order->listed[i])
                map_at(&alike, key, NULL);
            else if (round == 1 && map_find(&alike, key))
                order->listed[i] = true;
        }
    map_free(&alike);
}

bool *access_order_find(const struct history *history, const struct finding *finding,
                        uint32_t prefix, enum schedule_detail detail)
{
    struct access_order order = {
        .history = history,
        .finding = finding,
        .prefix = prefix,
        .before = NEW_ARRAY(uint32_t, prefix),
        .after = NEW_ARRAY(uint32_t, prefix),
        .listed = NEW_ARRAY(bool, prefix),
    };
    number_steps(&order);
    if (detail == SCHEDULE_FINE)
        order_everything(&order);
    if (detail == SCHEDULE_NEEDED && finding->model != MODEL_SYNC)
        order_conflicts(&order);
    if (detail != SCHEDULE_PLAIN && finding->kind == FINDING_ATOMICITY && finding->event_count == 3)
        order_window(&order);
    if (order.any)
        list_alike(&order);
    free(order.before);
    free(order.after);
    if (order.any)
        return order.listed;
    free(order.listed);
    return NULL;
}
