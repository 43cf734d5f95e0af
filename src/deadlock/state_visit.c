/* SPDX-License-Identifier: MIT */
#include "deadlock/state_visit.h"

#include "base/array.h"
#include "deadlock/eager.h"

struct state_visit {
    const struct rules *rules;
    const struct blocking *blocking;
    uint32_t to;
    bool *eager;
    uint32_t *stop_at;
    struct walk *walk;
    struct way ARRAY_OF(uint32_t) way;
};

struct state_visit *state_visit_create(const struct rules *rules, const struct blocking *blocking,
                                       const struct machine *start, uint32_t from, uint32_t to,
                                       uint32_t jobs)
{
    struct state_visit *visit = NEW(struct state_visit);
    visit->rules = rules;
    visit->blocking = blocking;
    visit->to = to;
    visit->stop_at = NEW_ARRAY(uint32_t, rules->history->threads);
    visit->eager = eager_find(rules, from, to);
    const struct walk_space space = {rules, start, from, to, visit->eager, visit->stop_at};
    visit->walk = walk_create(&space, jobs);
    return visit;
}

void state_visit_destroy(struct state_visit *visit)
{
    if (!visit)
        return;
    walk_destroy(visit->walk);
    array_free(&visit->way);
    free(visit->stop_at);
    free(visit->eager);
    free(visit);
}

static void stop_nowhere(struct state_visit *visit)
{
    memset(visit->stop_at, 0xff, visit->rules->history->threads * sizeof *visit->stop_at);
}

struct goal {
    const struct state_visit *visit;
    const uint32_t *events;
    uint32_t count;
};

static bool stands(void *context, uint32_t walker, const struct machine *machine,
                   const uint32_t *way, uint32_t length)
{
    (void)walker, (void)way, (void)length;
    const struct goal *goal = context;
    const struct history *history = goal->visit->rules->history;
    for (uint32_t i = 0; i < goal->count; i++)
        if (machine_next(machine, history->events[goal->events[i]].thread) != goal->events[i] ||
            machine_forbids_sync(machine, goal->events[i]) == RULE_FORK)
            return false;
    return blocking_deadlock(goal->visit->blocking, machine, goal->events, goal->count);
}

static struct search_witness witness_of(struct state_visit *visit, const struct goal *goal)
{
    uint32_t length;
    const uint32_t *way = walk_way(visit->walk, &length);
    visit->way.count = 0;
    for (uint32_t i = 0; i < length; i++)
        array_push(&visit->way, way[i]);
    for (uint32_t i = 0; i < goal->count; i++)
        array_push(&visit->way, goal->events[i]);
    return (struct search_witness){visit->way.items, (uint32_t)visit->way.count};
}

enum search_answer state_visit_deadlock(struct state_visit *visit, const uint32_t *events,
                                        uint32_t count, uint64_t states,
                                        struct search_witness *witness)
{
    struct goal goal = {visit, events, count};
    stop_nowhere(visit);
    for (uint32_t i = 0; i < count; i++)
        visit->stop_at[visit->rules->history->events[events[i]].thread] = events[i];
    switch (walk_run(visit->walk, states, stands, &goal)) {
    case WALK_ALL:
        return SEARCH_REFUTED;
    case WALK_LIMIT:
        return SEARCH_EXHAUSTED;
    case WALK_FOUND:
        break;
    }
    *witness = witness_of(visit, &goal);
    return SEARCH_WITNESS;
}

/* What one walker is about to tell. */
struct telling {
    const struct state_visit *visit;
    state_visit_found *found;
    void *context;
    bool all; /* nothing was left out */
    const uint32_t *way;
    uint32_t length;
};

static void tell(void *context, const uint32_t *events, uint32_t count)
{
    struct telling *telling = context;
    telling->found(telling->context, events, count, telling->way, telling->length);
}

static bool tell_each(void *context, uint32_t walker, const struct machine *machine,
                      const uint32_t *way, uint32_t length)
{
    struct telling *telling = (struct telling *)context + walker;
    const struct state_visit *visit = telling->visit;
    telling->way = way;
    telling->length = length;
    telling->all &= blocking_each_deadlock(visit->blocking, machine, visit->to, tell, telling);
    return false;
}

bool state_visit_each_deadlock(struct state_visit *visit, uint64_t states, state_visit_found *found,
                               void *const contexts[WALKERS])
{
    struct telling tellings[WALKERS];
    for (uint32_t i = 0; i < WALKERS; i++)
        tellings[i] = (struct telling){visit, found, contexts[i], true, NULL, 0};
    stop_nowhere(visit);
    bool all = walk_run(visit->walk, states, tell_each, tellings) == WALK_ALL;
    for (uint32_t i = 0; i < WALKERS; i++)
        all &= tellings[i].all;
    return all;
}

uint64_t state_visit_states(const struct state_visit *visit)
{
    return walk_states(visit->walk);
}
