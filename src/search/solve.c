#include "search/solve.h"

#include "base/memory.h"
#include "base/progress.h"
#include "search/essence.h"
#include "search/learn.h"
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
    size_t next; /* the chunk to be taken next */
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

/* One rung, for one worker. */
struct climber {
    struct search *search;
    const struct essence *essence; /* NULL: the search is of the whole history */
    bool without_witnesses;
};

/* Where the instance's events are in the essence; false if one of them cannot race. */
static bool find_events(const struct essence *essence, const uint32_t *events, uint32_t size,
                        uint32_t *found)
{
    for (uint32_t i = 0; i < size; i++)
        if ((found[i] = essence_pos(essence, events[i])) == POS_NONE)
            return false;
    return true;
}

/* Long ones stay turns: they would be folded in the end (turns.h). */
static void keep_turns(const struct essence *essence, const struct search_witness *witness,
                       uint32_t ends, struct solve_outcome *outcome)
{
    outcome->witness = essence_turns(essence, witness, ends, &outcome->length);
    outcome->in_turns =
        turns_events(essence->whole, outcome->witness, outcome->length) > TURNS_FROM;
    if (outcome->in_turns)
        return;
    uint32_t *turns = outcome->witness;
    outcome->witness = turns_unfold(essence->whole, turns, outcome->length, ends, &outcome->length);
    free(turns);
}

static enum search_answer try_events(const struct climber *climber, const struct solve_task *task,
                                     const uint32_t *events, uint64_t budget,
                                     struct solve_outcome *outcome)
{
    struct search_query query = {task->goal, events, task->size, budget};
    struct search_witness witness;
    enum search_answer answer = search_reach(climber->search, &query, &witness);
    if (answer != SEARCH_WITNESS || climber->without_witnesses)
        return answer;
    if (climber->essence) {
        keep_turns(climber->essence, &witness, task->size, outcome);
    } else {
        outcome->witness = memory_copy(witness.events, witness.length * sizeof *witness.events);
        outcome->length = witness.length;
        outcome->in_turns = false;
    }
    return answer;
}

static enum search_answer try_instance(const struct climber *climber, const struct solve_task *task,
                                       uint32_t instance, uint64_t budget,
                                       struct solve_outcome *outcome)
{
    const uint32_t *events = task->events + (size_t)instance * task->size;
    enum search_answer answer = SEARCH_REFUTED;
    if (!climber->essence) {
        answer = try_events(climber, task, events, budget, outcome);
    } else {
        uint32_t *found = memory_alloc(task->size, sizeof *found);
        if (find_events(climber->essence, events, task->size, found))
            answer = try_events(climber, task, found, budget, outcome);
        free(found);
    }
    if (answer == SEARCH_WITNESS) {
        outcome->answer = SEARCH_WITNESS;
        outcome->instance = instance;
    }
    return answer;
}

struct early {
    uint32_t instance, pos; /* pos of its last event */
};

static int by_pos(const void *a, const void *b)
{
    const struct early *x = a, *y = b;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->instance > y->instance) - (x->instance < y->instance);
}

/* In which order closures are asked. Under `sync` most instances have a witness, which is as long
 * as the trace before it: so the early ones first. Others as they come, the closest first. */
static struct early *instances_of(const struct solve_task *task, enum model model)
{
    struct early *order = memory_alloc(task->count, sizeof *order);
    for (uint32_t i = 0; i < task->count; i++) {
        order[i] = (struct early){i, 0};
        for (uint32_t k = 0; k < task->size; k++) {
            uint32_t pos = task->events[(size_t)i * task->size + k];
            order[i].pos = pos > order[i].pos ? pos : order[i].pos;
        }
    }
    if (model == MODEL_SYNC)
        qsort(order, task->count, sizeof *order, by_pos);
    return order;
}

/* All instances under one model; true if one has a witness. First what closures
 * alone can tell, which is cheap; then the first few that are left, in full, with the budget of
 * two for all of them. */
static bool climb_all(const struct climber *climber, const struct solve_task *task,
                      const struct early *order, bool *is_open, uint64_t budget,
                      struct solve_outcome *outcome)
{
    enum { QUICK = 1, FULL_MAX = 8 };
    uint32_t open = 0, tried = 0;
    outcome->answer = SEARCH_REFUTED;
    for (uint32_t i = 0; i < task->count; i++) {
        enum search_answer answer = try_instance(climber, task, order[i].instance, QUICK, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        is_open[order[i].instance] = answer == SEARCH_EXHAUSTED;
        open += answer == SEARCH_EXHAUSTED;
    }
    uint64_t end = search_steps(climber->search) + 2 * budget;
    for (uint32_t i = 0; i < task->count && tried < FULL_MAX; i++) {
        if (!is_open[i] || (tried++ && search_steps(climber->search) > end))
            continue;
        enum search_answer answer = try_instance(climber, task, i, budget, outcome);
        if (answer == SEARCH_WITNESS)
            return true;
        open -= answer == SEARCH_REFUTED;
    }
    if (open)
        outcome->answer = SEARCH_EXHAUSTED;
    return false;
}

static bool climb(const struct climber *climber, const struct solve_task *task, uint64_t budget,
                  struct solve_outcome *outcome)
{
    if (task->count == 1) {
        outcome->answer = try_instance(climber, task, 0, budget, outcome);
        return outcome->answer == SEARCH_WITNESS;
    }
    struct early *order = instances_of(task, outcome->model);
    bool *is_open = NEW_ARRAY(bool, task->count);
    bool found = climb_all(climber, task, order, is_open, budget, outcome);
    free(is_open);
    free(order);
    return found;
}

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
        if (climb(&climber, &worker->work->tasks[number], budget, outcome))
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

static void work_on_chunk(struct worker *worker, size_t number)
{
    struct work *work = worker->work;
    struct chunk *chunk = &work->chunks[number];
    size_t end = work->count - number * work->chunk_size;
    size_t begin = end > work->chunk_size ? end - work->chunk_size : 0;
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

/* The next chunk, once all are done that it builds on; false if there is none. */
static bool take_chunk(struct worker *worker, size_t *number)
{
    struct work *work = worker->work;
    pthread_mutex_lock(&work->mutex);
    *number = work->next++;
    size_t needed = *number > CHUNKS_APART ? *number - CHUNKS_APART : 0;
    for (size_t i = worker->merged; i < needed && *number < work->chunk_count; i++)
        while (!work->chunks[i].done)
            pthread_cond_wait(&work->chunk_done, &work->mutex);
    pthread_mutex_unlock(&work->mutex);
    if (*number >= work->chunk_count)
        return false;
    for (; worker->merged < needed; worker->merged++) {
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
        pthread_mutex_lock(&work->mutex);
        work->chunks[number].done = true;
        pthread_cond_broadcast(&work->chunk_done);
        pthread_mutex_unlock(&work->mutex);
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
    for (; started + 1 < jobs && started + 1 < work->chunk_count && started < JOBS_MAX; started++)
        if (pthread_create(&threads[started], NULL, work_on, work))
            break;
    work_on(work);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
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
