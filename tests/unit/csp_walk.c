#include "csp_walk.h"

#include "base/memory.h"
#include "seen_states.h"

#include <stdlib.h>

bool walk_is_step(const struct history *history, uint32_t pos, uint32_t from, uint32_t to)
{
    const struct event *event = &history->events[pos];
    if (op_in(event->op, OPS_SYNC))
        return event->op != EVENT_START && event->op != EVENT_END && event->op != EVENT_FENCE;
    if (event->op != EVENT_WRITE)
        return false;
    for (uint32_t other = from; other < to; other++)
        if (history->events[other].object == event->object &&
            (history->events[other].op == EVENT_ATOMIC_LOAD ||
             history->events[other].op == EVENT_ATOMIC_RMW))
            return true;
    return false;
}

uint32_t walk_window_end(const struct history *history, uint32_t from, uint32_t size)
{
    uint32_t to = from;
    for (uint32_t counted = 0; to < history->count && counted < size; to++)
        counted += op_in(history->events[to].op, OPS_SYNC | OPS_ACCESS);
    return to;
}

/* What is true in a window: everything before it as observed, nothing after it. */
struct window_walk {
    const struct history *history;
    uint32_t from, to;
    struct map seen;
    uint32_t *lengths; /* by pair of positions */
};

static void note_race(struct window_walk *walk, uint32_t a, uint32_t b, uint32_t steps)
{
    uint32_t *length =
        &walk->lengths[a < b ? a * walk->history->count + b : b * walk->history->count + a];
    *length = steps < *length ? steps : *length;
}

/* The next event of a thread that has begun, if it lies in the window. */
static uint32_t next_inside(const struct window_walk *walk, const struct machine *machine,
                            uint32_t thread)
{
    uint32_t pos = machine_next(machine, thread);
    return pos != POS_NONE && pos < walk->to && machine_forbids_sync(machine, pos) != RULE_FORK
               ? pos
               : POS_NONE;
}

/* A state tells how many steps were taken to it: all ways to it are as long. */
static void walk_window(struct window_walk *walk, const struct machine *machine, uint32_t steps)
{
    if (!seen_first(&walk->seen, machine))
        return;
    for (uint32_t thread = 0; thread < walk->history->threads; thread++) {
        uint32_t pos = next_inside(walk, machine, thread);
        for (uint32_t other = 0; pos != POS_NONE && other < thread; other++) {
            uint32_t with = next_inside(walk, machine, other);
            if (with != POS_NONE &&
                event_conflict(&walk->history->events[pos], &walk->history->events[with]))
                note_race(walk, pos, with, steps);
        }
        if (pos == POS_NONE || machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *copy = machine_copy(machine);
        machine_execute(copy, pos);
        walk_window(walk, copy, steps + walk_is_step(walk->history, pos, walk->from, walk->to));
        machine_destroy(copy);
    }
}

uint32_t *walk_races(const struct history *history, uint32_t size)
{
    size_t pairs = (size_t)history->count * history->count;
    struct window_walk walk = {.history = history, .lengths = NEW_ARRAY(uint32_t, pairs)};
    for (size_t i = 0; i < pairs; i++)
        walk.lengths[i] = NO_WAY;
    struct rules *rules = rules_create(history, MODEL_SYNC);
    struct machine *start = machine_create(rules);
    for (walk.from = 0; walk.from < history->count; walk.from = walk.to) {
        walk.to = walk_window_end(history, walk.from, size);
        map_clear(&walk.seen);
        walk_window(&walk, start, 0);
        for (uint32_t pos = walk.from; pos < walk.to; pos++)
            machine_execute(start, pos);
    }
    machine_destroy(start);
    rules_destroy(rules);
    map_free(&walk.seen);
    return walk.lengths;
}
