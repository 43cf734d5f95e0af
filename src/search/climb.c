/* SPDX-License-Identifier: MIT */
/* One task under one model: its instances are tried until one has a witness. */
#include "search/solve_state.h"

#include "base/memory.h"
#include "trace/turns.h"

#include <stdlib.h>

/* Where the instance's events are in the essence; false if one of them cannot race. */
static bool find_events(const struct essence *essence, const uint32_t *events, uint32_t size,
                        uint32_t *found)
{
    for (uint32_t i = 0; i < size; i++)
        if ((found[i] = essence_pos(essence, events[i])) == POS_NONE)
            return false;
    return true;
}

/* Long ones stay turns: they would be folded in the end (turns.h). */
static void keep_turns(const struct essence *essence, const struct search_witness *witness,
                       uint32_t ends, struct solve_outcome *outcome)
{
    outcome->witness = essence_turns(essence, witness, ends, &outcome->length);
    outcome->in_turns =
        turns_events(essence->whole, outcome->witness, outcome->length) > TURNS_FROM;
    if (outcome->in_turns)
        return;
    uint32_t *turns = outcome->witness;
    outcome->witness = turns_unfold(essence->whole, turns, outcome->length, ends, &outcome->length);
    free(turns);
}

static enum search_answer try_events(const struct climber *climber, const struct solve_task *task,
                                     const uint32_t *events, uint64_t budget,
                                     struct solve_outcome *outcome)
{
    struct search_query query = {task->goal, events, task->size, budget};
    struct search_witness witness;
    enum search_answer answer = search_reach(climber->search, &query, &witness);
    if (answer != SEARCH_WITNESS || climber->without_witnesses)
        return answer;
    if (climber->essence) {
        keep_turns(climber->essence, &witness, task->size, outcome);
    } else {
        outcome->witness = memory_copy(witness.events, witness.length * sizeof *witness.events);
        outcome->length = witness.length;
        outcome->in_turns = false;
    }
    return answer;
}

static enum search_answer try_instance(const struct climber *climber, const struct solve_task *task,
                                       uint32_t instance, uint64_t budget,
                                       struct solve_outcome *outcome)
{
    const uint32_t *events = task->events + (size_t)instance * task->size;
    enum search_answer answer = SEARCH_REFUTED;
    if (!climber->essence) {
        answer = try_events(climber, task, events, budget, outcome);
    } else {
        uint32_t *found = memory_alloc(task->size, sizeof *found);
        if (find_events(climber->essence, events, task->size, found))
            answer = try_events(climber, task, found, budget, outcome);
        free(found);
    }
    if (answer == SEARCH_WITNESS) {
        outcome->answer = SEARCH_WITNESS;
        outcome->instance = instance;
    }
    return answer;
}

struct early {
    uint32_t instance, pos; /* pos of its last event */
};

static int by_pos(const void *a, const void *b)
{
    const struct early *x = a, *y = b;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* In which order closures are asked. Under `sync` most instances have a witness, which is as long
 * as the trace before it: so the early ones first. Others as they come, the closest first. */
static struct early *instances_of(const struct solve_task *task, enum model model)
{
    struct early *order = memory_alloc(task->count, sizeof *order);
    for (uint32_t i = 0; i < task->count; i++) {
        order[i] = (struct early){i, 0};
        for (uint32_t k = 0; k < task->size; k++) {
            uint32_t pos = task->events[(size_t)i * task->size + k];
            order[i].pos = pos > order[i].pos ? pos : order[i].pos;
        }
    }
    if (model == MODEL_SYNC)
        qsort(order, task->count, sizeof *order, by_pos);
    return order;
}

/* All instances under one model; true if one has a witness. First what closures
 * alone can tell, which is cheap; then the first few that are left, in full, with the budget of
 * two for all of them. */
static bool climb_all(const struct climber *climber, const struct solve_task *task,
                      const struct early *order, bool *is_open, uint64_t budget,
                      struct solve_outcome *outcome)
{
    enum { QUICK = 1, FULL_MAX = 8 };
    uint32_t open = 0, tried = 0;
    outcome->answer = SEARCH_REFUTED;
    for (uint32_t i = 0; i < task->count; i++) {
        enum search_answer answer = try_instance(climber, task, order[i].instance, QUICK, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        is_open[order[i].instance] = answer == SEARCH_EXHAUSTED;
        open += answer == SEARCH_EXHAUSTED;
    }
    uint64_t end = search_steps(climber->search) + 2 * budget;
    for (uint32_t i = 0; i < task->count && tried < FULL_MAX; i++) {
        if (!is_open[i] || (tried++ && search_steps(climber->search) > end))
            continue;
        enum search_answer answer = try_instance(climber, task, i, budget, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        open -= answer == SEARCH_REFUTED;
    }
    if (open)
        outcome->answer = SEARCH_EXHAUSTED;
    return false;
}

bool climber_climb(const struct climber *climber, const struct solve_task *task, uint64_t budget,
                   struct solve_outcome *outcome)
{
    if (task->count == 1) {
        outcome->answer = try_instance(climber, task, 0, budget, outcome);
        return outcome->answer == SEARCH_WITNESS;
    }
    struct early *order = instances_of(task, outcome->model);
    bool *is_open = NEW_ARRAY(bool, task->count);
    bool found = climb_all(climber, task, order, is_open, budget, outcome);
    free(is_open);
    free(order);
    return found;
}
