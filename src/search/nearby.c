/* SPDX-License-Identifier: MIT */
#include "search/nearby_state.h"

struct nearby *nearby_create(const struct history *history, enum model model)
{
    struct nearby *nearby = NEW(struct nearby);
    nearby->rules = rules_create(history, model);
    nearby->interval = history->count / CHECKPOINTS;
    if (nearby->interval < INTERVAL_LEAST)
        nearby->interval = INTERVAL_LEAST;
    nearby->front = machine_create(nearby->rules);
    for (int class = 0; class < CLASS_COUNT; class ++)
        nearby->copied += trace_count(history->trace, class);
    nearby->stop_at = NEW_ARRAY(uint32_t, history->threads);
    nearby->stuck = NEW_ARRAY(bool, history->threads);
    nearby->needed = NEW_ARRAY(uint32_t, history->threads);
    return nearby;
}

void nearby_destroy(struct nearby *nearby)
{
    if (!nearby)
        return;
    for (size_t i = 0; i < nearby->checkpoints.count; i++)
        machine_destroy(nearby->checkpoints.items[i]);
    array_free(&nearby->checkpoints);
    array_free(&nearby->order);
    machine_destroy(nearby->front);
    machine_destroy(nearby->trail);
    rules_destroy(nearby->rules);
    free(nearby->stop_at);
    free(nearby->stuck);
    free(nearby->needed);
    map_free(&nearby->wanted);
    free(nearby);
}

struct machine *nearby_observed_until(struct nearby *nearby, uint32_t pos)
{
    for (; nearby->front_at <= pos; nearby->front_at++) {
        if (nearby->front_at % nearby->interval == 0)
            array_push(&nearby->checkpoints, machine_copy(nearby->front));
        if (nearby->front_at == pos)
            break;
        machine_execute(nearby->front, nearby->front_at);
    }
    uint32_t checkpoint = pos / nearby->interval;
    uint32_t at = checkpoint * nearby->interval;
    if (!nearby->trail || nearby->trail_at > pos || nearby->trail_at < at) {
        machine_destroy(nearby->trail);
        nearby->trail = machine_copy(nearby->checkpoints.items[checkpoint]);
        nearby->trail_at = at;
    }
    nearby->work += pos - nearby->trail_at;
    for (; nearby->trail_at < pos; nearby->trail_at++)
        machine_execute(nearby->trail, nearby->trail_at);
    nearby->work += nearby->copied / 8; /* words against events */
    return machine_copy(nearby->trail);
}

/* One pass over the observed order: every thread goes on until it stops or a rule
 * stops it. True if any event was executed. */
static bool pass(struct nearby *nearby, struct machine *machine, uint32_t from, uint32_t to)
{
    const struct history *history = nearby->rules->history;
    bool moved = false;
    nearby->work += to - from;
    memset(nearby->stuck, 0, history->threads * sizeof *nearby->stuck);
    for (uint32_t pos = from; pos <= to; pos++) {
        uint32_t thread = history->events[pos].thread;
        if (nearby->stuck[thread] || machine_executed(machine, pos))
            continue;
        if (pos == nearby->stop_at[thread] || machine_forbids(machine, pos) != RULE_NONE) {
            nearby->stuck[thread] = true;
            continue;
        }
        machine_execute(machine, pos);
        array_push(&nearby->order, pos);
        moved = true;
    }
    return moved;
}

static bool is_deadlock(const struct nearby *nearby, const struct machine *machine,
                        const uint32_t *acquires, uint32_t count)
{
    const struct event *events = nearby->rules->history->events;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = &events[acquires[i]];
        enum rule rule = machine_forbids_sync(machine, acquires[i]);
        if (machine_next(machine, event->thread) != acquires[i] ||
            rule != (event->op == EVENT_JOIN       ? RULE_JOIN
                     : event->op == EVENT_SEM_WAIT ? RULE_SEMAPHORE
                                                   : RULE_LOCK_HELD))
            return false;
        if (rule == RULE_LOCK_HELD &&
            !machine_blocked_by(machine, acquires[i], events[acquires[(i + 1) % count]].thread))
            return false;
    }
    return true;
}

uint32_t nearby_outermost_acquire(const struct history *history, uint32_t pos)
{
    uint32_t thread = history->events[pos].thread, outermost = pos;
    uint32_t index = history->index[pos], closed = 0;
    for (uint32_t seen = 0; index > 0 && seen < SCAN_LIMIT; seen++) {
        uint32_t at = history_pos(history, thread, --index);
        const struct event *event = &history->events[at];
        if (event_releases(event))
            closed++;
        else if (event_acquires(event) && closed)
            closed--;
        else if (event_acquires(event))
            outermost = at;
    }
    return outermost;
}

static uint32_t earliest(const uint32_t *acquires, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (acquires[i] < acquires[first])
            first = i;
    return first;
}

static uint32_t latest(const uint32_t *acquires, uint32_t count)
{
    uint32_t last = acquires[0];
    for (uint32_t i = 1; i < count; i++)
        last = acquires[i] > last ? acquires[i] : last;
    return last;
}

/* Observed up to `from`, then disorder. `held_back` is the thread that waits at
 * `from` until the others stand, or UINT32_MAX. */
static bool attempt(struct nearby *nearby, const uint32_t *acquires, uint32_t count, uint32_t from,
                    uint32_t held_back)
{
    const struct history *history = nearby->rules->history;
    uint32_t to = latest(acquires, count);
    memset(nearby->stop_at, 0xff, history->threads * sizeof *nearby->stop_at);
    for (uint32_t i = 0; i < count; i++)
        nearby->stop_at[history->events[acquires[i]].thread] = acquires[i];
    struct machine *machine = nearby_observed_until(nearby, from);
    nearby->order.count = 0;
    if (held_back != UINT32_MAX) {
        uint32_t stop = nearby->stop_at[held_back];
        nearby->stop_at[held_back] = from;
        for (int i = 0; i < PASSES && pass(nearby, machine, from, to); i++)
            ;
        nearby->stop_at[held_back] = stop;
    }
    bool found = false;
    for (int i = 0; i < PASSES && !found && pass(nearby, machine, from, to); i++)
        found = is_deadlock(nearby, machine, acquires, count);
    found = found || is_deadlock(nearby, machine, acquires, count);
    machine_destroy(machine);
    return found;
}

uint32_t *nearby_witness(const struct nearby *nearby, const uint32_t *last, uint32_t count,
                         uint32_t from, uint32_t *length)
{
    *length = from + (uint32_t)nearby->order.count + count;
    uint32_t *witness = memory_alloc(*length, sizeof *witness);
    for (uint32_t pos = 0; pos < from; pos++)
        witness[pos] = pos;
    if (nearby->order.count)
        memcpy(witness + from, nearby->order.items, nearby->order.count * sizeof *witness);
    memcpy(witness + *length - count, last, count * sizeof *witness);
    return witness;
}

bool nearby_deadlock(struct nearby *nearby, const uint32_t *acquires, uint32_t count,
                     uint32_t **witness, uint32_t *length)
{
    const struct history *history = nearby->rules->history;
    uint32_t first = acquires[earliest(acquires, count)];
    uint32_t from = first;
    if (latest(acquires, count) - first > SPAN_LIMIT)
        return false;
    if (!attempt(nearby, acquires, count, from, UINT32_MAX)) {
        from = nearby_outermost_acquire(history, first);
        if (!attempt(nearby, acquires, count, from, history->events[first].thread))
            return false;
    }
    *witness = nearby_witness(nearby, acquires, count, from, length);
    return true;
}

uint64_t nearby_work(const struct nearby *nearby)
{
    return nearby->work;
}
