/* SPDX-License-Identifier: MIT */
/* auto on one thread and on two: bench_jobs TRACE [--pairs [MODEL]]
 *
 * A busy machine says nothing by the clock. What two free processors would take is the
 * processor time of the thread that worked longest: the main thread does all that is
 * not shared out, and then waits for the other. Every step of a run goes into it,
 * reading and the checking of witnesses too; the engine alone is shown as well. */
#include "engine/driver.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

struct cost {
    double all, longest;
};

static double seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

static struct cost spent(void)
{
    struct rusage own, all;
    getrusage(RUSAGE_THREAD, &own);
    getrusage(RUSAGE_SELF, &all);
    return (struct cost){seconds(&all), seconds(&own)};
}

/* The findings of a run, in bytes: what may not depend on the number of threads. */
static uint64_t hash_findings(const struct findings *findings)
{
    uint64_t hash = findings->count;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        hash = hash * 31 + (uint64_t)finding->kind * 7 + (uint64_t)finding->model;
        for (uint32_t k = 0; k < finding->event_count; k++)
            hash = hash * 1000003 + finding->events[k].pos;
        for (uint32_t k = 0; k < finding->witness_length; k++)
            hash = hash * 1000003 + finding->witness[k];
    }
    return hash;
}

static int measure(const char *path, struct engine_options options, struct cost *cost,
                   uint64_t *hash)
{
    const struct engine *engine = engine_find("auto", 4);
    struct error error = {0};
    struct driver driver;
    struct cost before = spent();
    struct trace *trace = trace_open(path, &error);
    if (!trace || driver_run(&driver, trace, &engine, 1, &options, &error)) {
        fprintf(stderr, "bench_jobs: %s\n", error.text);
        return 2;
    }
    struct cost after = spent();
    double own = after.longest - before.longest;
    cost->all = after.all - before.all;
    cost->longest = cost->all - own > own ? cost->all - own : own;
    *hash = hash_findings(driver.runs[0].findings);
    printf("%u: %zu findings, processor time %.3f s, of one thread at most %.3f s\n", options.jobs,
           driver.runs[0].findings->count, cost->all, cost->longest);
    driver_free(&driver);
    trace_close(trace);
    return 0;
}

int main(int argc, char **argv)
{
    struct engine_options options = {.model = argc > 3 ? model_parse(argv[3]) : MODEL_NONE};
    options.every_pair = argc > 2 && strcmp(argv[2], "--pairs") == 0;
    struct cost costs[2];
    uint64_t hashes[2];
    if (argc < 2 || options.model == MODEL_COUNT) {
        fprintf(stderr, "usage: bench_jobs TRACE [--pairs [MODEL]]\n");
        return 2;
    }
    for (options.jobs = 1; options.jobs <= 2; options.jobs++)
        if (measure(argv[1], options, &costs[options.jobs - 1], &hashes[options.jobs - 1]))
            return 2;
    printf("two threads are %.2f times as fast (at least 1.6), findings %s\n",
           costs[0].longest / costs[1].longest, hashes[0] == hashes[1] ? "the same" : "DIFFERENT");
    return hashes[0] != hashes[1];
}
