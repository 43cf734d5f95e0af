/* SPDX-License-Identifier: MIT */
#include "search/by_plans.h"

#include "constraints/smt_own.h"

#include <pthread.h>

/* Events times threads. */
#define CLOCKS_MAX (UINT64_C(1) << 26)

/* Waits times signals of all conditions: whom each may have woken is said in as many words, and
 * each is compared with the others. */
#define WAKES_MAX (UINT64_C(1) << 14)

/* A step of the solver is less work than to schedule an event. */
#define STEPS_PER_EVENT 4

struct plans_index {
    const struct rules *rules;
    pthread_mutex_t lock;
    struct smt_window *window; /* NULL: not made yet */
};

/* Plans for the events of a window. */
struct planner {
    const struct smt_window *window;
    struct smt_trial *trial;
    struct smt_own *own;
};

struct by_plans {
    struct planner all;
    /* For the culprit of an atomic block, whose read is excused: of the last one that was asked
     * about. */
    struct planner excused;
    struct smt_window *window; /* of that, or NULL */
    uint64_t spent;            /* steps of those before it */
};

struct plans_index *plans_index_create(const struct rules *rules)
{
    struct plans_index *index = NEW(struct plans_index);
    index->rules = rules;
    pthread_mutex_init(&index->lock, NULL);
    return index;
}

void plans_index_destroy(struct plans_index *index)
{
    if (!index)
        return;
    smt_window_destroy(index->window);
    pthread_mutex_destroy(&index->lock);
    free(index);
}

static void planner_open(struct planner *planner, const struct smt_window *window)
{
    planner->window = window;
    planner->trial = smt_trial_create(window);
    planner->own = smt_own_create(window);
}

static void planner_close(struct planner *planner)
{
    smt_own_destroy(planner->own);
    smt_trial_destroy(planner->trial);
}

static uint64_t wakes_in(const struct smt_window *window)
{
    uint32_t conditions = trace_count(window->history->trace, CLASS_CONDITION);
    uint64_t wakes = 0;
    for (uint32_t i = 0; i < conditions; i++)
        wakes += (uint64_t)(window->wait_offset[i + 1] - window->wait_offset[i]) *
                 (window->signals.offset[i + 1] - window->signals.offset[i]);
    return wakes;
}

struct by_plans *by_plans_create(struct plans_index *index)
{
    const struct history *history = index->rules->history;
    if ((uint64_t)history->count * history->threads > CLOCKS_MAX)
        return NULL;
    pthread_mutex_lock(&index->lock);
    if (!index->window)
        index->window = smt_window_create(index->rules, 0, history->count);
    pthread_mutex_unlock(&index->lock);
    if (wakes_in(index->window) > WAKES_MAX)
        return NULL;
    struct by_plans *plans = NEW(struct by_plans);
    planner_open(&plans->all, index->window);
    return plans;
}

static void close_excused(struct by_plans *plans)
{
    if (!plans->window)
        return;
    plans->spent += smt_own_steps(plans->excused.own);
    planner_close(&plans->excused);
    smt_window_destroy(plans->window);
    plans->window = NULL;
}

void by_plans_destroy(struct by_plans *plans)
{
    if (!plans)
        return;
    close_excused(plans);
    planner_close(&plans->all);
    free(plans);
}

void by_plans_forget(struct by_plans *plans)
{
    smt_own_forget(plans->all.own);
    close_excused(plans);
}

static uint64_t steps_of(const struct by_plans *plans)
{
    return plans->spent + smt_own_steps(plans->all.own) +
           (plans->window ? smt_own_steps(plans->excused.own) : 0);
}

/* A return from a wait, as a part of a deadlock, needs a signal and stops for its lock. */
static bool wants_signal(const struct event *event)
{
    return event->op == EVENT_WAIT_END && !(event->flags & EVENT_FAILED);
}

bool by_plans_can(const struct rules *rules, const struct search_query *query)
{
    if (query->goal == SEARCH_ATOMICITY && rules->model == MODEL_BRANCH)
        return false;
    for (uint32_t i = 0; i < query->count && query->goal == SEARCH_DEADLOCK; i++)
        if (wants_signal(&rules->history->events[query->events[i]]))
            return false;
    return true;
}

struct asking {
    const struct search_query *query;
    uint64_t limit; /* of steps_of() */
    const struct smt_positions *witness;
};

static enum smt_answer ask(struct by_plans *plans, struct planner *planner,
                           const struct smt_goal *goal, struct asking *asking)
{
    uint64_t spent = steps_of(plans);
    asking->witness = smt_trial_witness(planner->trial);
    return smt_own_decide(planner->own, planner->trial, goal,
                          asking->limit > spent ? asking->limit - spent : 0);
}

/* The culprit reads, and may see anything. Most often it can come right before the end of the
 * window; then it is as good as not executed. Or else the must-order knows too much: it is made
 * anew, without what the culprit saw. */
static enum smt_answer ask_excused(struct by_plans *plans, const struct smt_goal *goal,
                                   struct asking *asking)
{
    const struct rules *rules = plans->all.window->rules;
    uint32_t begin = asking->query->events[0], culprit = asking->query->events[2];
    const uint32_t next[2] = {culprit, asking->query->events[1]};
    const struct smt_goal late = {
        .next = next, .next_count = 2, .executed = &begin, .executed_count = 1};
    enum smt_answer answer = goal->next_count ? ask(plans, &plans->all, &late, asking) : SMT_NO;
    if (answer != SMT_NO)
        return answer;
    if (!plans->window || plans->window->excused != culprit) {
        close_excused(plans);
        plans->window = smt_window_create_excusing(rules, culprit);
        plans->spent += rules->history->count;
        planner_open(&plans->excused, plans->window);
    }
    return ask(plans, &plans->excused, goal, asking);
}

/* Begin, end and culprit. What an access sees that comes last does not matter. */
static enum smt_answer ask_for_window(struct by_plans *plans, struct asking *asking)
{
    const struct event *events = plans->all.window->history->events;
    const uint32_t *window = asking->query->events;
    const struct smt_edge orders[2] = {{window[0], window[2]}, {window[2], window[1]}};
    bool access = op_in(events[window[1]].op, OPS_ACCESS);
    struct smt_goal goal = {
        .next = &window[1], .next_count = access, .orders = orders, .order_count = access ? 1 : 2};
    if (event_reads(&events[window[2]]) && smt_keeps(plans->all.window, window[2]))
        return ask_excused(plans, &goal, asking);
    return ask(plans, &plans->all, &goal, asking);
}

static enum smt_answer ask_for_last(struct by_plans *plans, struct asking *asking)
{
    uint32_t before = asking->query->count - 1;
    const uint32_t *events = asking->query->events;
    struct smt_edge *orders = NEW_ARRAY(struct smt_edge, before);
    for (uint32_t i = 0; i < before; i++)
        orders[i] = (struct smt_edge){events[i], events[before]};
    enum smt_answer answer = ask(
        plans, &plans->all, &(struct smt_goal){.orders = orders, .order_count = before}, asking);
    free(orders);
    return answer;
}

static enum smt_answer ask_for_next(struct by_plans *plans, const uint32_t *executed,
                                    uint32_t executed_count, struct asking *asking)
{
    struct smt_goal goal = {.next = asking->query->events,
                            .next_count = asking->query->count,
                            .executed = executed,
                            .executed_count = executed_count};
    return ask(plans, &plans->all, &goal, asking);
}

static enum search_answer answer_of(const struct by_plans *plans, enum smt_answer answer,
                                    const struct asking *asking, uint64_t before, uint64_t *steps,
                                    struct search_witness *witness)
{
    *steps += (steps_of(plans) - before) / STEPS_PER_EVENT;
    if (answer != SMT_YES)
        return answer == SMT_NO ? SEARCH_REFUTED : SEARCH_EXHAUSTED;
    *witness = (struct search_witness){asking->witness->items, (uint32_t)asking->witness->count};
    return SEARCH_WITNESS;
}

enum search_answer by_plans_reach(struct by_plans *plans, const struct search_query *query,
                                  const uint32_t *executed, uint32_t executed_count,
                                  uint64_t *steps, uint64_t limit, struct search_witness *witness)
{
    uint64_t before = steps_of(plans), left = limit > *steps ? limit - *steps : 0;
    struct asking asking = {query, before + STEPS_PER_EVENT * left, NULL};
    enum smt_answer answer = query->goal == SEARCH_ATOMICITY ? ask_for_window(plans, &asking)
                             : query->goal == SEARCH_PRECEDES
                                 ? ask_for_last(plans, &asking)
                                 : ask_for_next(plans, executed, executed_count, &asking);
    return answer_of(plans, answer, &asking, before, steps, witness);
}

enum search_answer by_plans_unordered(struct by_plans *plans, uint32_t first, uint32_t last,
                                      uint64_t *steps, uint64_t limit,
                                      struct search_witness *witness)
{
    uint64_t before = steps_of(plans), left = limit > *steps ? limit - *steps : 0;
    struct asking asking = {NULL, before + STEPS_PER_EVENT * left, NULL};
    const struct smt_goal goal = {.next = &last,
                                  .next_count = 1,
                                  .executed = &first,
                                  .executed_count = 1,
                                  .unordered = &first};
    enum smt_answer answer = ask(plans, &plans->all, &goal, &asking);
    return answer_of(plans, answer, &asking, before, steps, witness);
}
