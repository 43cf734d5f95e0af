/* SPDX-License-Identifier: MIT */
#include "search/search.h"

#include "base/interruption.h"
#include "model/checker.h"
#include "model/semaphore_locks.h"
#include "search/visit.h"

#include <assert.h>

struct search *search_create(const struct search_index *index)
{
    const struct trace *trace = index->history->trace;
    uint32_t threads = index->history->threads, instances = trace_barrier_instances(trace);
    struct search *search = NEW(struct search);
    search->index = index;
    search->ceiling = NEW_ARRAY(uint32_t, threads);
    search->stays = NEW_ARRAY(bool, threads);
    search->cut = NEW_ARRAY(uint32_t, 4 * (size_t)threads);
    search->scanned = search->cut + threads;
    search->kept = search->scanned + threads;
    search->kept_scanned = search->kept + threads;
    search->in_cone = NEW_ARRAY(bool, threads);
    memset(search->ceiling, 0xff, threads * sizeof *search->ceiling);
    search->has_edge = NEW_ARRAY(uint8_t, index->history->count);
    search->done = NEW_ARRAY(uint32_t, threads);
    search->begun = NEW_ARRAY(uint32_t, threads);
    search->order = memory_alloc((size_t)index->history->count + threads, sizeof *search->order);
    search->heap = NEW_ARRAY(uint32_t, threads);
    search->parked = NEW_ARRAY(struct parked, threads);
    search->locks = NEW_ARRAY(struct lock_now, trace_count(trace, CLASS_LOCK));
    search->memory = NEW_ARRAY(struct memory_now, trace_count(trace, CLASS_VARIABLE));
    search->counts = NEW_ARRAY(struct count_now, trace_count(trace, CLASS_SEMAPHORE));
    search->entered = NEW_ARRAY(struct count_now, instances);
    search->conditions = NEW_ARRAY(struct condition_now, trace_count(trace, CLASS_CONDITION));
    return search;
}

void search_destroy(struct search *search)
{
    if (!search)
        return;
    for (uint32_t i = 0; i < trace_count(search->index->history->trace, CLASS_CONDITION); i++)
        condition_free(&search->conditions[i].condition);
    by_plans_destroy(search->plans);
    free(search->ceiling);
    free(search->stays);
    free(search->cut);
    free(search->in_cone);
    array_free(&search->cone);
    free(search->has_edge);
    free(search->done);
    free(search->begun);
    free(search->order);
    free(search->heap);
    free(search->parked);
    free(search->locks);
    free(search->memory);
    free(search->counts);
    free(search->entered);
    free(search->conditions);
    array_free(&search->edges);
    array_free(&search->marked);
    array_free(&search->finals);
    array_free(&search->snapshots);
    array_free(&search->edge_counts);
    array_free(&search->learned);
    visit_destroy(search->visit);
    free(search);
}

uint64_t search_steps(const struct search *search)
{
    return search->steps;
}

/* S is empty again. */
static void empty_cone(struct search *search)
{
    while (search->cone.count) {
        uint32_t thread = array_pop(&search->cone);
        search->in_cone[thread] = search->stays[thread] = false;
        search->ceiling[thread] = UINT32_MAX;
        search->cut[thread] = search->scanned[thread] = 0;
        search->kept[thread] = search->kept_scanned[thread] = 0;
    }
}

void search_begin(struct search *search, const struct search_query *query)
{
    search->query = *query;
    search->limit = search->steps + (query->budget ? query->budget : SEARCH_BUDGET);
    search->edges.count = search->finals.count = 0;
    search->snapshots.count = search->edge_counts.count = 0;
    search->level = 0;
    search->waived[0] = search->waived[1] = search->last = POS_NONE;
    while (search->marked.count)
        search->has_edge[array_pop(&search->marked)] = 0;
    empty_cone(search);
}

void search_by_states(struct search *search)
{
    search->by_states = true;
}

void search_by_plans(struct search *search)
{
    search->by_states = false;
    search->plans_only = true;
}

static uint32_t held_at(const struct search_index *index, uint32_t pos, uint32_t lock)
{
    for (uint32_t node = index_held(index, pos); node != HELD_NONE; node = index->nodes[node].next)
        if (event_lock(event_at(index, index->nodes[node].acquire)) == lock)
            return index->nodes[node].acquire;
    return POS_NONE;
}

/* The thread is in S up to `count`, and S never has more of it. */
static void limit_thread(struct search *search, uint32_t thread, uint32_t count)
{
    cone_add(search, thread);
    search->ceiling[thread] = search->cut[thread] = count;
}

/* The thread stops before `pos`: it keeps the locks it holds there. */
bool search_stop(struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    uint32_t thread = thread_at(index, pos);
    if (search->ceiling[thread] != UINT32_MAX)
        return false;
    limit_thread(search, thread, index->history->index[pos]);
    search->stays[thread] = true;
    for (uint32_t node = index_held(index, pos); node != HELD_NONE; node = index->nodes[node].next)
        array_push(&search->finals, index->nodes[node].acquire);
    return true;
}

/* Each target waits for a lock that the thread of the following one holds there, or
 * for that thread's end. */
static bool is_cycle(const struct search_index *index, const struct search_query *query)
{
    if (query->count < 2)
        return false;
    for (uint32_t i = 0; i < query->count; i++) {
        const struct event *event = event_at(index, query->events[i]);
        uint32_t following = query->events[(i + 1) % query->count];
        if (event->op == EVENT_JOIN && event->object == thread_at(index, following))
            continue;
        if (event->op == EVENT_SEM_WAIT && !(event->flags & (EVENT_TRY | EVENT_FAILED)) &&
            semaphore_held_before(index->history, following, event->object))
            continue; /* that it is used as a lock is for who asks to know */
        if (!event_blocks(event))
            return false;
        uint32_t acquire = held_at(index, following, event_lock(event));
        if (acquire == POS_NONE || !sections_exclude(event, event_at(index, acquire)))
            return false;
    }
    return true;
}

static bool start_window(struct search *search)
{
    const struct search_index *index = search->index;
    uint32_t begin = search->query.events[0], end = search->query.events[1];
    uint32_t culprit = search->query.events[2];
    uint32_t window = thread_at(index, end);
    if (thread_at(index, begin) != window || thread_at(index, culprit) == window ||
        index->history->index[begin] >= index->history->index[end])
        return false;
    struct levels always = {{0}};
    /* Clocks know nothing of excuses. */
    search->by_clocks &=
        index_keep(index, culprit) == KEEP_NOT && index_keep(index, end) == KEEP_NOT;
    limit_thread(search, window, index->history->index[end] + 1);
    search->waived[0] = culprit;
    search->waived[1] = search->last = end;
    if (event_acquires(event_at(index, end)))
        array_push(&search->finals, end);
    for (uint32_t node = index_held(index, end); node != HELD_NONE; node = index->nodes[node].next)
        array_push(&search->finals, index->nodes[node].acquire);
    return closure_include(search, culprit) && closure_order(search, begin, culprit, &always) &&
           closure_order(search, culprit, end, &always);
}

static bool start_precedes(struct search *search)
{
    const struct search_index *index = search->index;
    uint32_t before = search->query.count - 1, end = search->query.events[before];
    uint32_t thread = thread_at(index, end);
    struct levels always = {{0}};
    limit_thread(search, thread, index->history->index[end] + 1);
    search->last = end;
    if (event_acquires(event_at(index, end)))
        array_push(&search->finals, end);
    for (uint32_t node = index_held(index, end); node != HELD_NONE; node = index->nodes[node].next)
        array_push(&search->finals, index->nodes[node].acquire);
    for (uint32_t i = 0; i < before; i++) {
        uint32_t first = search->query.events[i];
        if (thread_at(index, first) == thread || !closure_include(search, first) ||
            !closure_order(search, first, end, &always))
            return false;
    }
    return true;
}

/* Threads go as far as they like, but not over what is barred. */
static void bar(struct search *search)
{
    for (uint32_t i = 0; i < search->barred_count; i++) {
        uint32_t thread = thread_at(search->index, search->barred[i]);
        assert(search->ceiling[thread] == UINT32_MAX);
        cone_add(search, thread);
        search->ceiling[thread] = search->index->history->index[search->barred[i]];
    }
}

static bool start(struct search *search)
{
    const struct search_query *query = &search->query;
    bar(search);
    if (query->goal == SEARCH_ATOMICITY)
        return query->count == 3 && start_window(search);
    if (query->goal == SEARCH_PRECEDES)
        return query->count >= 2 && start_precedes(search);
    for (uint32_t i = 0; i < query->count; i++)
        if (!search_stop(search, query->events[i]))
            return false;
    if (query->goal == SEARCH_DEADLOCK)
        return is_cycle(search->index, query);
    return query->goal != SEARCH_RACE ||
           (query->count == 2 && event_conflict(event_at(search->index, query->events[0]),
                                                event_at(search->index, query->events[1])));
}

void search_forget(struct search *search)
{
    if (search->plans)
        by_plans_forget(search->plans);
}

/* What is wanted and what is barred was said. */
static enum search_answer reach(struct search *search, const struct search_query *query,
                                struct search_witness *witness)
{
    *witness = (struct search_witness){NULL, 0};
    if (interruption_asked())
        return SEARCH_EXHAUSTED;
    search_begin(search, query);
    search->by_clocks = search->index->model != MODEL_BRANCH;
    if (!start(search))
        return SEARCH_REFUTED;
    for (uint32_t i = 0; i < search->wanted_count; i++)
        if (!closure_include(search, search->wanted[i]))
            return SEARCH_REFUTED;
    enum search_answer answer = order_solve(search);
    if (answer != SEARCH_WITNESS)
        return answer;
    if (query->goal < SEARCH_ATOMICITY)
        for (uint32_t i = 0; i < query->count; i++)
            search->order[search->executed++] = query->events[i];
    *witness = (struct search_witness){search->order, search->executed};
    return SEARCH_WITNESS;
}

enum search_answer search_reach_after(struct search *search, const struct search_query *query,
                                      const uint32_t *executed, uint32_t executed_count,
                                      struct search_witness *witness)
{
    search->wanted = executed;
    search->wanted_count = executed_count;
    search->barred_count = 0;
    return reach(search, query, witness);
}

enum search_answer search_reach_barring(struct search *search, const struct search_query *query,
                                        const uint32_t *barred, uint32_t barred_count,
                                        struct search_witness *witness)
{
    search->barred = barred;
    search->barred_count = barred_count;
    search->wanted_count = 0;
    return reach(search, query, witness);
}

enum search_answer search_reach(struct search *search, const struct search_query *query,
                                struct search_witness *witness)
{
    return search_reach_after(search, query, NULL, 0, witness);
}

static bool check_next(const struct search_index *index, const struct search_query *query,
                       const struct search_witness *witness)
{
    struct machine *machine = machine_create(index->rules);
    bool good = witness->length >= query->count;
    for (uint32_t i = 0; good && i < witness->length - query->count; i++) {
        good = machine_forbids(machine, witness->events[i]) == RULE_NONE;
        if (good)
            machine_execute(machine, witness->events[i]);
    }
    for (uint32_t i = 0; good && i < query->count; i++) {
        enum rule rule = machine_forbids_sync(machine, query->events[i]);
        good = rule != RULE_PROGRAM_ORDER && rule != RULE_FORK;
    }
    machine_destroy(machine);
    return good;
}

static bool check_precedes(const struct search_index *index, const struct search_query *query,
                           const struct search_witness *witness)
{
    struct machine *machine = machine_create(index->rules);
    uint32_t end = query->events[query->count - 1];
    bool good = witness->length && witness->events[witness->length - 1] == end;
    for (uint32_t i = 0; good && i < witness->length; i++) {
        good = machine_forbids(machine, witness->events[i]) == RULE_NONE;
        if (good)
            machine_execute(machine, witness->events[i]);
    }
    for (uint32_t i = 0; i < query->count; i++)
        good = good && machine_executed(machine, query->events[i]);
    machine_destroy(machine);
    return good;
}

bool search_check(const struct search_index *index, const struct search_query *query,
                  const struct search_witness *witness)
{
    if (query->goal == SEARCH_NEXT)
        return check_next(index, query, witness);
    if (query->goal == SEARCH_PRECEDES)
        return check_precedes(index, query, witness);
    struct complaint complaint;
    struct claim claim = {
        .kind = query->goal == SEARCH_RACE       ? FINDING_RACE
                : query->goal == SEARCH_DEADLOCK ? FINDING_DEADLOCK
                                                 : FINDING_ATOMICITY,
        .events = query->events,
        .event_count = query->count,
        .witness = witness->events,
        .witness_length = witness->length,
    };
    return witness_check(index->rules, &claim, &complaint);
}
