/* SPDX-License-Identifier: MIT */
#include "search/solve.h"

#include "base/deal.h"
#include "base/memory.h"
#include "base/progress.h"
#include "search/learn.h"
#include "search/solve_state.h"
#include "trace/turns.h"

#include <pthread.h>
#include <stdlib.h>

/* Tasks are worked on in chunks, the last ones first: what walls (walls.h) are learned
 * from pairs whose first event comes late holds for those that come earlier. A chunk
 * knows what all chunks but the latest few before it have learned, however many threads
 * work: so the outcome is always the same. */
enum { CHUNK_MAX = 16, CHUNKS_LEAST = 256, CHUNKS_APART = 8 };

struct chunk {
    struct walls learned[MODEL_COUNT];
    uint64_t steps;
    bool done;
};

struct work {
    const struct ladder *ladder; /* a part of the whole one */
    const struct solve_task *tasks;
    struct solve_outcome *outcomes;
    const size_t *todo; /* numbers of the tasks that are left for it */
    size_t count, chunk_size, chunk_count;
    uint64_t budget;      /* of a task; 0: what the pool allows */
    uint64_t least, pool; /* the least of a task, and that of all together */
    struct chunk *chunks;
    size_t next;       /* the chunk to be taken next */
    struct deal *deal; /* who takes chunks besides the threads here, or NULL */
    pthread_mutex_t mutex;
    pthread_cond_t chunk_done;
};

struct worker {
    struct work *work;
    struct search *searches[MODEL_COUNT];
    struct walls known[MODEL_COUNT]; /* from the first `merged` chunks */
    size_t merged;
    uint64_t spent; /* in them */
};

static void solve_task(struct worker *worker, size_t number, uint64_t budget)
{
    const struct ladder *ladder = worker->work->ladder;
    struct solve_outcome *outcome = &worker->work->outcomes[number];
    *outcome = (struct solve_outcome){.answer = SEARCH_REFUTED};
    for (uint32_t i = 0; i < ladder->count; i++) {
        enum model model = search_index_model(ladder->rungs[i]);
        if (model == MODEL_SYNC && worker->work->tasks[number].sound_only)
            break;
        outcome->model = model;
        const struct climber climber = {worker->searches[i], ladder->essences[i],
                                        ladder->without_witnesses};
        if (climber_climb(&climber, &worker->work->tasks[number], budget, outcome))
            break;
    }
    progress_add(ladder->progress, 1);
}

/* What a task may take: what is left is never shared out at once, and one that is hard
 * may make many others easy. */
static uint64_t budget_now(const struct worker *worker)
{
    const uint64_t most = 1 << 22, share = 32;
    const struct work *work = worker->work;
    if (work->budget)
        return work->budget;
    uint64_t left = work->pool > worker->spent ? (work->pool - worker->spent) / share : 0;
    left = left < most ? left : most;
    return left > work->least ? left : work->least;
}

/* The tasks from `begin` to the end that is returned. */
static size_t chunk_bounds(const struct work *work, size_t number, size_t *begin)
{
    size_t end = work->count - number * work->chunk_size;
    *begin = end > work->chunk_size ? end - work->chunk_size : 0;
    return end;
}

static void work_on_chunk(struct worker *worker, size_t number)
{
    struct work *work = worker->work;
    struct chunk *chunk = &work->chunks[number];
    size_t begin, end = chunk_bounds(work, number, &begin);
    uint64_t before[MODEL_COUNT], budget = budget_now(worker);
    for (uint32_t i = 0; i < work->ladder->count; i++) {
        const struct essence *essence = work->ladder->essences[i];
        if (!worker->searches[i])
            worker->searches[i] = search_create(essence ? essence->index : work->ladder->rungs[i]);
        search_forget(worker->searches[i]);
        learn_begin(worker->searches[i], &worker->known[i]);
        before[i] = search_steps(worker->searches[i]);
    }
    while (end > begin)
        solve_task(worker, work->todo[--end], budget);
    for (uint32_t i = 0; i < work->ladder->count; i++) {
        learn_end(worker->searches[i], &chunk->learned[i]);
        chunk->steps += search_steps(worker->searches[i]) - before[i];
    }
}

static struct solve_pack pack_of(struct work *work, size_t number)
{
    struct chunk *chunk = &work->chunks[number];
    struct solve_pack pack = {.tasks = work->tasks,
                              .outcomes = work->outcomes,
                              .todo = work->todo,
                              .events = history_total(work->ladder->rungs[0]->history),
                              .learned = chunk->learned,
                              .rungs = work->ladder->count,
                              .steps = chunk->steps};
    pack.end = chunk_bounds(work, number, &pack.begin);
    return pack;
}

static void note_done(struct work *work, size_t number)
{
    pthread_mutex_lock(&work->mutex);
    work->chunks[number].done = true;
    pthread_cond_broadcast(&work->chunk_done);
    pthread_mutex_unlock(&work->mutex);
    if (!work->deal)
        return;
    struct solve_pack pack = pack_of(work, number);
    deal_done(work->deal, (uint32_t)number, solve_pack(&pack), (uint32_t)(pack.end - pack.begin));
}

/* Waits for a chunk that may be another process's. */
static void receive_chunk(struct work *work, size_t number)
{
    struct bytes bytes = deal_result(work->deal, (uint32_t)number);
    pthread_mutex_lock(&work->mutex);
    if (!work->chunks[number].done) {
        struct solve_pack pack = pack_of(work, number);
        if (!solve_unpack(&pack, bytes))
            deal_refuse(work->deal);
        work->chunks[number].steps = pack.steps;
        work->chunks[number].done = true;
        progress_add(work->ladder->progress, pack.end - pack.begin);
    }
    pthread_mutex_unlock(&work->mutex);
}

static void wait_for_chunk(struct worker *worker, size_t number)
{
    struct work *work = worker->work;
    if (work->deal) {
        receive_chunk(work, number);
        return;
    }
    pthread_mutex_lock(&work->mutex);
    while (!work->chunks[number].done)
        pthread_cond_wait(&work->chunk_done, &work->mutex);
    pthread_mutex_unlock(&work->mutex);
}

static bool take_number(struct work *work, size_t *number)
{
    if (work->deal) {
        uint32_t dealt = 0;
        bool taken = deal_take(work->deal, &dealt);
        *number = dealt;
        return taken;
    }
    pthread_mutex_lock(&work->mutex);
    *number = work->next++;
    pthread_mutex_unlock(&work->mutex);
    return *number < work->chunk_count;
}

/* The next chunk, once all are done that it builds on; false if there is none. */
static bool take_chunk(struct worker *worker, size_t *number)
{
    struct work *work = worker->work;
    if (!take_number(work, number))
        return false;
    size_t needed = *number > CHUNKS_APART ? *number - CHUNKS_APART : 0;
    for (; worker->merged < needed; worker->merged++) {
        wait_for_chunk(worker, worker->merged);
        const struct chunk *chunk = &work->chunks[worker->merged];
        worker->spent += chunk->steps;
        for (uint32_t m = 0; m < work->ladder->count; m++)
            for (size_t i = 0; i < chunk->learned[m].count; i++)
                walls_add(&worker->known[m], chunk->learned[m].items[i]);
    }
    return true;
}

static void *work_on(void *argument)
{
    struct worker worker = {.work = argument};
    struct work *work = worker.work;
    for (size_t number; take_chunk(&worker, &number);) {
        work_on_chunk(&worker, number);
        note_done(work, number);
    }
    for (uint32_t i = 0; i < work->ladder->count; i++) {
        search_destroy(worker.searches[i]);
        array_free(&worker.known[i]);
    }
    return NULL;
}

/* All tasks together may take a time that is in proportion to the trace... A short trace gets
 * more than its share: there, all that is left open is worth a second. */
static uint64_t budget_of_all(const struct ladder *ladder)
{
    uint64_t length = ladder_length(ladder);
    return length > TURNS_FROM ? (UINT64_C(1) << 24) + 32 * length
                               : (UINT64_C(1) << 26) + 64 * length;
}

/* ... but a task always gets enough for a trace of some hundred events, and in a long one for some
 * schedules of what lies between its events: less is spent in vain. */
uint64_t solve_budget(const struct ladder *ladder, size_t count)
{
    const uint64_t least = ladder_length(ladder) > TURNS_FROM ? 1 << 18 : 1 << 16;
    uint64_t all = budget_of_all(ladder), each = count ? all / count : all;
    return each < least ? least : each > SEARCH_BUDGET ? SEARCH_BUDGET : each;
}

/* What is learnt under `value` (search_forget) is worth more than a second thread. */
static bool is_value(const struct search_index *rung)
{
    return search_index_model(rung) == MODEL_VALUE;
}

static void plan(struct work *work)
{
    work->chunk_size = work->count / CHUNKS_LEAST + 1;
    if (work->chunk_size > CHUNK_MAX)
        work->chunk_size = CHUNK_MAX;
    if (is_value(work->ladder->rungs[0]))
        work->chunk_size = SOLVE_BATCH;
    work->chunk_count = (work->count + work->chunk_size - 1) / work->chunk_size;
    work->chunks = NEW_ARRAY(struct chunk, work->chunk_count);
    work->pool = work->least * work->count;
    if (work->pool < budget_of_all(work->ladder))
        work->pool = budget_of_all(work->ladder);
}

static void share_out(struct work *work, uint32_t jobs)
{
    enum { JOBS_MAX = 256 };
    pthread_t threads[JOBS_MAX];
    uint32_t started = 0;
    plan(work);
    if (work->chunk_count < 2)
        work->deal = NULL;
    if (work->deal)
        deal_begin(work->deal, solve_print(work->tasks, work->todo, work->count, work->budget),
                   (uint32_t)work->chunk_count);
    for (; started + 1 < jobs && started + 1 < work->chunk_count && started < JOBS_MAX; started++)
        if (pthread_create(&threads[started], NULL, work_on, work))
            break;
    work_on(work);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; work->deal && i < work->chunk_count; i++)
        receive_chunk(work, i);
    if (work->deal)
        deal_end(work->deal);
    for (size_t i = 0; i < work->chunk_count; i++)
        for (uint32_t m = 0; m < work->ladder->count; m++)
            array_free(&work->chunks[i].learned[m]);
    free(work->chunks);
}

/* The rungs from number `first` on that are shared out together. */
static struct ladder part_of(const struct ladder *ladder, uint32_t first)
{
    struct ladder part = {.rungs = {ladder->rungs[first]},
                          .essences = {ladder->essences[first]},
                          .count = 1,
                          .without_witnesses = ladder->without_witnesses,
                          .deal = ladder->deal,
                          .progress = ladder->progress};
    for (uint32_t i = first + 1;
         i < ladder->count && !is_value(ladder->rungs[first]) && !is_value(ladder->rungs[i]); i++) {
        part.essences[part.count] = ladder->essences[i];
        part.rungs[part.count++] = ladder->rungs[i];
    }
    return part;
}

void solve_all(const struct ladder *ladder, const struct solve_task *tasks,
               struct solve_outcome *outcomes, size_t count, uint32_t jobs, uint64_t budget)
{
    size_t *todo = memory_alloc(count, sizeof *todo), left = count;
    for (size_t i = 0; i < count; i++)
        todo[i] = i;
    for (uint32_t first = 0; first < ladder->count;) {
        struct ladder part = part_of(ladder, first);
        struct work work = {.ladder = &part,
                            .tasks = tasks,
                            .outcomes = outcomes,
                            .todo = todo,
                            .count = left,
                            .budget = budget,
                            .least = solve_budget(ladder, count),
                            .deal = ladder->deal,
                            .mutex = PTHREAD_MUTEX_INITIALIZER,
                            .chunk_done = PTHREAD_COND_INITIALIZER};
        progress_begin(ladder->progress, "deciding candidates", left);
        share_out(&work, jobs);
        left = 0;
        for (size_t i = 0; i < work.count; i++)
            if (outcomes[todo[i]].answer != SEARCH_WITNESS)
                todo[left++] = todo[i];
        first += part.count;
    }
    free(todo);
}
