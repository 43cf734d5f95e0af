#include "engine/driver.h"

#include "base/array.h"
#include "model/checker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct event_list ARRAY_OF(struct event);

static void feed(struct driver *driver, const struct event *batch, size_t count, uint32_t first)
{
    for (size_t i = 0; i < driver->count; i++) {
        struct engine_run *run = &driver->runs[i];
        double start = now();
        engine_feed(run, batch, count, first);
        run->seconds += now() - start;
    }
}

static int read_all(struct driver *driver, struct trace *trace, struct error *error)
{
    bool keep = false;
    for (size_t i = 0; i < driver->count; i++)
        keep |= driver->runs[i].engine->whole_trace;
    struct event_list list = {0};
    const struct event *batch;
    long count;
    uint32_t first = 0;
    while ((count = trace_next(trace, &batch, error)) > 0) {
        feed(driver, batch, (size_t)count, first);
        first += (uint32_t)count;
        if (!keep)
            continue;
        array_reserve(&list, list.count + (size_t)count);
        memcpy(list.items + list.count, batch, (size_t)count * sizeof *batch);
        list.count += (size_t)count;
    }
    if (count < 0) {
        array_free(&list);
        return -1;
    }
    if (keep)
        driver->history = history_create(trace, list.items, (uint32_t)list.count);
    return 0;
}

struct checking {
    const struct findings *findings;
    struct rules *rules[MODEL_COUNT];
    atomic_size_t next;
    struct failure { /* the first finding whose witness was refused */
        pthread_mutex_t mutex;
        size_t finding;
        struct complaint complaint;
    } failure;
};

static bool check_witness(const struct rules *rules, const struct finding *finding,
                          struct complaint *complaint)
{
    uint32_t *events = memory_alloc(finding->event_count, sizeof *events);
    for (uint32_t i = 0; i < finding->event_count; i++)
        events[i] = finding->events[i].pos;
    struct claim claim = {finding->kind, events, finding->event_count, finding->witness,
                          finding->witness_length};
    bool good = witness_check(rules, &claim, complaint);
    free(events);
    return good;
}

static void *check_some(void *argument)
{
    struct checking *checking = argument;
    for (;;) {
        size_t number = atomic_fetch_add(&checking->next, 1);
        if (number >= checking->findings->count)
            return NULL;
        const struct finding *finding = &checking->findings->items[number];
        struct complaint complaint;
        if (!finding->witness ||
            check_witness(checking->rules[finding->model], finding, &complaint))
            continue;
        pthread_mutex_lock(&checking->failure.mutex);
        if (number < checking->failure.finding) {
            checking->failure.finding = number;
            checking->failure.complaint = complaint;
        }
        pthread_mutex_unlock(&checking->failure.mutex);
    }
}

static void check_all(struct checking *checking, uint32_t jobs)
{
    enum { JOBS_MAX = 256 };
    pthread_t threads[JOBS_MAX];
    uint32_t started = 0;
    for (; started + 1 < jobs && started + 1 < checking->findings->count && started < JOBS_MAX;
         started++)
        if (pthread_create(&threads[started], NULL, check_some, checking))
            break;
    check_some(checking);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static int check_witnesses(const struct engine_run *run, struct error *error)
{
    struct checking checking = {.findings = run->findings,
                                .failure = {PTHREAD_MUTEX_INITIALIZER, SIZE_MAX, {0}}};
    for (size_t i = 0; i < run->findings->count; i++) {
        const struct finding *finding = &run->findings->items[i];
        if (finding->witness && !checking.rules[finding->model])
            checking.rules[finding->model] = rules_create(run->history, finding->model);
    }
    check_all(&checking, run->options->jobs);
    for (int model = 0; model < MODEL_COUNT; model++)
        rules_destroy(checking.rules[model]);
    if (checking.failure.finding == SIZE_MAX)
        return 0;
    const struct complaint *complaint = &checking.failure.complaint;
    return error_set(error, ERROR_INTERNAL,
                     "engine %s gave a wrong witness: at %u (event %u): %s; please report this",
                     run->engine->name, complaint->at, complaint->pos, complaint->rule);
}

static int finish(struct driver *driver, struct error *error)
{
    for (size_t i = 0; i < driver->count; i++) {
        struct engine_run *run = &driver->runs[i];
        run->history = driver->history;
        double start = now();
        if (engine_finish(run, error))
            return -1;
        run->seconds += now() - start;
        if (run->history && check_witnesses(run, error))
            return -1;
        findings_sort(run->findings);
    }
    return 0;
}

int driver_run(struct driver *driver, struct trace *trace, const struct engine *const *engines,
               size_t count, const struct engine_options *options, struct error *error)
{
    *driver = (struct driver){.runs = NEW_ARRAY(struct engine_run, count), .count = count};
    for (size_t i = 0; i < count; i++) {
        struct engine_run *run = &driver->runs[i];
        *run = (struct engine_run){
            .engine = engines[i],
            .trace = trace,
            .options = options,
            .findings = findings_create(options->every_pair),
        };
        run->findings->trace = trace;
        engine_begin(run);
    }
    if (read_all(driver, trace, error))
        return -1;
    return finish(driver, error);
}

void driver_free(struct driver *driver)
{
    for (size_t i = 0; i < driver->count; i++) {
        engine_end(&driver->runs[i]);
        findings_destroy(driver->runs[i].findings);
    }
    free(driver->runs);
    history_destroy(driver->history);
    *driver = (struct driver){0};
}
