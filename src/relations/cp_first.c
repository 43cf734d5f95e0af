/* SPDX-License-Identifier: MIT */
#include "relations/cp_first.h"

#include "relations/cp.h"

#include <assert.h>

/* The last access of a kind by a thread. */
struct last_access {
    uint32_t pos, tick;
};

struct last_accesses ARRAY_OF(struct last_access);

struct first_search {
    const struct history *history;
    struct last_accesses *variables;
};

/* Both have the same conflicts with others. */
static bool are_alike(const struct event *a, const struct event *b)
{
    return a->thread == b->thread && event_reads(a) == event_reads(b) &&
           event_writes(a) == event_writes(b) &&
           op_in(a->op, OPS_ATOMIC) == op_in(b->op, OPS_ATOMIC);
}

static void keep_access(struct first_search *search, uint32_t pos, uint32_t tick)
{
    const struct event *events = search->history->events;
    struct last_accesses *last = &search->variables[events[pos].object];
    size_t at = 0;
    while (at < last->count && !are_alike(&events[last->items[at].pos], &events[pos]))
        at++;
    if (at == last->count)
        array_grow(last, at + 1);
    last->items[at] = (struct last_access){pos, tick};
}

/* The latest access that races with the one at `pos`; false if there is none. (Whatever an edge
 * puts before it in happens-before, it also puts there in causally-precedes: `happened` tells of a
 * race what it would without edges.) */
static bool latest_race(const struct first_search *search, uint32_t pos,
                        const struct vclock *before, const struct vclock *happened,
                        struct race_edge *race)
{
    const struct event *events = search->history->events;
    const struct last_accesses *last = &search->variables[events[pos].object];
    *race = (struct race_edge){POS_NONE, pos, false};
    for (size_t i = 0; i < last->count; i++) {
        const struct last_access *access = &last->items[i];
        struct epoch epoch = {events[access->pos].thread, access->tick};
        if (event_conflict(&events[access->pos], &events[pos]) && !vclock_saw(before, epoch) &&
            (race->first == POS_NONE || access->pos > race->first))
            *race = (struct race_edge){access->pos, pos, !vclock_saw(happened, epoch)};
    }
    return race->first != POS_NONE;
}

static bool read_to_race(struct first_search *search, const struct race_edges *edges,
                         struct race_edge *race)
{
    const struct history *history = search->history;
    struct cp *cp = cp_create_with(history, edges);
    bool found = false;
    for (uint32_t pos = 0; pos < history->count && !found; pos++) {
        const struct event *event = &history->events[pos];
        cp_enter(cp, pos);
        if (op_in(event->op, OPS_ACCESS)) {
            const struct vclock *happened = cp_happened_before(cp, event->thread);
            found = latest_race(search, pos, cp_before(cp, event->thread), happened, race);
            keep_access(search, pos, vclock_get(happened, event->thread));
        }
        cp_leave(cp, pos);
    }
    cp_destroy(cp);
    return found;
}

static bool first_race(const struct history *history, const struct race_edges *edges,
                       struct race_edge *race)
{
    uint32_t count = trace_count(history->trace, CLASS_VARIABLE);
    struct first_search search = {history, NEW_ARRAY(struct last_accesses, count)};
    bool found = read_to_race(&search, edges, race);
    for (uint32_t id = 0; id < count; id++)
        array_free(&search.variables[id]);
    free(search.variables);
    return found;
}

bool cp_first_races(const struct history *history, uint64_t work, struct race_edges *races)
{
    struct race_edge race;
    uint64_t walked = 0;
    do {
        if (!first_race(history, races, &race))
            return true;
        assert(!races->count || array_last(races).second <= race.second);
        array_push(races, race);
        walked += history->count;
    } while (walked < work);
    return false;
}
