/* SPDX-License-Identifier: MIT */
/* deadlock: cycles of the lock graph, each checked for feasibility.
 *
 * One linear pass collects lock dependencies (lock_order.h); their cycles, of any
 * length, are enumerated lazily, shortest first (lock_cycles.h), which leaves out
 * gate locks, cycles within one thread and cycles that fork, join or barriers
 * order. What remains is decided (cycle_proofs.h): a schedule that leads into the deadlock,
 * or a proof that there is none.
 *
 * A join is an acquire of the joined thread's end, so that threads joined under a lock which
 * they still need are found as well. Where threads wait for more than locks, at barriers and
 * for signals, deadlocks are sets, not cycles (stuck_sets.h); lost wake-ups are sets of one.
 *
 * Of a run that hung, the deadlock that happened comes first (happened.h).
 *
 * After Carril & Tichy, interleavings, section 2.2.2, which checks the whole program for refusals,
 * and the lock graphs of Goodlock. Sound under `rf`, `value` and `branch`, exact under `sync`, up
 * to the cycles that its budget leaves undecided and counts. */
#include "deadlock/cycle_proofs.h"
#include "deadlock/happened.h"
#include "deadlock/stuck_sets.h"

/* Events that the searches for sets of waits may schedule: for one tuple, and for all. */
#define TUPLE_WORK UINT64_C(1000000)
#define STUCK_WORK UINT64_C(20000000)

struct deadlock {
    struct lock_order *order;
    struct order *must;
    bool atomics; /* seen any: then plain writes matter to what must come before */
    struct cycle_proofs proofs;
    uint64_t stuck_end; /* of the search's steps, where sets of waits are given up */
};

static void create(struct engine_run *run)
{
    struct deadlock *deadlock = NEW(struct deadlock);
    deadlock->order = lock_order_create();
    deadlock->must = order_create(order_must(engine_model(run)));
    run->state = deadlock;
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct deadlock *deadlock = run->state;
    uint64_t relevant = OPS_SYNC | (deadlock->atomics ? OP_BIT(EVENT_WRITE) : 0);
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        if (!op_in(event->op, relevant))
            continue;
        if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING)) {
            lock_order_step(deadlock->order, event, first + (uint32_t)i, deadlock->must);
            continue; /* locks are no part of the must-happen-before */
        }
        if (event->op == EVENT_JOIN)
            lock_order_step(deadlock->order, event, first + (uint32_t)i, deadlock->must);
        if (op_in(event->op, OPS_ATOMIC)) {
            deadlock->atomics = true;
            relevant |= OP_BIT(EVENT_WRITE);
        }
        order_step(deadlock->must, event);
    }
}

static enum search_answer reach(void *context, const struct stuck_goal *goal,
                                struct search_witness *witness)
{
    struct engine_run *run = context;
    struct deadlock *deadlock = run->state;
    struct search_query query = {SEARCH_NEXT, goal->events, goal->count,
                                 run->options->budget ? run->options->budget : TUPLE_WORK};
    if (search_steps(deadlock->proofs.search) > deadlock->stuck_end)
        return SEARCH_EXHAUSTED;
    return search_reach_after(deadlock->proofs.search, &query, goal->executed, goal->executed_count,
                              witness);
}

/* Beyond cycles of locks: barriers, once-blocks, signals, posts. */
static void find_stuck_sets(struct engine_run *run)
{
    struct deadlock *deadlock = run->state;
    if (!stuck_sets_possible(run->trace))
        return;
    cycle_proofs_prepare(&deadlock->proofs);
    deadlock->stuck_end = search_steps(deadlock->proofs.search) + STUCK_WORK;
    struct stuck_sets sets = {
        .run = run,
        .model = engine_model(run),
        .reach = reach,
        .context = run,
        .search = deadlock->proofs.search,
        .index = deadlock->proofs.index,
    };
    stuck_sets_find_all(&sets);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct deadlock *deadlock = run->state;
    enum model model = engine_model(run);
    if (deadlock->order->joins_while_holding || trace_count(run->trace, CLASS_SEMAPHORE)) {
        /* Known too late for what came before: rare enough to read it again. */
        lock_order_destroy(deadlock->order);
        deadlock->order = lock_order_read(run->history, model);
    }
    deadlock->proofs = (struct cycle_proofs){.run = run, .model = model};
    happened_find(run);
    cycle_proofs_run(&deadlock->proofs, deadlock->order, false);
    find_stuck_sets(run);
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct deadlock *deadlock = run->state;
    cycle_proofs_free(&deadlock->proofs);
    search_index_destroy(deadlock->proofs.index);
    order_destroy(deadlock->must);
    lock_order_destroy(deadlock->order);
    free(deadlock);
}

const struct engine engine_deadlock = {
    .name = "deadlock",
    .summary = "deadlocks: cycles of the lock graph, each with a schedule into it",
    .promise = "sound under rf, value and branch; exact under sync",
    .source = "Carril & Tichy, interleavings, section 2.2.2",
    .finds = FINDS_DEADLOCKS,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_VALUE | 1u << MODEL_RF | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
