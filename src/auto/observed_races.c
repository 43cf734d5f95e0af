/* SPDX-License-Identifier: MIT */
#include "auto/observed_races.h"

#include "base/memory.h"
#include "model/order.h"

#include <stdlib.h>

static int compare_seconds(const void *a, const void *b)
{
    const struct finding *const *x = a, *const *y = b;
    return ((*x)->events[1].pos > (*y)->events[1].pos) -
           ((*x)->events[1].pos < (*y)->events[1].pos);
}

void observed_races_mark(struct engine_run *run)
{
    const struct history *history = run->history;
    struct finding **races = NEW_ARRAY(struct finding *, run->findings->count + 1);
    size_t count = 0, next = 0;
    for (size_t i = 0; i < run->findings->count; i++)
        if (run->findings->items[i].kind == FINDING_RACE &&
            run->findings->items[i].model != MODEL_SYNC)
            races[count++] = &run->findings->items[i];
    if (count)
        qsort(races, count, sizeof(struct finding *), compare_seconds);
    struct order *order = order_create(ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS | ORDER_C11);
    order_know(order, history);
    uint32_t *ticks = count ? NEW_ARRAY(uint32_t, history->count) : NULL;
    for (uint32_t pos = 0; pos < history->count && next < count; pos++) {
        const struct event *event = &history->events[pos];
        const struct vclock *clock = order_clock(order, event->thread);
        ticks[pos] = vclock_get(clock, event->thread);
        for (; next < count && races[next]->events[1].pos == pos; next++) {
            const struct finding_event *first = &races[next]->events[0];
            if (!vclock_saw(clock, (struct epoch){first->thread, ticks[first->pos]}))
                races[next]->verdict = VERDICT_OBSERVED;
        }
        order_step(order, event);
        order_passed(order, pos);
    }
    order_destroy(order);
    free(ticks);
    free(races);
}
