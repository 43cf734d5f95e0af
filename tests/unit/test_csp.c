/* csp and deadlock against the oracle, on small random traces with all kinds of
 * synchronisation, and the papers' worked examples down to the counterexample.
 * PREPLAY_CSP_TRACES and PREPLAY_CSP_SEED make a long campaign of it. */
#include "csp/csp.h"
#include "engine/driver.h"
#include "tiddle/generator.h"
#include "oracle/oracle.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "campaign.h"

extern const struct engine engine_csp, engine_deadlock;

struct reading {
    struct trace *trace;
    struct driver driver;
};

/* Runs one engine; every witness passes the checker in the driver. */
static const struct findings *reading_run(struct reading *reading, struct trace *trace,
                                          const struct engine *engine,
                                          const struct engine_options *options, const char *text)
{
    struct error error = {0};
    reading->trace = trace;
    if (!trace || driver_run(&reading->driver, trace, &engine, 1, options, &error))
        fail_msg("%s: %s\n%s", engine->name, error.text, text);
    return reading->driver.runs[0].findings;
}

static void reading_free(struct reading *reading)
{
    driver_free(&reading->driver);
    trace_close(reading->trace);
}

static const struct findings *reading_file(struct reading *reading, const char *name,
                                           const struct engine *engine,
                                           const struct engine_options *options)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TRACES, name);
    return reading_run(reading, trace_open(path, NULL), engine, options, path);
}

/* The papers' own counterexamples. */
static void expect_note(const char *file, const struct engine_options *options, size_t findings,
                        const char *note)
{
    struct reading reading;
    const struct findings *found = reading_file(&reading, file, &engine_csp, options);
    assert_int_equal(found->count, findings);
    for (size_t i = 0; i < found->count; i++)
        assert_string_equal(found->items[i].note, note);
    reading_free(&reading);
}

static void test_papers(void **state)
{
    (void)state;
    const char *listing1 = "fork.t1.t2, start.t2, lock.t2.m, unlock.t2.m";
    const char *listing11 = "lock.t2.m, unlock.t2.m";
    struct engine_options one = {.jobs = 1}, per_pair = {.jobs = 1, .per_pair = true};
    struct engine_options all = {.jobs = 1, .every_pair = true};
    expect_note("000-listing1-racy-program.std", &one, 1, listing1);
    expect_note("000-listing1-racy-program.std", &per_pair, 1, listing1);
    expect_note("000-listing1-racy-program.std", &all, 3, listing1);
    expect_note("000-listing1-other-schedule.std", &one, 1, listing1);
    expect_note("001-listing1.1-captured.std", &one, 1, listing11);
    expect_note("001-listing1.1-captured.std", &per_pair, 1, listing11);
    expect_note("002-sec4.3-deadlock.std", &one, 1, "lock.t1.A, lock.t2.B");
}

/* The race on y needs events of both halves of the trace: a window of each half
 * alone does not see it; the initial state of the second half is the observed one. */
static void test_windows(void **state)
{
    (void)state;
    struct reading reading;
    struct engine_options small = {.jobs = 1, .window = 4}, large = {.jobs = 1, .window = 8};
    const char *file = "001-listing1.1-captured.std";
    assert_int_equal(reading_file(&reading, file, &engine_csp, &small)->count, 0);
    reading_free(&reading);
    assert_int_equal(reading_file(&reading, file, &engine_csp, &large)->count, 1);
    reading_free(&reading);
}

/* A bound on states that is too small is told, not hidden. */
static void test_incomplete(void **state)
{
    (void)state;
    struct reading reading;
    struct engine_options poor = {.jobs = 1, .budget = 1};
    const struct findings *found =
        reading_file(&reading, "000-listing1-racy-program.std", &engine_csp, &poor);
    assert_int_equal(found->count, 0);
    assert_int_equal(reading.driver.runs[0].exhausted, 1);
    reading_free(&reading);
}

/* What a whole run of csp may do: what it finds with so much work. */
struct frugal {
    size_t found;
    uint64_t left, exhausted;
};

static struct frugal run_with(const struct sample *sample, uint64_t work)
{
    struct engine_options options = {.jobs = 1, .window = 250};
    struct engine_run run = {
        .engine = &engine_csp,
        .trace = sample->trace,
        .options = &options,
        .history = sample->history,
        .findings = findings_create(false),
    };
    uint64_t left = csp_run(&run, work);
    struct frugal frugal = {run.findings->count, left, run.exhausted};
    findings_destroy(run.findings);
    return frugal;
}

/* A run that may not do any work finds nothing and says so; one that may do little finds some and
 * leaves others open; with enough, nothing is left. */
static void test_work_of_a_run(void **state)
{
    (void)state;
    struct shape shape;
    struct sample sample;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, "large:events=1000,threads=6", &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, 1, &error), 0);
    struct frugal enough = run_with(&sample, UINT64_C(1) << 30);
    struct frugal little = run_with(&sample, 250000);
    struct frugal none = run_with(&sample, 0);
    assert_int_equal(enough.exhausted, 0);
    assert_true(enough.left < UINT64_C(1) << 30 && little.left < 250000);
    assert_true(none.exhausted > 0);
    assert_int_equal(none.found, 0);
    assert_true(little.exhausted > 0 && little.exhausted < none.exhausted);
    assert_true(little.found > 0 && little.found <= enough.found);
    sample_free(&sample);
}

/* Races, or deadlocks. */
static size_t count_in(const char *text, const struct engine *engine, enum model model,
                       enum finding_kind kind)
{
    struct reading reading;
    struct engine_options options = {.jobs = 1, .model = model};
    const struct findings *found = reading_run(
        &reading, std_open_memory("small.std", text, strlen(text)), engine, &options, text);
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++)
        count += found->items[i].kind == kind;
    reading_free(&reading);
    return count;
}

/* Two threads wait; after one signal only one of them can have returned, so the
 * write between the signals never meets the one after both have ended. */
static void test_one_signal_wakes_one(void **state)
{
    (void)state;
    static const char waits[] = "M|fork(A)|1\nM|fork(B)|2\nM|fork(S)|3\n"
                                "A|acq(m)|4\nA|wait(c,m)|5\nB|acq(m)|6\nB|wait(c,m)|7\n"
                                "S|notify(c)|8\nS|w(y)|9\nS|notify(c)|10\n"
                                "A|woken(c,m)|11\nA|rel(m)|12\nB|woken(c,m)|13\nB|rel(m)|14\n"
                                "M|join(A)|15\nM|join(B)|16\nM|w(y)|17\n";
    assert_int_equal(count_in(waits, &engine_csp, MODEL_SYNC, FINDING_RACE), 0);
    static const char broadcast[] =
        "M|fork(A)|1\nM|fork(B)|2\nM|fork(S)|3\n"
        "A|acq(m)|4\nA|wait(c,m)|5\nB|acq(m)|6\nB|wait(c,m)|7\nS|notifyall(c)|8\nS|w(y)|9\n"
        "A|woken(c,m)|11\nA|rel(m)|12\nB|woken(c,m)|13\nB|rel(m)|14\n"
        "M|join(A)|15\nM|join(B)|16\nM|w(y)|17\n";
    assert_int_equal(count_in(broadcast, &engine_csp, MODEL_SYNC, FINDING_RACE), 1);
}

/* Longer than what is explored: rounds of a program that waits, perhaps with an end of its
 * own. All of it is decided, and nothing but that end is a deadlock. */
static void expect_decided(const char *round, const char *end, size_t deadlocks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < 400; i++)
        fputs(round, file);
    fputs(end, file);
    fclose(file);
    struct reading reading;
    struct engine_options options = {.jobs = 1, .model = MODEL_RF};
    const struct findings *found = reading_run(&reading, std_open_memory("long.std", text, size),
                                               &engine_deadlock, &options, round);
    assert_int_equal(found->count, deadlocks);
    assert_int_equal(reading.driver.runs[0].exhausted, 0);
    reading_free(&reading);
    free(text);
}

static void test_long_waits(void **state)
{
    (void)state;
    static const char monitor[] =
        "C|acq(m)|1\nC|r(n)|2\nC|wait(c,m)|3\nD|acq(m)|1\nD|r(n)|2\nD|wait(c,m)|3\n"
        "P|acq(m)|4\nP|r(n)|5\nP|w(n)|6\nP|notify(c)|7\nP|rel(m)|8\n"
        "C|woken(c,m)|3\nC|r(n)|2\nC|w(n)|9\nC|rel(m)|10\n"
        "P|acq(m)|4\nP|r(n)|5\nP|w(n)|6\nP|notify(c)|7\nP|rel(m)|8\n"
        "D|woken(c,m)|3\nD|r(n)|2\nD|w(n)|9\nD|rel(m)|10\n";
    static const char semaphores[] =
        "P|semwait(e)|1\nP|acq(m)|2\nP|w(n)|3\nP|rel(m)|4\nP|post(f)|5\n"
        "C|semwait(f)|6\nC|acq(m)|7\nC|r(n)|8\nC|rel(m)|9\nC|post(e)|10\n";
    /* The flag is set without the mutex: the signal may come between the look and the wait. */
    static const char lost[] = "E|acq(k)|20\nE|r(flag)|21\nE|wait(d,k)|22\nQ|w(flag)|23\n"
                               "Q|notify(d)|24\nE|woken(d,k)|22\nE|rel(k)|25\n";
    /* It is set with the mutex held. */
    static const char kept[] = "E|acq(k)|20\nE|r(flag)|21\nE|wait(d,k)|22\nQ|acq(k)|23\n"
                               "Q|w(flag)|23\nQ|notify(d)|24\nQ|rel(k)|26\nE|woken(d,k)|22\n"
                               "E|rel(k)|25\n";
    expect_decided(monitor, "", 0);
    expect_decided(semaphores, "", 0);
    expect_decided(monitor, kept, 0);
    expect_decided(monitor, lost, 1);
    expect_decided(semaphores, lost, 1);
}

/* A joins B under a lock, B joins C, and C needs the lock. */
static void test_joins_in_a_row(void **state)
{
    (void)state;
    static const char joins[] = "A|fork(B)|1\nB|fork(C)|2\nC|acq(m)|3\nC|rel(m)|4\n"
                                "B|join(C)|5\nA|acq(m)|6\nA|join(B)|7\nA|rel(m)|8\n";
    assert_int_equal(count_in(joins, &engine_deadlock, MODEL_RF, FINDING_DEADLOCK), 1);
    assert_int_equal(count_in(joins, &engine_csp, MODEL_SYNC, FINDING_DEADLOCK), 1);
    /* A gate that C has passed before A can have the lock. */
    static const char passed[] = "A|fork(B)|1\nB|fork(C)|2\nC|acq(m)|3\nC|rel(m)|4\n"
                                 "B|join(C)|5\nA|join(B)|6\nA|acq(m)|7\nA|rel(m)|8\n";
    assert_int_equal(count_in(passed, &engine_deadlock, MODEL_SYNC, FINDING_DEADLOCK), 0);
}

/* Waits that a signal chose and that lack their mutex. */
static const char *const waiting[] = {
    /* One holds k while it waits, the other m while it wants k. */
    "P|acq(k)|1\nP|acq(m)|2\nP|wait(c,m)|3\nS|notify(c)|4\nP|woken(c,m)|5\nP|rel(m)|6\nP|rel(k)|7\n"
    "R|acq(m)|8\nR|acq(k)|9\nR|rel(k)|10\nR|rel(m)|11\n",
    /* The same, and before that a try must have failed while the waiter still held m. */
    "P|acq(k)|1\nP|acq(m)|2\nF|tryacq!(m)|3\nF|post(s)|4\nP|wait(c,m)|5\nS|notify(c)|6\n"
    "P|woken(c,m)|7\nP|rel(m)|8\nP|rel(k)|9\nR|semwait(s)|10\nR|acq(m)|11\nR|acq(k)|12\n"
    "R|rel(k)|13\nR|rel(m)|14\n",
    /* Both signals must come while D waits; C takes the first, waits again and takes the other. */
    "D|acq(m)|1\nD|r(n)|2\nD|wait(c,m)|3\nC|acq(m)|4\nC|r(n)|5\nC|wait(c,m)|6\nP|acq(m)|7\n"
    "P|w(n)|8\nP|notify(c)|9\nP|rel(m)|10\nC|woken(c,m)|11\nC|rel(m)|12\nC|acq(m)|13\n"
    "C|wait(c,m)|14\nP|acq(m)|15\nP|notify(c)|16\nP|rel(m)|17\nD|woken(c,m)|18\nD|rel(m)|19\n",
    /* No signal can choose the waiter before the other has both locks: not these two alone. */
    "R|acq(m)|1\nR|acq(k)|2\nR|rel(k)|3\nR|rel(m)|4\nR|post(z)|5\nP|acq(k)|6\nP|acq(m)|7\n"
    "P|wait(c,m)|8\nS|semwait(z)|9\nS|notify(c)|10\nP|woken(c,m)|11\nP|rel(m)|12\nP|rel(k)|13\n",
};

struct expected {
    const struct engine *engine;
    enum model model;
};

__attribute__((noreturn)) static void disagree(const struct expected *expected, const char *what,
                                               const struct sample *sample)
{
    fprintf(stderr, "%s under %s: %s\n%s", expected->engine->name, model_text(expected->model),
            what, sample->text);
    fail();
    abort();
}

static void compare_findings(const struct expected *expected, const struct findings *found,
                             const struct truth *truth, const struct sample *sample)
{
    size_t races = 0, deadlocks = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *finding = &found->items[i];
        uint32_t events[16];
        assert_true(finding->event_count <= 16);
        assert_non_null(finding->witness);
        for (uint32_t k = 0; k < finding->event_count; k++)
            events[k] = finding->events[k].pos;
        if (finding->kind == FINDING_RACE) {
            races++;
            if (!truth_races(truth, events[0], events[1]))
                disagree(expected, "a race that is none", sample);
        } else {
            deadlocks++;
            if (!truth_deadlock(truth, events, finding->event_count))
                disagree(expected, "a deadlock that is none", sample);
        }
    }
    if (expected->engine->finds & FINDS_RACES && races != truth->races.count)
        disagree(expected, "a race is missed", sample);
    if (deadlocks != truth->deadlocks.count)
        disagree(expected, "a deadlock is missed", sample);
}

static void compare_sample(struct oracle *oracle, const struct sample *sample,
                           const struct expected *expected)
{
    struct error error = {0};
    struct truth truth;
    struct oracle_options oracle_options = {.model = expected->model};
    if (oracle_explore(oracle, sample->history, &oracle_options, &truth, &error))
        fail_msg("%s", error.text);
    struct engine_options options = {.jobs = 1, .model = expected->model, .every_pair = true};
    struct reading reading;
    const struct findings *found =
        reading_run(&reading, std_open_memory("random.std", sample->text, strlen(sample->text)),
                    expected->engine, &options, sample->text);
    if (reading.driver.runs[0].exhausted)
        disagree(expected, "left undecided", sample);
    compare_findings(expected, found, &truth, sample);
    reading_free(&reading);
    truth_free(&truth);
}

static void test_waiting(void **state)
{
    (void)state;
    static const struct expected expected[] = {
        {&engine_csp, MODEL_SYNC}, {&engine_deadlock, MODEL_SYNC}, {&engine_deadlock, MODEL_RF}};
    struct oracle *oracle = oracle_create();
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        struct error error = {0};
        struct sample sample;
        if (sample_read(&sample, strdup(waiting[i]), strlen(waiting[i]), &error))
            fail_msg("%s", error.text);
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
            compare_sample(oracle, &sample, &expected[k]);
        assert_true(count_in(waiting[i], &engine_csp, MODEL_SYNC, FINDING_DEADLOCK) > 0);
        sample_free(&sample);
    }
    oracle_destroy(oracle);
}

/* P holds both locks when the window begins. A try must fail before it waits, though there is
 * something else to be done first which nobody is in a hurry for. */
static void test_try_before_a_wait(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < 16; i++)
        fprintf(file, "N|w(z)|%d\n", i);
    fputs("P|acq(k)|20\nP|acq(m)|21\n"
          "Z|post(z)|1\nZ|post(z)|2\nG|semwait(z)|3\nG|post(s)|4\nF|semwait(z)|5\nF|tryacq!(m)|6\n"
          "F|post(s)|7\nP|wait(c,m)|8\nS|notify(c)|9\nP|woken(c,m)|10\nP|rel(m)|11\nP|rel(k)|12\n"
          "R|semwait(s)|13\nR|semwait(s)|14\nR|acq(m)|15\nR|acq(k)|16\nR|rel(k)|17\nR|rel(m)|18\n",
          file);
    fclose(file);
    struct reading reading;
    struct engine_options options = {.jobs = 1, .window = 18, .every_pair = true};
    const struct findings *found = reading_run(&reading, std_open_memory("window.std", text, size),
                                               &engine_csp, &options, text);
    size_t cycles = 0;
    for (size_t i = 0; i < found->count; i++)
        cycles += found->items[i].kind == FINDING_DEADLOCK && found->items[i].event_count == 2;
    assert_int_equal(cycles, 1);
    reading_free(&reading);
    free(text);
}

/* Twelve threads take every two of twelve locks in either order, always at the same two lines: one
 * cycle is enough, and the millions of longer ones need not be seen. */
static void test_cycles_through_few_lines(void **state)
{
    (void)state;
    enum { MANY = 12 };
    static const struct engine *engines[] = {&engine_csp, &engine_deadlock};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < MANY * MANY * MANY; i++) {
        int thread = i / MANY / MANY, first = i / MANY % MANY, second = i % MANY;
        if (first != second)
            fprintf(file, "T%d|acq(l%d)|1\nT%d|acq(l%d)|2\nT%d|rel(l%d)|3\nT%d|rel(l%d)|4\n",
                    thread, first, thread, second, thread, second, thread, first);
    }
    fclose(file);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct reading reading;
        struct engine_options options = {.jobs = 1};
        const struct findings *found = reading_run(
            &reading, std_open_memory("lines.std", text, size), engines[i], &options, text);
        assert_int_equal(found->count, 1);
        assert_int_equal(reading.driver.runs[0].exhausted, 0);
        reading_free(&reading);
    }
    free(text);
}

/* Hundreds of sets of waits in one small trace: its states are visited once, not once a set. */
static void test_dense_waits(void **state)
{
    (void)state;
    struct shape shape;
    struct sample sample;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, "conditions:events=300", &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, 1, &error), 0);
    struct reading reading;
    struct engine_options options = {.jobs = 1, .model = MODEL_SYNC};
    const struct findings *found =
        reading_run(&reading, std_open_memory("dense.std", sample.text, strlen(sample.text)),
                    &engine_deadlock, &options, sample.text);
    assert_true(found->count > 100);
    assert_int_equal(reading.driver.runs[0].exhausted, 0);
    reading_free(&reading);
    sample_free(&sample);
}

/* When the window begins, a signal has come that only A may take, and B waits. A gives up: then
 * it was A that the signal chose, and the next one is for B. */
static void test_gives_up_in_the_window(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < 8; i++)
        fprintf(file, "N|w(z)|%d\n", i);
    fputs("A|acq(l)|10\nA|wait(c,l)|11\nS|notify(c)|12\nB|acq(l)|13\nB|wait(c,l)|14\n"
          "S|w(v)|15\nS|w(u)|16\n"
          "A|woken!(c,l)|17\nA|rel(l)|18\nA|post(t)|19\nD|semwait(t)|20\nD|notify(c)|21\n"
          "B|woken(c,l)|22\nB|w(x)|23\nB|rel(l)|24\nE|w(x)|25\n",
          file);
    fclose(file);
    struct reading reading;
    struct engine_options options = {.jobs = 1, .window = 15, .every_pair = true};
    const struct findings *found = reading_run(&reading, std_open_memory("window.std", text, size),
                                               &engine_csp, &options, text);
    assert_int_equal(found->count, 1);
    assert_int_equal(found->items[0].kind, FINDING_RACE);
    reading_free(&reading);
    free(text);
}

/* A waits for both readers, B for C, C for A: A and C are stuck without B. */
static void test_smallest(void **state)
{
    static const char text[] =
        "A|acq(l)|1\nA|wracq(m)|2\nA|wrrel(m)|3\nA|rel(l)|4\n"
        "B|rdacq(m)|5\nB|acq(k)|6\nB|rel(k)|7\nB|rdrel(m)|8\n"
        "C|rdacq(m)|9\nC|acq(k)|10\nC|acq(l)|11\nC|rel(l)|12\nC|rel(k)|13\nC|rdrel(m)|14\n";
    static const struct engine *engines[] = {&engine_csp, &engine_deadlock};
    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct reading reading;
        struct engine_options options = {.jobs = 1, .every_pair = true};
        const struct findings *found =
            reading_run(&reading, std_open_memory("readers.std", text, sizeof text - 1), engines[i],
                        &options, text);
        assert_int_equal(found->count, 1);
        assert_int_equal(found->items[0].event_count, 2);
        reading_free(&reading);
    }
}

static void test_shape(void **state)
{
    static const struct expected expected[] = {
        {&engine_csp, MODEL_SYNC},
        {&engine_deadlock, MODEL_SYNC},
        {&engine_deadlock, MODEL_RF},
    };
    struct shape shape;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, *state, &error), 0);
    uint64_t count = number_from("PREPLAY_CSP_TRACES", 200);
    uint64_t first = number_from("PREPLAY_CSP_SEED", 0);
    struct oracle *oracle = oracle_create();
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            compare_sample(oracle, &sample, &expected[i]);
        sample_free(&sample);
    }
    oracle_destroy(oracle);
}

/* The trace with lock l1 as a semaphore. */
static char *with_semaphore(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    while (*text) {
        if (strncmp(text, "acq(l1)", 7) == 0 || strncmp(text, "rel(l1)", 7) == 0) {
            fputs(*text == 'a' ? "semwait(l1)" : "post(l1)", file);
            text += 7;
        } else {
            fputc(*text++, file);
        }
    }
    fclose(file);
    return out;
}

/* A semaphore used as a lock deadlocks like one: what was true of the lock is true
 * of it, and the engines find it. */
static void test_semaphores_as_locks(void **state)
{
    (void)state;
    static const struct expected expected[] = {{&engine_csp, MODEL_SYNC},
                                               {&engine_deadlock, MODEL_RF}};
    struct shape shape;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, "deadlock", &error), 0);
    uint64_t count = number_from("PREPLAY_CSP_TRACES", 400), deadlocks = 0;
    struct oracle *oracle = oracle_create();
    for (uint64_t seed = 0; seed < count; seed++) {
        struct sample locks, sample;
        struct truth before, after;
        struct oracle_options options = {.model = MODEL_SYNC};
        assert_int_equal(sample_generate(&locks, &shape, seed, &error), 0);
        char *text = with_semaphore(locks.text);
        assert_int_equal(sample_read(&sample, text, strlen(text), &error), 0);
        assert_int_equal(oracle_explore(oracle, locks.history, &options, &before, &error), 0);
        assert_int_equal(oracle_explore(oracle, sample.history, &options, &after, &error), 0);
        assert_int_equal(before.deadlocks.count, after.deadlocks.count);
        deadlocks += after.deadlocks.count;
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            compare_sample(oracle, &sample, &expected[i]);
        truth_free(&before);
        truth_free(&after);
        sample_free(&locks);
        sample_free(&sample);
    }
    assert_true(deadlocks > 0);
    oracle_destroy(oracle);
}

int main(void)
{
    static const char *const shapes[] = {"basic",      "locks",   "deadlock",   "stuck",
                                         "tries",      "rwlocks", "conditions", "barriers",
                                         "semaphores", "once",    "atomics",    "all"};
    enum { FIXED = 14, SHAPES = sizeof shapes / sizeof *shapes };
    struct CMUnitTest tests[FIXED + SHAPES] = {
        cmocka_unit_test(test_papers),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_work_of_a_run),
        cmocka_unit_test(test_one_signal_wakes_one),
        cmocka_unit_test(test_joins_in_a_row),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_try_before_a_wait),
        cmocka_unit_test(test_gives_up_in_the_window),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_cycles_through_few_lines),
        cmocka_unit_test(test_dense_waits),
        cmocka_unit_test(test_long_waits),
        cmocka_unit_test(test_semaphores_as_locks),
    };
    for (size_t i = 0; i < SHAPES; i++)
        tests[FIXED + i] =
            (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
