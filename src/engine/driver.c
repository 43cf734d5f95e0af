/* SPDX-License-Identifier: MIT */
#include "engine/driver.h"

#include "base/interruption.h"
#include "base/memory.h"
#include "base/progress.h"
#include "engine/check_findings.h"
#include "trace/turns.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void feed(struct engine_run *runs, size_t run_count, const struct event *batch, size_t count,
                 uint32_t first)
{
    for (size_t i = 0; i < run_count; i++) {
        struct engine_run *run = &runs[i];
        double start = now();
        engine_feed(run, batch, count, first);
        run->seconds += now() - start;
    }
}

static int read_all(struct driver *driver, struct trace *trace, struct error *error)
{
    const struct event *batch;
    long count = 0;
    uint32_t first = 0;
    struct progress *progress = driver->filter_options.progress;
    progress_begin(progress, "reading events", 0);
    while (!interruption_asked() && (count = trace_next(trace, &batch, error)) > 0) {
        feed(driver->filters, driver->filter_count, batch, (size_t)count, first);
        feed(driver->runs, driver->count, batch, (size_t)count, first);
        whole_feed(&driver->whole, batch, (size_t)count);
        first += (uint32_t)count;
        progress_add(progress, (uint64_t)count);
    }
    if (count < 0)
        return -1;
    whole_end(&driver->whole);
    driver->history = driver->whole.history;
    return 0;
}

static void fold_witnesses(const struct engine_run *run)
{
    for (size_t i = 0; i < run->findings->count; i++)
        if (run->findings->items[i].witness_length > TURNS_FROM)
            finding_fold(&run->findings->items[i], run->history);
}

static int finish(struct driver *driver, struct error *error)
{
    progress_begin(driver->filter_options.progress, "predicting", 0);
    for (size_t i = 0; i < driver->filter_count; i++)
        if (engine_finish(&driver->filters[i], error))
            return -1;
    for (size_t i = 0; i < driver->count; i++) {
        struct engine_run *run = &driver->runs[i];
        run->history = driver->history;
        double start = now();
        if (engine_finish(run, error))
            return -1;
        run->seconds += now() - start;
        driver->history = driver->whole.history;
        if (run->history && check_findings(run, error))
            return -1;
        fold_witnesses(run);
        findings_sort(run->findings);
    }
    /* A filter that runs for one engine only is a part of what that costs. */
    for (size_t i = 0; i < driver->count; i++)
        for (size_t k = 0; k < driver->filter_count; k++)
            if (driver->runs[i].filter == &driver->filters[k]) {
                driver->runs[i].seconds += driver->filters[k].seconds;
                driver->filters[k].seconds = 0;
            }
    return 0;
}

static void prepare(struct engine_run *run, const struct engine *engine, struct trace *trace,
                    const struct engine_options *options)
{
    *run = (struct engine_run){
        .engine = engine,
        .trace = trace,
        .options = options,
        .findings = findings_create(options->every_pair),
    };
    run->findings->trace = trace;
}

static struct engine_run *run_of(struct engine_run *runs, size_t count, const struct engine *engine)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i].engine == engine)
            return &runs[i];
    return NULL;
}

/* The run of a filter: one that was asked for, or else one of its own. */
static struct engine_run *filter_for(struct driver *driver, const struct engine *engine,
                                     struct trace *trace)
{
    struct engine_run *run = run_of(driver->runs, driver->count, engine);
    if (!run)
        run = run_of(driver->filters, driver->filter_count, engine);
    if (run)
        return run;
    run = &driver->filters[driver->filter_count++];
    prepare(run, engine, trace, &driver->filter_options);
    engine_begin(run);
    return run;
}

static void begin(struct driver *driver, struct trace *trace)
{
    for (size_t i = 0; i < driver->count; i++)
        if (!driver->runs[i].engine->filter)
            engine_begin(&driver->runs[i]);
    for (size_t i = 0; i < driver->count; i++) {
        struct engine_run *run = &driver->runs[i];
        if (!run->engine->filter)
            continue;
        run->filter = filter_for(driver, run->engine->filter, trace);
        engine_begin(run);
    }
}

int driver_run(struct driver *driver, struct trace *trace, const struct engine *const *engines,
               size_t count, const struct engine_options *options, struct error *error)
{
    *driver = (struct driver){.runs = NEW_ARRAY(struct engine_run, count),
                              .count = count,
                              .filters = NEW_ARRAY(struct engine_run, count),
                              .filter_options = *options,
                              .whole = {.trace = trace}};
    driver->filter_options.every_pair = false; /* what survives, not how often */
    for (size_t i = 0; i < count; i++) {
        prepare(&driver->runs[i], engines[i], trace, options);
        driver->runs[i].whole = &driver->whole;
        driver->whole.certainly |= engines[i]->whole_trace;
        driver->whole.wanted |= engines[i]->whole_trace || engines[i]->may_want_whole;
    }
    begin(driver, trace);
    if (read_all(driver, trace, error))
        return -1;
    return finish(driver, error);
}

static void end(struct engine_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        engine_end(&runs[i]);
        findings_destroy(runs[i].findings);
    }
    free(runs);
}

void driver_free(struct driver *driver)
{
    end(driver->runs, driver->count);
    end(driver->filters, driver->filter_count);
    whole_free(&driver->whole);
    *driver = (struct driver){0};
}
