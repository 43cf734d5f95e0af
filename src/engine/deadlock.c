/* deadlock: cycles of the lock graph, each checked for feasibility.
 *
 * One linear pass collects lock dependencies (lock_order.h); their cycles, of any
 * length, are enumerated lazily, shortest first (lock_cycles.h), which leaves out
 * gate locks, cycles within one thread and cycles that fork, join or barriers
 * order. What remains is decided first by a little disorder (search/nearby.h), then
 * by the witness search (search/search.h): a schedule that leads into the deadlock,
 * or a proof that there is none.
 *
 * A join is an acquire of the joined thread's end, so that threads joined under a lock which
 * they still need are found as well. Where threads wait for more than locks, at barriers and
 * for signals, deadlocks are sets, not cycles (stuck_sets.h); lost wake-ups are sets of one.
 *
 * Of a run that hung, the deadlock that happened comes first (happened.h).
 *
 * After seed 000 section 2.2.2, which checks the whole program for refusals, and
 * the lock graphs of Goodlock. Sound under `rf`, `value` and `branch`, exact under
 * `sync`, up to the cycles that its budget leaves undecided and counts. */
#include "engine/cycle_search.h"
#include "engine/happened.h"
#include "engine/stuck_sets.h"
#include "search/nearby.h"
#include "search/search.h"

/* Events that all searches of a run may schedule: what bounds the time of a trace
 * with thousands of hopeless cycles. */
#define LOOK_WORK   UINT64_C(200000000)
#define SEARCH_WORK UINT64_C(100000000)
/* What is tried before a look. */
#define FIRST_STEPS 1
/* The same for sets of waits: for one tuple, and for all. */
#define TUPLE_WORK UINT64_C(1000000)
#define STUCK_WORK UINT64_C(20000000)

struct deadlock {
    struct lock_order *order;
    struct order *must;
    bool atomics; /* seen any: then plain writes matter to what must come before */
    struct nearby *nearby;
    struct search_index *index;
    struct search *search;
    uint64_t stuck_end; /* of its steps, where sets of waits are given up */
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

static bool look(void *context, struct cycle_tuple *tuple)
{
    struct engine_run *run = context;
    struct deadlock *deadlock = run->state;
    if (!deadlock->nearby)
        deadlock->nearby = nearby_create(run->history, engine_model(run));
    return nearby_work(deadlock->nearby) < LOOK_WORK &&
           nearby_deadlock(deadlock->nearby, tuple->acquires, tuple->count, &tuple->witness,
                           &tuple->witness_length);
}

static void prepare_search(struct engine_run *run)
{
    struct deadlock *deadlock = run->state;
    if (deadlock->index)
        return;
    deadlock->index = search_index_create(run->history, engine_model(run));
    deadlock->search = search_create(deadlock->index);
}

static enum decision search_for(struct engine_run *run, struct cycle_tuple *tuple, uint64_t budget)
{
    struct deadlock *deadlock = run->state;
    struct search_query query = {SEARCH_DEADLOCK, tuple->acquires, tuple->count, budget};
    struct search_witness found;
    switch (search_reach(deadlock->search, &query, &found)) {
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
    struct engine_run *run = context;
    struct deadlock *deadlock = run->state;
    prepare_search(run);
    if (search_steps(deadlock->search) > SEARCH_WORK)
        return look(context, tuple) ? DECISION_YES : DECISION_UNKNOWN;
    enum decision decision = search_for(run, tuple, FIRST_STEPS);
    if (decision != DECISION_UNKNOWN)
        return decision;
    if (look(context, tuple))
        return DECISION_YES;
    return search_for(run, tuple, run->options->budget);
}

static enum search_answer reach(void *context, const struct stuck_goal *goal,
                                struct search_witness *witness)
{
    struct engine_run *run = context;
    struct deadlock *deadlock = run->state;
    struct search_query query = {SEARCH_NEXT, goal->events, goal->count,
                                 run->options->budget ? run->options->budget : TUPLE_WORK};
    if (search_steps(deadlock->search) > deadlock->stuck_end)
        return SEARCH_EXHAUSTED;
    return search_reach_after(deadlock->search, &query, goal->executed, goal->executed_count,
                              witness);
}

/* Beyond cycles of locks: barriers, once-blocks, signals, posts. */
static void find_stuck_sets(struct engine_run *run)
{
    struct deadlock *deadlock = run->state;
    if (!stuck_sets_possible(run->trace))
        return;
    prepare_search(run);
    deadlock->stuck_end = search_steps(deadlock->search) + STUCK_WORK;
    struct stuck_sets sets = {
        .run = run,
        .model = engine_model(run),
        .reach = reach,
        .context = run,
        .search = deadlock->search,
        .index = deadlock->index,
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
    struct cycle_search search = {
        .run = run,
        .order = deadlock->order,
        .model = model,
        .looks = 2048,
        .decisions = 1 << 16,
        .cycle_steps = UINT64_C(1) << 26,
        .look = look,
        .decide = decide,
        .context = run,
        .verdict = model == MODEL_SYNC ? VERDICT_CANDIDATE : VERDICT_PREDICTED,
    };
    happened_find(run);
    cycle_search_run(&search);
    find_stuck_sets(run);
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct deadlock *deadlock = run->state;
    nearby_destroy(deadlock->nearby);
    search_destroy(deadlock->search);
    search_index_destroy(deadlock->index);
    order_destroy(deadlock->must);
    lock_order_destroy(deadlock->order);
    free(deadlock);
}

const struct engine engine_deadlock = {
    .name = "deadlock",
    .summary = "deadlocks: cycles of the lock graph, each with a schedule into it",
    .promise = "sound under rf, value and branch; exact under sync",
    .source = "seed 000 section 2.2.2",
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
