/* SPDX-License-Identifier: MIT */
#include "model/machine.h"
#include "search/essence.h"
#include "search/solve.h"
#include "trace/turns.h"

#include <pthread.h>

/* An index that is being made. */
struct making {
    const struct history *history;
    enum model model;
    struct search_index *index;
};

static void *make_index(void *argument)
{
    struct making *making = argument;
    making->index = search_index_create(making->history, making->model);
    return NULL;
}

static void add_rung(struct ladder *ladder, struct search_index *index, enum model model)
{
    if (search_index_model(index) != model) /* as good as one that is there */
        search_index_destroy(index);
    else
        ladder->rungs[ladder->count++] = index;
}

void ladder_create(struct ladder *ladder, const struct history *history, enum model model,
                   uint32_t jobs)
{
    *ladder = (struct ladder){0};
    if (model != MODEL_NONE) {
        ladder->rungs[ladder->count++] = search_index_create(history, model);
        return;
    }
    struct making last = {history, MODEL_SYNC, NULL};
    pthread_t thread;
    bool aside = jobs > 1 && pthread_create(&thread, NULL, make_index, &last) == 0;
    add_rung(ladder, search_index_create(history, MODEL_RF), MODEL_RF);
    const struct rules *rules = ladder->rungs[0]->rules;
    if (rules->has_values)
        add_rung(ladder, search_index_create(history, MODEL_VALUE), MODEL_VALUE);
    if (rules->has_branches)
        add_rung(ladder, search_index_create(history, MODEL_BRANCH), MODEL_BRANCH);
    if (aside)
        pthread_join(thread, NULL);
    else
        make_index(&last);
    add_rung(ladder, last.index, MODEL_SYNC);
}

void ladder_focus(struct ladder *ladder, const struct solve_task *tasks, size_t count)
{
    const struct history *history = ladder->rungs[0]->history;
    ladder_widen(ladder);
    if (!count)
        return;
    bool *asked = NEW_ARRAY(bool, history_total(history));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < (size_t)tasks[i].size * tasks[i].count; k++)
            asked[tasks[i].events[k]] = true;
    for (uint32_t i = 0; i < ladder->count; i++) /* or else not worth a second index */
        ladder->essences[i] = essence_create(ladder->rungs[i], asked, history->count / 4 * 3);
    free(asked);
}

void ladder_widen(struct ladder *ladder)
{
    for (uint32_t i = 0; i < ladder->count; i++) {
        essence_destroy(ladder->essences[i]);
        ladder->essences[i] = NULL;
    }
}

uint32_t ladder_length(const struct ladder *ladder)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < ladder->count; i++) {
        const struct essence *essence = ladder->essences[i];
        uint32_t whole = ladder->rungs[i]->history->count, length = whole;
        if (essence && whole > TURNS_FROM) /* or else it is unfolded */
            length = essence->history->count > TURNS_FROM ? essence->history->count : TURNS_FROM;
        most = length > most ? length : most;
    }
    return most;
}

void ladder_free(struct ladder *ladder)
{
    ladder_widen(ladder);
    for (uint32_t i = 0; i < ladder->count; i++)
        search_index_destroy(ladder->rungs[i]);
    *ladder = (struct ladder){0};
}

const struct search_index *ladder_weakest(const struct ladder *ladder)
{
    return ladder->rungs[ladder->count - 1];
}

const struct search_index *ladder_value(const struct ladder *ladder)
{
    for (uint32_t i = 0; i + 1 < ladder->count; i++)
        if (ladder->rungs[i]->model == MODEL_VALUE &&
            ladder->rungs[i]->history->ops &
                (OP_BIT(EVENT_ATOMIC_LOAD) | OP_BIT(EVENT_ATOMIC_LOOK)))
            return ladder->rungs[i];
    return NULL;
}
