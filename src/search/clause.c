/* A stuck schedule, explained. Every thread that is not done waits: for an event,
 * for a lock, or (a write) for a read that must still see the old value; who waits for
 * whom is clause_waits.c's.
 *
 * Semaphores, condition variables, failed tries and values have no single event
 * to wait for. But a witness executes the blocked event too, so there something of
 * its object comes sooner or later than here; for each thread one such option, and
 * for condition variables also the other orders of what was executed, cover all
 * witnesses. */
#include "search/clause.h"
#include "search/clocks.h"

typedef bool relation(const struct event *blocked, const struct event *other);

/* For each other thread the first operation still to come, in S or not, that
 * matters: it comes before the blocked one. */
static void sooner(const struct search *search, uint32_t pos, relation *matters,
                   struct clause *clause)
{
    const struct history *history = search->index->history;
    const struct event *event = event_at(search->index, pos);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t limit = history_thread_length(history, thread);
        if (limit > search->ceiling[thread])
            limit = search->ceiling[thread];
        for (uint32_t i = search->done[thread]; thread != event->thread && i < limit; i++) {
            uint32_t other = history_pos(history, thread, i);
            if (!matters(event, event_at(search->index, other)))
                continue;
            clause_add(clause, clause_order(search, other, pos));
            break;
        }
    }
}

/* For each other thread the last operation executed that matters: `pos`, or what
 * is given as `before`, comes before it. */
static void later(const struct search *search, uint32_t pos, uint32_t before, relation *matters,
                  struct clause *clause)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    bool *seen = NEW_ARRAY(bool, index->history->threads);
    seen[thread_at(index, before)] = true;
    for (uint32_t i = search->executed; i-- > 0;) {
        const struct event *other = event_at(index, search->order[i]);
        if (seen[other->thread] || !matters(event, other) || search->order[i] == before)
            continue;
        seen[other->thread] = true;
        clause_add(clause, clause_order(search, before, search->order[i]));
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

/* The part of the schedule after which the condition variable was last without
 * waiting threads: in whatever order its operations up to there come, it is so
 * again. */
static uint32_t quiet_part(const struct search *search, const struct event *event)
{
    uint32_t waiting = 0, quiet = 0;
    for (uint32_t i = 0; i < search->executed; i++) {
        const struct event *other = event_at(search->index, search->order[i]);
        if (!same_condition(event, other))
            continue;
        waiting += other->op == EVENT_WAIT_BEGIN;
        waiting -= other->op == EVENT_WAIT_END;
        if (!waiting)
            quiet = i + 1;
    }
    return quiet;
}

/* For each thread, its last operation of the condition before `place` of the
 * schedule, or its first one from there; POS_NONE for none. */
static uint32_t *operations_around(const struct search *search, const struct event *event,
                                   uint32_t place, bool before)
{
    uint32_t threads = search->index->history->threads;
    uint32_t *found = memory_alloc(threads, sizeof *found);
    memset(found, 0xff, threads * sizeof *found);
    for (uint32_t i = before ? 0 : place; i < (before ? place : search->executed); i++) {
        uint32_t pos = search->order[i], thread = thread_at(search->index, pos);
        if (same_condition(event, event_at(search->index, pos)) &&
            (before || found[thread] == POS_NONE))
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
static void reorder(const struct search *search, const struct event *event, struct clause *clause)
{
    uint32_t quiet = quiet_part(search, event), threads = search->index->history->threads;
    uint32_t *last = operations_around(search, event, quiet, true);
    uint32_t *first = operations_around(search, event, quiet, false);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t j = 0; j < threads; j++)
            if (i != j)
                swap(search, last[i], first[j], clause);
    free(last);
    free(first);
    uint32_t previous = POS_NONE;
    for (uint32_t i = quiet; i < search->executed; i++) {
        if (!same_condition(event, event_at(search->index, search->order[i])))
            continue;
        swap(search, previous, search->order[i], clause);
        previous = search->order[i];
    }
}

/* The conclusion rests on what of the object is in S, and on nothing else. */
static void why_executed(const struct search *search, uint32_t pos, relation *matters,
                         struct levels *why)
{
    closure_why(search, pos, why);
    for (uint32_t i = 0; search->level && i < search->executed; i++)
        if (matters(event_at(search->index, pos), event_at(search->index, search->order[i])))
            closure_why(search, search->order[i], why);
}

/* What must be different in a witness, which executes `pos`: operations of its
 * object come sooner or later than here, or in another order. */
static void options_of(const struct search *search, uint32_t pos, struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    bool failed = event->flags & EVENT_FAILED;
    uint32_t what, last;
    switch (schedule_blocked(search, pos, &what)) {
    case BLOCK_COUNT:
        sooner(search, pos, failed ? lowers_count : raises_count, clause);
        later(search, pos, pos, failed ? raises_count : lowers_count, clause);
        why_executed(search, pos, failed ? raises_count : lowers_count, &clause->why);
        break;
    case BLOCK_TRY:
        sooner(search, pos, takes_lock, clause);
        later(search, pos, pos, frees_lock, clause);
        why_executed(search, pos, frees_lock, &clause->why);
        break;
    case BLOCK_SIGNAL:
        sooner(search, pos, same_condition, clause);
        later(search, pos, pos, same_condition, clause);
        reorder(search, event, clause);
        why_executed(search, pos, same_condition, &clause->why);
        break;
    case BLOCK_VALUE:
        last = search->memory[event->object].last;
        sooner(search, pos, same_variable, clause);
        clause_add(clause, clause_order(search, pos, last));
        if (last != POS_NONE)
            later(search, pos, last, same_variable, clause);
        why_executed(search, pos, same_variable, &clause->why);
        break;
    default:
        break;
    }
}

/* For each thread, the next operation of the condition variable beyond S. */
static void extend(const struct search *search, const struct event *event, struct clause *clause)
{
    const struct history *history = search->index->history;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t limit = history_thread_length(history, thread);
        if (limit > search->ceiling[thread])
            limit = search->ceiling[thread];
        for (uint32_t i = search->cut[thread]; i < limit; i++) {
            uint32_t pos = history_pos(history, thread, i);
            if (!same_condition(event, event_at(search->index, pos)))
                continue;
            clause_add(clause, (struct option){POS_NONE, POS_NONE, pos});
            break;
        }
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
    reorder(search, event_at(search->index, target), clause);
    extend(search, event_at(search->index, target), clause);
}
