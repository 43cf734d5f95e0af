#include "search/by_plans.h"

#include "search/smt_own.h"

#include <pthread.h>

/* Events times threads. */
#define CLOCKS_MAX (UINT64_C(1) << 26)

/* A step of the solver is less work than to schedule an event. */
#define STEPS_PER_EVENT 4

struct plans_index {
    const struct rules *rules;
    pthread_mutex_t lock;
    struct smt_window *window; /* NULL: not made yet */
};

struct by_plans {
    struct smt_trial *trial;
    struct smt_own *own;
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

struct by_plans *by_plans_create(struct plans_index *index)
{
    const struct history *history = index->rules->history;
    if ((uint64_t)history->count * history->threads > CLOCKS_MAX)
        return NULL;
    pthread_mutex_lock(&index->lock);
    if (!index->window)
        index->window = smt_window_create(index->rules, 0, history->count);
    pthread_mutex_unlock(&index->lock);
    struct by_plans *plans = NEW(struct by_plans);
    plans->trial = smt_trial_create(index->window);
    plans->own = smt_own_create(index->window);
    return plans;
}

void by_plans_destroy(struct by_plans *plans)
{
    if (!plans)
        return;
    smt_own_destroy(plans->own);
    smt_trial_destroy(plans->trial);
    free(plans);
}

void by_plans_forget(struct by_plans *plans)
{
    smt_own_forget(plans->own);
}

enum search_answer by_plans_race(struct by_plans *plans, const uint32_t pair[2], uint64_t *steps,
                                 uint64_t limit, struct search_witness *witness)
{
    uint64_t before = smt_own_steps(plans->own), left = limit > *steps ? limit - *steps : 0;
    enum smt_answer answer =
        smt_own_decide(plans->own, plans->trial, pair[0], pair[1], STEPS_PER_EVENT * left);
    *steps += (smt_own_steps(plans->own) - before) / STEPS_PER_EVENT;
    if (answer != SMT_YES)
        return answer == SMT_NO ? SEARCH_REFUTED : SEARCH_EXHAUSTED;
    const struct smt_positions *found = smt_trial_witness(plans->trial);
    *witness = (struct search_witness){found->items, (uint32_t)found->count};
    return SEARCH_WITNESS;
}
