/* SPDX-License-Identifier: MIT */
/* relations TRACE [ENGINE...]
 *
 * Times engines on one trace that is in memory already, each by its own processor
 * time, and prints them as multiples of hb, measured in the same run. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct measure {
    double seconds;
    size_t findings;
    uint64_t candidates;
};

static int measure(const struct engine *engine, const struct history *history, uint32_t window,
                   struct measure *result)
{
    struct engine_options options = {.jobs = 1, .window = window};
    struct engine_run run = {
        .engine = engine,
        .trace = history->trace,
        .options = &options,
        .findings = findings_create(false),
    };
    struct error error = {0};
    double start = processor_seconds();
    engine_begin(&run);
    for (uint32_t first = 0; first < history->count; first += TRACE_BATCH) {
        uint32_t left = history->count - first;
        engine_feed(&run, history->events + first, left < TRACE_BATCH ? left : TRACE_BATCH, first);
    }
    run.history = history;
    int failed = engine_finish(&run, &error);
    if (failed)
        fprintf(stderr, "%s: %s\n", engine->name, error.text);
    engine_end(&run);
    *result = (struct measure){processor_seconds() - start, run.findings->count, run.candidates};
    findings_destroy(run.findings);
    return failed;
}

static double peak_gigabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1e6;
}

static int compare(const struct history *history, char **names, int count)
{
    double unit = 0;
    printf("%-10s %10s %12s %8s %9s %8s\n", "engine", "seconds", "Mevents/s", "x hb", "findings",
           "peak GB");
    for (int i = 0; i < count; i++) {
        const struct engine *engine = engine_find(names[i], strlen(names[i]));
        struct measure best = {0};
        if (!engine)
            return fprintf(stderr, "no engine %s\n", names[i]), 2;
        for (int times = 0; times < 2; times++) {
            struct measure result;
            if (measure(engine, history, 0, &result))
                return 1;
            if (!times || result.seconds < best.seconds)
                best = result;
        }
        unit = i == 0 ? best.seconds : unit;
        printf("%-10s %10.3f %12.2f %8.2f %9zu %8.2f\n", engine->name, best.seconds,
               (double)history->count / best.seconds / 1e6, best.seconds / unit, best.findings,
               peak_gigabytes());
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static char *const usual[] = {"hb", "wcp", "cp", "mb", "syncp"};
    struct error error = {0};
    if (argc < 2)
        return fprintf(stderr, "usage: relations TRACE [ENGINE...]\n"), 2;
    struct trace *trace = trace_open(argv[1], &error);
    struct history *history = trace ? history_read(trace, &error) : NULL;
    if (!history)
        return fprintf(stderr, "%s\n", error.text), 3;
    printf("%u events, %u threads, %u locks, %u variables\n", history->count, history->threads,
           trace_count(trace, CLASS_LOCK), trace_count(trace, CLASS_VARIABLE));
    int code = compare(history, argc > 2 ? argv + 2 : (char **)usual,
                       argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual));
    history_destroy(history);
    trace_close(trace);
    return code;
}
