/* SPDX-License-Identifier: MIT */
/* A stuck schedule, explained. Every thread that is not done waits: for an event,
 * for a lock, or (a write) for a read that must still see the old value; who waits for
 * whom is clause_waits.c's.
 *
 * Semaphores, condition variables, failed tries and values have no single event
 * to wait for. But a witness executes the blocked event too, so there something of
 * its object comes sooner or later than here; for each thread one such option, and
 * for condition variables also the other orders of what was executed, cover all
 * witnesses. */
#include "base/sorted.h"
#include "search/clause.h"
#include "search/clocks.h"

typedef bool relation(const struct event *blocked, const struct event *other);

/* Executed operations that matter to an event, in the order of the schedule. */
struct executed ARRAY_OF(uint32_t);

/* Of conditions and semaphores, those before the schedule's beginning are listed already. */
static struct executed executed_of(const struct search *search, const struct event *event,
                                   relation *matters)
{
    const struct search_index *index = search->index;
    struct executed list = {0};
    uint32_t known = 0, from = 0;
    const uint32_t *past = past_states_operations(index->past, event, search->began, &known);
    for (uint32_t i = 0; i < known; i++)
        if (matters(event, event_at(index, past[i])))
            array_push(&list, past[i]);
    if (past)
        from = search->began;
    for (uint32_t i = from; i < search->executed; i++)
        if (matters(event, event_at(index, search->order[i])))
            array_push(&list, search->order[i]);
    return list;
}

/* The thread's first operation that matters among its events `from` to `limit`, or POS_NONE. */
static uint32_t next_operation(const struct search_index *index, const struct event *event,
                               relation *matters, uint32_t thread, uint32_t from, uint32_t limit)
{
    const struct history *history = index->history;
    enum object_class class = event_object_class(event->op);
    if (class != CLASS_CONDITION && class != CLASS_SEMAPHORE) {
        for (uint32_t i = from; i < limit; i++)
            if (matters(event, event_at(index, history_pos(history, thread, i))))
                return history_pos(history, thread, i);
        return POS_NONE;
    }
    const uint32_t *items = index->stateful.items;
    uint32_t end = index->stateful.start[thread + 1];
    uint32_t i = SORTED_POINT(middle, index->stateful.start[thread], end,
                              history->index[items[middle]] < from);
    while (i < end && history->index[items[i]] < limit &&
           !matters(event, event_at(index, items[i])))
        i++;
    return i < end && history->index[items[i]] < limit ? items[i] : POS_NONE;
}

static uint32_t limit_of(const struct search *search, uint32_t thread)
{
    uint32_t length = history_thread_length(search->index->history, thread);
    return length < search->ceiling[thread] ? length : search->ceiling[thread];
}

/* For each other thread the first operation still to come, in S or not, that
 * matters: it comes before the blocked one. */
static void sooner(const struct search *search, uint32_t pos, relation *matters,
                   struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++) {
        if (thread == event->thread)
            continue;
        uint32_t other = next_operation(search->index, event, matters, thread, search->done[thread],
                                        limit_of(search, thread));
        if (other != POS_NONE)
            clause_add(clause, clause_order(search, other, pos));
    }
}

/* For each other thread the last operation executed: `before` comes before it. */
static void later(const struct search *search, uint32_t before, const struct executed *executed,
                  struct clause *clause)
{
    const struct search_index *index = search->index;
    bool *seen = NEW_ARRAY(bool, index->history->threads);
    seen[thread_at(index, before)] = true;
    for (size_t i = executed->count; i-- > 0;) {
        uint32_t other = executed->items[i], thread = thread_at(index, other);
        if (seen[thread] || other == before)
            continue;
        seen[thread] = true;
        clause_add(clause, clause_order(search, before, other));
    }
    free(seen);
}

static bool raises_count(const struct event *blocked, const struct event *other)
{
    return other->op == EVENT_POST && other->object == blocked->object;
}

static bool lowers_count(const struct event *blocked, const struct event *other)
{
    return other->op == EVENT_SEM_WAIT && other->object == blocked->object &&
           !(other->flags & EVENT_FAILED);
}

static bool takes_lock(const struct event *blocked, const struct event *other)
{
    return event_acquires(other) && event_lock(other) == blocked->object &&
           sections_exclude(other, blocked);
}

static bool frees_lock(const struct event *blocked, const struct event *other)
{
    return event_releases(other) && event_lock(other) == blocked->object;
}

static bool same_condition(const struct event *blocked, const struct event *other)
{
    return event_object_class(other->op) == CLASS_CONDITION && other->object == blocked->object;
}

static bool same_variable(const struct event *blocked, const struct event *other)
{
    return event_writes(other) && other->object == blocked->object;
}

/* The first of a condition's operations, after which it was last without waiting threads: in
 * whatever order they come, it is so again. */
static size_t quiet_part(const struct search *search, const struct executed *executed)
{
    size_t waiting = 0, quiet = 0;
    for (size_t i = 0; i < executed->count; i++) {
        const struct event *other = event_at(search->index, executed->items[i]);
        waiting += other->op == EVENT_WAIT_BEGIN;
        waiting -= other->op == EVENT_WAIT_END;
        if (!waiting)
            quiet = i + 1;
    }
    return quiet;
}

/* For each thread, its last operation before number `place`, or its first one from there;
 * POS_NONE for none. */
static uint32_t *operations_around(const struct search *search, const struct executed *executed,
                                   size_t place, bool before)
{
    uint32_t threads = search->index->history->threads;
    uint32_t *found = memory_alloc(threads, sizeof *found);
    memset(found, 0xff, threads * sizeof *found);
    for (size_t i = before ? 0 : place; i < (before ? place : executed->count); i++) {
        uint32_t pos = executed->items[i], thread = thread_at(search->index, pos);
        if (before || found[thread] == POS_NONE)
            found[thread] = pos;
    }
    return found;
}

static void swap(const struct search *search, uint32_t first, uint32_t second,
                 struct clause *clause)
{
    if (first == POS_NONE || second == POS_NONE ||
        (search->by_clocks && clocks_ordered(search->index, first, second)))
        return;
    clause_add(clause, clause_order(search, second, first));
}

/* Other orders of the executed operations of a condition variable: one of the quiet
 * part comes after one of the rest, or two neighbours of the rest are the other way
 * round, for two different orders of one set differ in neighbours of the first. */
static void reorder(const struct search *search, const struct executed *executed,
                    struct clause *clause)
{
    uint32_t threads = search->index->history->threads;
    size_t quiet = quiet_part(search, executed);
    uint32_t *last = operations_around(search, executed, quiet, true);
    uint32_t *first = operations_around(search, executed, quiet, false);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t j = 0; j < threads; j++)
            if (i != j)
                swap(search, last[i], first[j], clause);
    free(last);
    free(first);
    for (size_t i = quiet + 1; i < executed->count; i++)
        swap(search, executed->items[i - 1], executed->items[i], clause);
}

/* The conclusion rests on what of the object is in S, and on nothing else. */
static void why_executed(const struct search *search, uint32_t pos, const struct executed *executed,
                         struct levels *why)
{
    closure_why(search, pos, why);
    for (size_t i = 0; search->level && i < executed->count; i++)
        closure_why(search, executed->items[i], why);
}

/* Operations that come sooner, and those that were executed and come later than `before`. */
static void shift(const struct search *search, uint32_t pos, uint32_t before, relation *wanted,
                  relation *unwanted, struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    struct executed executed = executed_of(search, event, unwanted);
    sooner(search, pos, wanted, clause);
    if (before != pos)
        clause_add(clause, clause_order(search, pos, before));
    if (before != POS_NONE)
        later(search, before, &executed, clause);
    if (unwanted == same_condition)
        reorder(search, &executed, clause);
    why_executed(search, pos, &executed, &clause->why);
    array_free(&executed);
}

/* What must be different in a witness, which executes `pos`: operations of its
 * object come sooner or later than here, or in another order. */
static void options_of(const struct search *search, uint32_t pos, struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    bool failed = event->flags & EVENT_FAILED;
    uint32_t what;
    switch (schedule_blocked(search, pos, &what)) {
    case BLOCK_COUNT:
        shift(search, pos, pos, failed ? lowers_count : raises_count,
              failed ? raises_count : lowers_count, clause);
        break;
    case BLOCK_TRY:
        shift(search, pos, pos, takes_lock, frees_lock, clause);
        break;
    case BLOCK_SIGNAL:
        shift(search, pos, pos, same_condition, same_condition, clause);
        break;
    case BLOCK_VALUE:
        shift(search, pos, search->memory[event->object].last, same_variable, same_variable,
              clause);
        break;
    default:
        break;
    }
}

/* For each thread, the next operation of the condition variable beyond S. */
static void extend(const struct search *search, const struct event *event, struct clause *clause)
{
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++) {
        uint32_t pos = next_operation(search->index, event, same_condition, thread,
                                      search->cut[thread], limit_of(search, thread));
        if (pos != POS_NONE)
            clause_add(clause, (struct option){POS_NONE, POS_NONE, pos});
    }
}

/* Any thread that waits for no single event will do; the one with the fewest ways
 * out is the best. */
static void find_fewest(const struct search *search, struct clause *clause)
{
    struct clause other = {{0}, {{0}}};
    bool found = false;
    for (uint32_t i = 0; i < search->parked_count; i++) {
        enum block block = search->parked[i].block;
        if (block == BLOCK_EVENT || block == BLOCK_LOCK || block == BLOCK_READER)
            continue;
        other.options.count = 0;
        other.why = (struct levels){{0}};
        options_of(search, next_event(search, search->parked[i].thread), &other);
        if (found && other.options.count >= clause->options.count)
            continue;
        found = true;
        clause->options.count = 0;
        clause->why = other.why;
        for (size_t k = 0; k < other.options.count; k++)
            array_push(&clause->options, other.options.items[k]);
    }
    array_free(&other.options);
}

void clause_find(struct search *search, struct clause *clause)
{
    uint32_t *path = memory_alloc(search->index->history->threads + 1, sizeof *path);
    for (uint32_t i = 0; i < search->parked_count; i++)
        if (clause_follow(search, search->parked[i].thread, path, clause)) {
            free(path);
            return;
        }
    free(path);
    find_fewest(search, clause);
}

void clause_unwoken(struct search *search, uint32_t target, struct clause *clause)
{
    levels_set_up_to(&clause->why, search->level);
    const struct event *event = event_at(search->index, target);
    struct executed executed = executed_of(search, event, same_condition);
    reorder(search, &executed, clause);
    extend(search, event, clause);
    array_free(&executed);
}
