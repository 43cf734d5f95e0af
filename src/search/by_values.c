#include "search/by_values.h"

#include "search/smt_own.h"

#include <pthread.h>

/* Events times threads. */
#define CLOCKS_MAX (UINT64_C(1) << 26)

struct values_index {
    const struct rules *rules;
    pthread_mutex_t lock;
    struct smt_window *window; /* NULL: not made yet */
};

struct by_values {
    struct smt_trial *trial;
    struct smt_own *own;
};

struct values_index *values_index_create(const struct rules *rules)
{
    struct values_index *index = NEW(struct values_index);
    index->rules = rules;
    pthread_mutex_init(&index->lock, NULL);
    return index;
}

void values_index_destroy(struct values_index *index)
{
    if (!index)
        return;
    smt_window_destroy(index->window);
    pthread_mutex_destroy(&index->lock);
    free(index);
}

struct by_values *by_values_create(struct values_index *index)
{
    const struct history *history = index->rules->history;
    if ((uint64_t)history->count * history->threads > CLOCKS_MAX)
        return NULL;
    pthread_mutex_lock(&index->lock);
    if (!index->window)
        index->window = smt_window_create(index->rules, 0, history->count);
    pthread_mutex_unlock(&index->lock);
    struct by_values *values = NEW(struct by_values);
    values->trial = smt_trial_create(index->window);
    values->own = smt_own_create(index->window);
    return values;
}

void by_values_destroy(struct by_values *values)
{
    if (!values)
        return;
    smt_own_destroy(values->own);
    smt_trial_destroy(values->trial);
    free(values);
}

void by_values_forget(struct by_values *values)
{
    smt_own_forget(values->own);
}

enum search_answer by_values_race(struct by_values *values, const uint32_t pair[2], uint64_t *steps,
                                  uint64_t limit, struct search_witness *witness)
{
    uint64_t before = smt_own_steps(values->own), left = limit > *steps ? limit - *steps : 0;
    enum smt_answer answer = smt_own_decide(values->own, values->trial, pair[0], pair[1], left);
    *steps += smt_own_steps(values->own) - before;
    if (answer != SMT_YES)
        return answer == SMT_NO ? SEARCH_REFUTED : SEARCH_EXHAUSTED;
    const struct smt_positions *found = smt_trial_witness(values->trial);
    *witness = (struct search_witness){found->items, (uint32_t)found->count};
    return SEARCH_WITNESS;
}
