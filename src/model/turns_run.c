/* SPDX-License-Identifier: MIT */
#include "model/turns_run.h"

#include "base/memory.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct running {
    struct machine *machine;
    const struct history *history;
    /* By thread, the numbers of its events that are not plain accesses:
     * items[start[thread] .. start[thread + 1]). NULL where accesses have rules. */
    uint32_t *start, *items;
};

/* Atomic loads are kept under every model, and see what plain writes wrote. */
static bool has_free_accesses(const struct rules *rules)
{
    return rules->model == MODEL_SYNC && !(rules->history->ops & OPS_BOUND);
}

static void find_syncs(struct running *running)
{
    const struct history *history = running->history;
    running->start = NEW_ARRAY(uint32_t, (size_t)history->threads + 2);
    running->items = memory_alloc(history->sync_count, sizeof *running->items);
    for (uint32_t i = 0; i < history->sync_count; i++)
        running->start[history->events[history->syncs[i]].thread + 2]++;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        running->start[thread + 2] += running->start[thread + 1];
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t pos = history->syncs[i];
        running->items[running->start[history->events[pos].thread + 1]++] = history->index[pos];
    }
}

/* How far the thread comes from its event number `next` on, not beyond `end`, until it meets
 * synchronisation; its first event waits for the fork. */
static uint32_t free_until(const struct running *running, uint32_t thread, uint32_t next,
                           uint32_t end)
{
    if (!running->items || !next)
        return next;
    uint32_t last = running->start[thread + 1];
    uint32_t low =
        SORTED_POINT(middle, running->start[thread], last, running->items[middle] < next);
    return low < last && running->items[low] < end ? running->items[low] : end;
}

static bool may_go_on(const struct running *running, uint32_t thread, uint32_t end,
                      struct turns_stop *stop)
{
    stop->rule = machine_run(running->machine, thread, end);
    if (stop->rule != RULE_NONE)
        stop->pos = machine_next(running->machine, thread);
    return stop->rule == RULE_NONE;
}

/* The thread of `pos` goes on as far as right before it. */
static bool go_on(const struct running *running, uint32_t pos, struct turns_stop *stop)
{
    const struct history *history = running->history;
    uint32_t thread = history->events[pos].thread, end = history->index[pos];
    for (uint32_t at; (at = machine_next(running->machine, thread)) != POS_NONE;) {
        uint32_t next = history->index[at];
        if (next >= end)
            break;
        uint32_t until = free_until(running, thread, next, end);
        if (until > next)
            machine_skip(running->machine, thread, until);
        else if (!may_go_on(running, thread, running->items ? next + 1 : end, stop))
            return false;
    }
    return true;
}

static bool may_come(const struct running *running, uint32_t pos, struct turns_stop *stop)
{
    stop->pos = pos;
    stop->rule = machine_forbids(running->machine, pos);
    return stop->rule == RULE_NONE;
}

static bool run_all(const struct running *running, const uint32_t *turns, uint32_t length,
                    uint32_t ends, struct turns_stop *stop)
{
    for (uint32_t at = 0; at < length; at++) {
        uint32_t pos = turns[at];
        if (!go_on(running, pos, stop))
            return false;
        if (at + ends >= length)
            continue;
        if (!may_come(running, pos, stop))
            return false;
        machine_execute(running->machine, pos);
    }
    return true;
}

/* How many events were executed: the place of the next one. */
static uint32_t place_of_next(const struct running *running)
{
    const struct history *history = running->history;
    uint32_t place = 0;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t next = machine_next(running->machine, thread);
        place += next == POS_NONE ? history_thread_length(history, thread) : history->index[next];
    }
    return place;
}

bool turns_run(struct machine *machine, const struct rules *rules, const uint32_t *turns,
               uint32_t length, uint32_t ends, struct turns_stop *stop)
{
    struct running running = {.machine = machine, .history = rules->history};
    if (has_free_accesses(rules))
        find_syncs(&running);
    bool good = run_all(&running, turns, length, ends, stop);
    if (!good)
        stop->at = place_of_next(&running);
    free(running.start);
    free(running.items);
    return good;
}
