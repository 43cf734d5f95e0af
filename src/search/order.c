/* SPDX-License-Identifier: MIT */
/* The search: schedule S greedily; where that gets stuck, decide one of the
 * options of the conflict and try again. Options are tried in turn, each with the
 * orders of those before it turned round, so that no witness is looked for twice.
 * A conflict knows the decisions it rests on: if an option fails for reasons that
 * have nothing to do with it, its brothers would fail as well and are skipped.
 *
 * A conflict's options cover every witness (clause.c), edges and inclusions are
 * finite, and each option excludes the schedule that was stuck: so the search
 * ends, and a failure is a proof.
 *
 * The first schedule is the observed order of S, if that is possible: the
 * sync-preserving witness. Conflicts with a single option are the forced
 * reversals of sync-reversal prediction. What is left is decided by search; and where
 * orders do not decide it soon, by visiting states (visit.h). */
#include "base/interruption.h"
#include "search/learn.h"

/* A deadlock's return from a wait needs a signal, to be stopped by the lock. */
uint32_t order_unwoken(const struct search *search)
{
    if (search->query.goal != SEARCH_DEADLOCK)
        return POS_NONE;
    for (uint32_t i = 0; i < search->query.count; i++) {
        const struct event *event = event_at(search->index, search->query.events[i]);
        if (event->op == EVENT_WAIT_END && !(event->flags & EVENT_FAILED) &&
            !condition_may_wake(schedule_condition(search, event->object), event->thread))
            return search->query.events[i];
    }
    return POS_NONE;
}

static bool apply(struct search *search, const struct option *option, const struct levels *why)
{
    if (option->include != POS_NONE)
        return closure_include(search, option->include);
    return closure_include(search, option->after) && closure_include(search, option->before) &&
           !closure_precedes(search, option->after, option->before) &&
           closure_order(search, option->before, option->after, why);
}

/* An option that failed: where both of its events are in S, they come in the
 * other order. */
static bool apply_negation(struct search *search, const struct option *option,
                           const struct levels *why)
{
    if (option->before == POS_NONE || !in_set(search, option->before) ||
        !in_set(search, option->after))
        return true;
    return closure_order(search, option->after, option->before, why);
}

static bool decide(struct search *search, const struct clause *clause, size_t chosen)
{
    struct levels why = {{0}};
    levels_set(&why, search->level);
    for (size_t i = 0; i < chosen; i++)
        if (!apply_negation(search, &clause->options.items[i], &why))
            return false;
    return apply(search, &clause->options.items[chosen], &why);
}

static enum search_answer solve(struct search *search, struct levels *why);

static enum search_answer branch(struct search *search, const struct clause *clause,
                                 struct levels *why)
{
    *why = clause->why;
    if (search->level + 1 >= LEVELS_MAX)
        return SEARCH_EXHAUSTED;
    for (size_t i = 0; i < clause->options.count; i++) {
        struct levels sub = {{0}};
        closure_push(search);
        uint32_t level = search->level;
        enum search_answer answer = SEARCH_REFUTED;
        if (decide(search, clause, i))
            answer = solve(search, &sub);
        else
            levels_set_up_to(&sub, level);
        closure_pop(search);
        if (answer != SEARCH_REFUTED)
            return answer;
        if (!levels_has(&sub, level)) {
            *why = sub;
            return SEARCH_REFUTED;
        }
        levels_clear(&sub, level);
        levels_add(why, &sub);
    }
    return SEARCH_REFUTED;
}

static uint64_t set_size(const struct search *search)
{
    uint64_t size = 0;
    for (size_t i = 0; i < search->cone.count; i++)
        size += search->cut[search->cone.items[i]];
    return size;
}

/* Schedules S until it succeeds, a conflict leaves no way out, or there is more
 * than one; then it branches. */
static enum search_answer solve(struct search *search, struct levels *why)
{
    struct clause clause = {{0}, {{0}}};
    enum search_answer answer = SEARCH_REFUTED;
    for (;;) {
        if (!closure_complete(search) || !sections_follow(search) || !counts_suffice(search)) {
            levels_set_up_to(why, search->level);
            break;
        }
        if (search->steps + schedule_left(search) > search->limit || interruption_asked()) {
            answer = SEARCH_EXHAUSTED;
            break;
        }
        clause.options.count = 0;
        clause.why = (struct levels){{0}};
        uint32_t unwoken = POS_NONE;
        if (!schedule_run(search)) {
            clause_find(search, &clause);
        } else if ((unwoken = order_unwoken(search)) != POS_NONE) {
            clause_unwoken(search, unwoken, &clause);
        } else {
            answer = SEARCH_WITNESS;
            break;
        }
        if (clause.options.count != 1) {
            answer = branch(search, &clause, why);
            break;
        }
        struct levels forced = clause.why;
        if (!apply(search, &clause.options.items[0], &forced)) {
            levels_set_up_to(why, search->level);
            break;
        }
    }
    array_free(&clause.options);
    return answer;
}

struct operation {
    uint32_t object, pos; /* conditions first, then semaphores */
    bool in_set;
};

static int compare_operations(const void *left, const void *right)
{
    const struct operation *a = left, *b = right;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Does S have, of every condition and semaphore, the first operations in the observed
 * order? Then they work in that order as they did. So do reads that are kept by value if S has
 * the writes they saw (`with_partners`). */
static bool keeps_states(const struct search *search, bool with_partners)
{
    const struct search_index *index = search->index;
    if (index->has_failed_tries || (index->model == MODEL_VALUE && !with_partners))
        return false;
    uint32_t conditions = trace_count(index->history->trace, CLASS_CONDITION);
    uint32_t count = index->stateful.start[index->history->threads];
    struct operation *operations = memory_alloc(count, sizeof *operations);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pos = index->stateful.items[i];
        const struct event *event = event_at(index, pos);
        bool semaphore = op_in(event->op, OP_BIT(EVENT_POST) | OP_BIT(EVENT_SEM_WAIT));
        operations[i] = (struct operation){event->object + (semaphore ? conditions : 0), pos,
                                           in_set(search, pos)};
    }
    qsort(operations, count, sizeof *operations, compare_operations);
    bool kept = true;
    for (uint32_t i = 1; i < count && kept; i++)
        kept = operations[i - 1].object != operations[i].object || operations[i - 1].in_set ||
               !operations[i].in_set;
    free(operations);
    return kept;
}

/* The observed order of a set that is closed for it, without any decision. `with_partners`: closed
 * under what observed_partners.c says, too. */
static bool solve_preserving(struct search *search, bool with_partners)
{
    const struct search_index *index = search->index;
    closure_push(search);
    search->with_partners = with_partners;
    bool found = (!with_partners || closure_complete(search)) && closure_preserve(search);
    search->with_partners = false;
    if (found && search->query.goal < SEARCH_ATOMICITY &&
        (!index->has_states ||
         (search->query.goal < SEARCH_DEADLOCK && keeps_states(search, with_partners))))
        schedule_observed(search);
    else
        found = found && schedule_run(search) && order_unwoken(search) == POS_NONE;
    closure_pop(search);
    return found;
}

/* Is it a question for by_plans.h? */
static bool goes_by_plans(struct search *search)
{
    if (search->barred_count || !by_plans_can(search->index->rules, &search->query))
        return false;
    if (!search->plans)
        search->plans = by_plans_create(search->index->plans);
    return search->plans;
}

static enum search_answer solve_by_plans(struct search *search)
{
    struct search_witness witness;
    enum search_answer answer =
        by_plans_reach(search->plans, &search->query, search->wanted, search->wanted_count,
                       &search->steps, search->limit, &witness);
    if (answer == SEARCH_WITNESS) {
        search->executed = witness.length;
        if (search->query.goal < SEARCH_ATOMICITY) /* they are added to what others found */
            search->executed -= search->query.count;
        memcpy(search->order, witness.events, search->executed * sizeof *search->order);
        search->listed = 0;
    }
    return answer;
}

static enum search_answer solve_by_states(struct search *search, uint64_t began)
{
    enum search_answer answer = closure_complete(search) ? visit_solve(search) : SEARCH_REFUTED;
    if (answer == SEARCH_REFUTED)
        learn_from(search, search->steps - began);
    return answer;
}

/* What orders leave open. Where reads are kept, one decision brings many others with it,
 * and plans are quick; where they are not, there are many schedules to the same states.
 * Neither has all of the budget: what is hard for the one may be easy for the other. */
static enum search_answer solve_hard(struct search *search, uint64_t began)
{
    uint64_t limit = search->limit;
    bool plans = !search->by_states && goes_by_plans(search);
    bool states_first = !plans || search->index->model == MODEL_SYNC;
    if (plans)
        search->limit -= (limit - search->steps) / 2;
    enum search_answer answer =
        states_first ? solve_by_states(search, began) : solve_by_plans(search);
    if (!plans || answer != SEARCH_EXHAUSTED)
        return answer;
    search->limit = limit;
    return states_first ? solve_by_plans(search) : solve_by_states(search, began);
}

/* In a long trace S is little of it, and what it lacks (who posts, who signals, who leaves a
 * section) has to be found. Where only a little disorder is needed, it is there if the threads
 * that are not stopped go on as observed. In short ones orders are as quick. */
static bool may_go_on(const struct search *search)
{
    enum { LONG = 4096 };
    return search->index->history->count > LONG && !search->by_states &&
           search->index->model != MODEL_BRANCH &&
           (search->query.goal == SEARCH_RACE || search->query.goal == SEARCH_DEADLOCK);
}

enum search_answer order_solve(struct search *search)
{
    struct levels why = {{0}};
    const struct search_index *index = search->index;
    if (search->plans_only && goes_by_plans(search))
        return solve_by_plans(search);
    bool with_partners = search->by_clocks && index->has_states &&
                         index_with(index, INDEX_PARTNER_CLOCKS)->partner_clocks;
    if (with_partners && solve_preserving(search, true))
        return SEARCH_WITNESS;
    search->by_clocks = search->by_clocks && index_clocks(index);
    if (!closure_complete(search) || closure_contradicts(search))
        return SEARCH_REFUTED;
    if (!with_partners && solve_preserving(search, false))
        return SEARCH_WITNESS;
    if (!sections_follow(search) || !counts_suffice(search) || closure_contradicts(search))
        return SEARCH_REFUTED;
    if (search->steps + schedule_left(search) > search->limit)
        return SEARCH_EXHAUSTED;
    if (learn_refutes(search))
        return SEARCH_REFUTED;
    if (may_go_on(search) && schedule_go_on(search) && order_unwoken(search) == POS_NONE)
        return SEARCH_WITNESS;
    if (!search->by_states && index->model == MODEL_VALUE && goes_by_plans(search))
        return solve_by_plans(search);
    if (!visit_can(search))
        return solve(search, &why);
    /* Orders first, with a part of the budget: they say the most about locks, and little
     * about anything else. */
    uint64_t limit = search->limit, began = search->steps;
    uint64_t part = (limit > began ? limit - began : 0) / 2, few = 8 * set_size(search);
    search->limit = began + (search->index->has_states && part > few ? few : part);
    enum search_answer answer = search->by_states ? SEARCH_EXHAUSTED : solve(search, &why);
    search->limit = limit;
    if (answer != SEARCH_EXHAUSTED || search->steps + schedule_left(search) > limit)
        return answer;
    return solve_hard(search, began);
}
