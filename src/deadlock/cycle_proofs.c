/* SPDX-License-Identifier: MIT */
#include "deadlock/cycle_proofs.h"

#include "base/memory.h"
#include "deadlock/cycle_search.h"
#include "search/nearby.h"

/* Events that all searches of a run may schedule: what bounds the time of a trace
 * with thousands of hopeless cycles. */
#define LOOK_WORK   UINT64_C(200000000)
#define SEARCH_WORK UINT64_C(100000000)
/* What is tried before a look. */
#define FIRST_STEPS 1

void cycle_proofs_prepare(struct cycle_proofs *proofs)
{
    if (!proofs->index)
        proofs->index = search_index_create(proofs->run->history, proofs->model);
    if (!proofs->search)
        proofs->search = search_create(proofs->index);
}

static bool look(void *context, struct cycle_tuple *tuple)
{
    struct cycle_proofs *proofs = context;
    if (!proofs->nearby)
        proofs->nearby = nearby_create(proofs->run->history, proofs->model);
    return nearby_work(proofs->nearby) < LOOK_WORK &&
           nearby_deadlock(proofs->nearby, tuple->acquires, tuple->count, &tuple->witness,
                           &tuple->witness_length);
}

static enum decision search_for(const struct cycle_proofs *proofs, struct cycle_tuple *tuple,
                                uint64_t budget)
{
    struct search_query query = {SEARCH_DEADLOCK, tuple->acquires, tuple->count, budget};
    struct search_witness found;
    switch (search_reach(proofs->search, &query, &found)) {
    case SEARCH_REFUTED:
        return DECISION_NO;
    case SEARCH_EXHAUSTED:
        return DECISION_UNKNOWN;
    default:
        tuple->witness = memory_copy(found.events, found.length * sizeof *found.events);
        tuple->witness_length = found.length;
        return DECISION_YES;
    }
}

/* Most tuples that are none are refuted before a schedule is begun: a look would cost more. */
static enum decision decide(void *context, struct cycle_tuple *tuple)
{
    struct cycle_proofs *proofs = context;
    cycle_proofs_prepare(proofs);
    if (search_steps(proofs->search) > SEARCH_WORK)
        return look(context, tuple) ? DECISION_YES : DECISION_UNKNOWN;
    enum decision decision = search_for(proofs, tuple, FIRST_STEPS);
    if (decision != DECISION_UNKNOWN)
        return decision;
    if (look(context, tuple))
        return DECISION_YES;
    return search_for(proofs, tuple, proofs->run->options->budget);
}

void cycle_proofs_run(struct cycle_proofs *proofs, const struct lock_order *order, bool only_found)
{
    struct cycle_search search = {
        .run = proofs->run,
        .order = order,
        .model = proofs->model,
        .looks = 2048,
        .decisions = 1 << 16,
        .cycle_steps = UINT64_C(1) << 26,
        .only_found = only_found,
        .look = look,
        .decide = decide,
        .context = proofs,
    };
    cycle_search_run(&search);
}

void cycle_proofs_free(struct cycle_proofs *proofs)
{
    nearby_destroy(proofs->nearby);
    search_destroy(proofs->search);
}
