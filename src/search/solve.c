#include "search/solve.h"

#include "base/memory.h"
#include "model/machine.h"
#include "search/index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct work {
    const struct ladder *ladder;
    const struct solve_task *tasks;
    struct solve_outcome *outcomes;
    size_t count;
    uint64_t budget;
    atomic_size_t next;
};

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

static enum search_answer try_instance(struct search *search, const struct solve_task *task,
                                       uint32_t instance, uint64_t budget,
                                       struct solve_outcome *outcome)
{
    struct search_query query = {task->goal, task->events + (size_t)instance * task->size,
                                 task->size, budget};
    struct search_witness witness;
    enum search_answer answer = search_reach(search, &query, &witness);
    if (answer == SEARCH_WITNESS) {
        outcome->answer = SEARCH_WITNESS;
        outcome->instance = instance;
        outcome->witness = memory_copy(witness.events, witness.length * sizeof *witness.events);
        outcome->length = witness.length;
    }
    return answer;
}

/* All instances under one model; true if one has a witness. First what closures
 * alone can tell, which is cheap; then the first few that are left, in full. */
static bool climb(struct search *search, const struct solve_task *task, uint64_t budget,
                  struct solve_outcome *outcome)
{
    enum { QUICK = 1, FULL_MAX = 8 };
    uint32_t left[FULL_MAX], count = 0, open = 0;
    outcome->answer = SEARCH_REFUTED;
    for (uint32_t i = 0; i < task->count; i++) {
        enum search_answer answer = try_instance(search, task, i, QUICK, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        open += answer == SEARCH_EXHAUSTED;
        if (answer == SEARCH_EXHAUSTED && count < FULL_MAX)
            left[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        enum search_answer answer = try_instance(search, task, left[i], budget, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        open -= answer == SEARCH_REFUTED;
    }
    if (open)
        outcome->answer = SEARCH_EXHAUSTED;
    return false;
}

static void solve_task(struct work *work, struct search **searches, size_t number)
{
    struct solve_outcome *outcome = &work->outcomes[number];
    *outcome = (struct solve_outcome){.answer = SEARCH_REFUTED};
    for (uint32_t i = 0; i < work->ladder->count; i++) {
        if (!searches[i])
            searches[i] = search_create(work->ladder->rungs[i]);
        outcome->model = search_index_model(work->ladder->rungs[i]);
        if (climb(searches[i], &work->tasks[number], work->budget, outcome))
            break;
    }
}

/* Tasks are handed out in batches, within which a search may learn: so the outcome does not
 * depend on who gets which. */
static void *work_on(void *argument)
{
    struct work *work = argument;
    struct search *searches[MODEL_COUNT] = {0};
    for (;;) {
        size_t first = atomic_fetch_add(&work->next, SOLVE_BATCH);
        if (first >= work->count)
            break;
        for (uint32_t i = 0; i < work->ladder->count; i++)
            if (searches[i])
                search_forget(searches[i]);
        for (size_t i = first; i < first + SOLVE_BATCH && i < work->count; i++)
            solve_task(work, searches, i);
    }
    for (uint32_t i = 0; i < work->ladder->count; i++)
        search_destroy(searches[i]);
    return NULL;
}

/* All tasks together may take a time that is in proportion to the trace; a task
 * always gets enough for a trace of some hundred events. */
uint64_t solve_budget(const struct ladder *ladder, size_t count)
{
    const uint64_t least = 1 << 16;
    uint64_t all = (UINT64_C(1) << 26) + 64 * (uint64_t)ladder->rungs[0]->history->count;
    uint64_t each = count ? all / count : all;
    return each < least ? least : each > SEARCH_BUDGET ? SEARCH_BUDGET : each;
}

void solve_all(const struct ladder *ladder, const struct solve_task *tasks,
               struct solve_outcome *outcomes, size_t count, uint32_t jobs, uint64_t budget)
{
    enum { JOBS_MAX = 256 };
    struct work work = {.ladder = ladder,
                        .tasks = tasks,
                        .outcomes = outcomes,
                        .count = count,
                        .budget = budget ? budget : solve_budget(ladder, count)};
    pthread_t threads[JOBS_MAX];
    uint32_t started = 0;
    for (; started + 1 < jobs && (started + 1) * SOLVE_BATCH < count && started < JOBS_MAX;
         started++)
        if (pthread_create(&threads[started], NULL, work_on, &work))
            break;
    work_on(&work);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
