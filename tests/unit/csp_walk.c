#include "csp_walk.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

/* True the first time this state is met. */
static bool is_new(struct map *seen, const struct machine *machine)
{
    unsigned char *key = NULL;
    size_t room = 0, length = machine_key(machine, &key, &room);
    uint64_t hash = 1;
    for (size_t i = 0; i < length; i++)
        hash = map_mix((hash + key[i]) * UINT64_C(1099511628211));
    free(key);
    bool added;
    map_at(seen, hash >> 1, &added);
    return added;
}

/* What is true in a window: everything before it as observed, nothing after it. */
struct window_walk {
    const struct history *history;
    uint32_t from, to;
    struct map seen;
    bool *raced; /* by pair of positions */
    size_t races;
};

static void note_race(struct window_walk *walk, uint32_t a, uint32_t b)
{
    bool *raced = &walk->raced[a < b ? a * walk->history->count + b : b * walk->history->count + a];
    walk->races += !*raced;
    *raced = true;
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

static void walk_window(struct window_walk *walk, const struct machine *machine)
{
    if (!is_new(&walk->seen, machine))
        return;
    for (uint32_t thread = 0; thread < walk->history->threads; thread++) {
        uint32_t pos = next_inside(walk, machine, thread);
        for (uint32_t other = 0; pos != POS_NONE && other < thread; other++) {
            uint32_t with = next_inside(walk, machine, other);
            if (with != POS_NONE &&
                event_conflict(&walk->history->events[pos], &walk->history->events[with]))
                note_race(walk, pos, with);
        }
        if (pos == POS_NONE || machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *copy = machine_copy(machine);
        machine_execute(copy, pos);
        walk_window(walk, copy);
        machine_destroy(copy);
    }
}

/* All windows of `size` events that count. */
static void walk_windows(struct window_walk *walk, uint32_t size)
{
    const struct history *history = walk->history;
    struct rules *rules = rules_create(history, MODEL_SYNC);
    struct machine *start = machine_create(rules);
    for (walk->from = 0; walk->from < history->count; walk->from = walk->to) {
        walk->to = walk->from;
        for (uint32_t counted = 0; walk->to < history->count && counted < size; walk->to++)
            counted += op_in(history->events[walk->to].op, OPS_SYNC | OPS_ACCESS);
        map_clear(&walk->seen);
        walk_window(walk, start);
        for (uint32_t pos = walk->from; pos < walk->to; pos++)
            machine_execute(start, pos);
    }
    machine_destroy(start);
    rules_destroy(rules);
}

bool *walk_window_races(const struct history *history, uint32_t size, size_t *count)
{
    struct window_walk walk = {
        .history = history,
        .raced = NEW_ARRAY(bool, (size_t)history->count * history->count),
    };
    walk_windows(&walk, size);
    map_free(&walk.seen);
    *count = walk.races;
    return walk.raced;
}
