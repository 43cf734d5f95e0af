/* SPDX-License-Identifier: MIT */
/* What tlh adds to lockset: bench_tlh TRACE [ROUNDS [SECONDS]]
 *
 * The difference of two runs of preplay is a hundredth of either, and other programs change
 * what a run takes by more than that. So both sides, lockset alone and lockset with tlh, get
 * every batch of one reading, in turn, timed by the processor time of this thread; of each
 * batch the best time of ROUNDS readings counts (as many as SECONDS allow, but two).
 *
 * Prints events, readings, and seconds: lockset alone, what tlh adds to it while the trace is
 * read, and what it takes at the end. */
#include "engine/driver.h"
#include "relations/lockset_pairs.h"

#include <stdio.h>
#include <time.h>

extern const struct engine engine_tlh;

/* By batch, the best time so far. */
struct best ARRAY_OF(double);

struct side {
    bool with_tlh;
    struct engine_run lockset, tlh;
    struct whole whole;
    struct best batches;
    double end; /* the best so far */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void begin_run(struct engine_run *run, const struct engine *engine, struct trace *trace,
                      const struct engine_options *options)
{
    *run = (struct engine_run){
        .engine = engine, .trace = trace, .options = options, .findings = findings_create(false)};
    run->findings->trace = trace;
}

static void begin(struct side *side, struct trace *trace, const struct engine_options *options)
{
    begin_run(&side->lockset, &engine_lockset, trace, options);
    begin_run(&side->tlh, &engine_tlh, trace, options);
    side->whole = (struct whole){.trace = trace, .wanted = true};
    side->tlh.filter = &side->lockset;
    side->tlh.whole = &side->whole;
    engine_begin(&side->lockset);
    if (side->with_tlh)
        engine_begin(&side->tlh);
}

static void keep_best(struct best *best, size_t number, double seconds)
{
    if (number == best->count)
        array_push(best, seconds);
    else if (seconds < best->items[number])
        best->items[number] = seconds;
}

static void feed(struct side *side, const struct event *events, size_t count, uint32_t first,
                 size_t number)
{
    double start = now();
    engine_feed(&side->lockset, events, count, first);
    if (side->with_tlh)
        whole_feed(&side->whole, events, count);
    keep_best(&side->batches, number, now() - start);
}

static int end(struct side *side, struct error *error)
{
    int result = 0;
    double start = now();
    if (side->with_tlh) {
        whole_end(&side->whole);
        side->tlh.history = side->whole.history;
        result = engine_finish(&side->tlh, error);
        engine_end(&side->tlh);
    }
    double seconds = now() - start;
    side->end = seconds < side->end ? seconds : side->end;
    engine_end(&side->lockset);
    findings_destroy(side->lockset.findings);
    findings_destroy(side->tlh.findings);
    whole_free(&side->whole);
    return result;
}

/* One reading; the number of events, or -1. */
static long read_once(struct side sides[2], const char *path, unsigned round, struct error *error)
{
    const struct engine_options options = {.jobs = 1};
    const struct event *batch;
    long count;
    uint32_t first = 0;
    struct trace *trace = trace_open(path, error);
    if (!trace)
        return -1;
    begin(&sides[0], trace, &options);
    begin(&sides[1], trace, &options);
    for (size_t number = 0; (count = trace_next(trace, &batch, error)) > 0; number++) {
        /* Who comes second finds the batch in the cache. */
        size_t leads = (number + round) % 2;
        feed(&sides[leads], batch, (size_t)count, first, number);
        feed(&sides[!leads], batch, (size_t)count, first, number);
        first += (uint32_t)count;
    }
    bool failed = count < 0;
    for (int i = 0; i < 2; i++)
        failed |= end(&sides[i], error) != 0;
    trace_close(trace);
    return failed ? -1 : (long)first;
}

static double sum(const struct best *best)
{
    double result = 0;
    for (size_t i = 0; i < best->count; i++)
        result += best->items[i];
    return result;
}

int main(int argc, char **argv)
{
    struct side sides[2] = {{.end = 1e9}, {.with_tlh = true, .end = 1e9}};
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 6, done = 0;
    double most = argc > 3 ? atof(argv[3]) : 100;
    struct error error = {0};
    long events = -1;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_tlh TRACE [ROUNDS [SECONDS]]\n");
        return 2;
    }
    while (done < rounds && (done < 2 || now() * (done + 1) / done < most)) {
        events = read_once(sides, argv[1], done++, &error);
        if (events < 0) {
            fprintf(stderr, "bench_tlh: %s\n", error.text);
            return 2;
        }
    }
    double alone = sum(&sides[0].batches);
    printf("%ld %u %.4f %.4f %.4f\n", events, done, alone, sum(&sides[1].batches) - alone,
           sides[1].end);
    array_free(&sides[0].batches);
    array_free(&sides[1].batches);
    return 0;
}
