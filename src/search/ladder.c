#include "model/machine.h"
#include "search/index.h"
#include "search/solve.h"

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

void ladder_free(struct ladder *ladder)
{
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
            ladder->rungs[i]->history->ops & OP_BIT(EVENT_ATOMIC_LOAD))
            return ladder->rungs[i];
    return NULL;
}
