#include "deadlock/explore.h"

#include "base/array.h"
#include "deadlock/eager.h"

struct explorer {
    const struct rules *rules;
    const struct blocking *blocking;
    uint32_t to;
    bool *eager;
    uint32_t *stop_at;
    struct walk *walk;
    struct way ARRAY_OF(uint32_t) way;
};

struct explorer *explorer_create(const struct rules *rules, const struct blocking *blocking,
                                 const struct machine *start, uint32_t from, uint32_t to,
                                 uint32_t jobs)
{
    struct explorer *explorer = NEW(struct explorer);
    explorer->rules = rules;
    explorer->blocking = blocking;
    explorer->to = to;
    explorer->stop_at = NEW_ARRAY(uint32_t, rules->history->threads);
    explorer->eager = eager_find(rules, from, to);
    const struct walk_space space = {rules, start, from, to, explorer->eager, explorer->stop_at};
    explorer->walk = walk_create(&space, jobs);
    return explorer;
}

void explorer_destroy(struct explorer *explorer)
{
    if (!explorer)
        return;
    walk_destroy(explorer->walk);
    array_free(&explorer->way);
    free(explorer->stop_at);
    free(explorer->eager);
    free(explorer);
}

static void stop_nowhere(struct explorer *explorer)
{
    memset(explorer->stop_at, 0xff, explorer->rules->history->threads * sizeof *explorer->stop_at);
}

struct goal {
    const struct explorer *explorer;
    const uint32_t *events;
    uint32_t count;
};

static bool stands(void *context, uint32_t walker, const struct machine *machine,
                   const uint32_t *way, uint32_t length)
{
    (void)walker, (void)way, (void)length;
    const struct goal *goal = context;
    const struct history *history = goal->explorer->rules->history;
    for (uint32_t i = 0; i < goal->count; i++)
        if (machine_next(machine, history->events[goal->events[i]].thread) != goal->events[i] ||
            machine_forbids_sync(machine, goal->events[i]) == RULE_FORK)
            return false;
    return blocking_deadlock(goal->explorer->blocking, machine, goal->events, goal->count);
}

static struct search_witness witness_of(struct explorer *explorer, const struct goal *goal)
{
    uint32_t length;
    const uint32_t *way = walk_way(explorer->walk, &length);
    explorer->way.count = 0;
    for (uint32_t i = 0; i < length; i++)
        array_push(&explorer->way, way[i]);
    for (uint32_t i = 0; i < goal->count; i++)
        array_push(&explorer->way, goal->events[i]);
    return (struct search_witness){explorer->way.items, (uint32_t)explorer->way.count};
}

enum search_answer explorer_deadlock(struct explorer *explorer, const uint32_t *events,
                                     uint32_t count, uint64_t states,
                                     struct search_witness *witness)
{
    struct goal goal = {explorer, events, count};
    stop_nowhere(explorer);
    for (uint32_t i = 0; i < count; i++)
        explorer->stop_at[explorer->rules->history->events[events[i]].thread] = events[i];
    switch (walk_run(explorer->walk, states, stands, &goal)) {
    case WALK_ALL:
        return SEARCH_REFUTED;
    case WALK_LIMIT:
        return SEARCH_EXHAUSTED;
    case WALK_FOUND:
        break;
    }
    *witness = witness_of(explorer, &goal);
    return SEARCH_WITNESS;
}

/* What one walker is about to tell. */
struct telling {
    const struct explorer *explorer;
    explorer_found *found;
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
    const struct explorer *explorer = telling->explorer;
    telling->way = way;
    telling->length = length;
    telling->all &=
        blocking_each_deadlock(explorer->blocking, machine, explorer->to, tell, telling);
    return false;
}

bool explorer_each_deadlock(struct explorer *explorer, uint64_t states, explorer_found *found,
                            void *const contexts[WALKERS])
{
    struct telling tellings[WALKERS];
    for (uint32_t i = 0; i < WALKERS; i++)
        tellings[i] = (struct telling){explorer, found, contexts[i], true, NULL, 0};
    stop_nowhere(explorer);
    bool all = walk_run(explorer->walk, states, tell_each, tellings) == WALK_ALL;
    for (uint32_t i = 0; i < WALKERS; i++)
        all &= tellings[i].all;
    return all;
}

uint64_t explorer_states(const struct explorer *explorer)
{
    return walk_states(explorer->walk);
}
