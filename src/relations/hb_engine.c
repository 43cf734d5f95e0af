/* SPDX-License-Identifier: MIT */
/* hb and shb: races of the observed order.
 *
 * Two conflicting accesses race if happens-before does not order them
 * (Sadowski, chapters 7 and 8); all racing pairs of locations are reported.
 *
 * hb: the first race reported is real; what follows it may hang on it.
 * shb (schedulable happens-before: Mathur, Kini, Viswanathan 2018) orders also
 * a write before the reads that saw it, and with that every race is real. */
#include "base/array.h"
#include "relations/clock_races.h"
#include "model/order.h"

struct hb {
    struct order *order;
    struct clock_races *races;
    struct indices ARRAY_OF(uint32_t) next_index; /* by thread */
};

static void create(struct engine_run *run, unsigned flags)
{
    struct hb *hb = NEW(struct hb);
    hb->order = order_create(flags);
    hb->races = clock_races_create(run, hb->order);
    run->state = hb;
}

static void create_hb(struct engine_run *run)
{
    create(run, ORDER_LOCKS | ORDER_SIGNALS | ORDER_C11);
}

static void create_shb(struct engine_run *run)
{
    create(run, ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS);
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct hb *hb = run->state;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        clock_races_look_ahead(hb->races, events, i, count);
        array_grow(&hb->next_index, event->thread + 1);
        uint32_t index = hb->next_index.items[event->thread]++;
        if (op_in(event->op, OPS_ACCESS)) {
            const struct vclock *clock = order_clock(hb->order, event->thread);
            clock_races_check(hb->races, event, first + (uint32_t)i, index, clock, clock);
        }
        order_step(hb->order, event);
    }
    clock_races_forget(hb->races, run->trace);
}

static void destroy(struct engine_run *run)
{
    struct hb *hb = run->state;
    clock_races_destroy(hb->races);
    order_destroy(hb->order);
    array_free(&hb->next_index);
    free(hb);
}

const struct engine engine_hb = {
    .name = "hb",
    .summary = "races of the observed order",
    .promise = "the first race is real; no prediction",
    .source = "Sadowski, ch. 7-8; epochs as in FastTrack",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_OBSERVED,
    .default_model = MODEL_NONE,
    .create = create_hb,
    .events = on_events,
    .destroy = destroy,
};

const struct engine engine_shb = {
    .name = "shb",
    .summary = "races of the observed order, all of them real",
    .promise = "sound under rf; no prediction",
    .source = "schedulable happens-before (Mathur, Kini, Viswanathan 2018)",
    .finds = FINDS_RACES,
    .guarantee = GUARANTEE_SOUND,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_RF,
    .create = create_shb,
    .events = on_events,
    .destroy = destroy,
};
