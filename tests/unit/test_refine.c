/* The refinement checker of csp against a walk through every state: what it finds, what it
 * does not, and that its counterexamples are shortest, in windows of all sizes; on random
 * traces, and on random programs whose threads are alike, which its symmetry reduction is for.
 * PREPLAY_REFINE_TRACES and PREPLAY_REFINE_SEED make a long campaign of it. */
#include "base/memory.h"
#include "csp_walk.h"
#include "engine/driver.h"
#include "model/checker.h"
#include "csp/must_clocks.h"
#include "csp/refine.h"
#include "tiddle/generator.h"
#include "trace/formats.h"
#include "twins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

#include "campaign.h"

extern const struct engine engine_csp;

__attribute__((noreturn)) static void disagree(const char *what, uint32_t window,
                                               const struct sample *sample)
{
    fprintf(stderr, "in windows of %u: %s\n%s", window, what, sample->text);
    fail();
    abort();
}

/* The window that an event lies in. */
static void window_of(const struct history *history, uint32_t size, uint32_t pos, uint32_t *from,
                      uint32_t *to)
{
    *from = 0;
    for (*to = walk_window_end(history, 0, size); *to <= pos;
         *to = walk_window_end(history, *from, size))
        *from = *to;
}

/* The steps of a race's witness within its window. */
static uint32_t steps_of(const struct history *history, const struct finding *finding,
                         uint32_t size)
{
    uint32_t from, to, steps = 0;
    window_of(history, size, finding->events[1].pos, &from, &to);
    for (uint32_t i = from; i + 2 < finding->witness_length; i++)
        steps += walk_is_step(history, finding->witness[i], from, to);
    return steps;
}

/* The least length of a counterexample on the variable in the window of `pos`. */
static uint32_t shortest_on(const struct history *history, const uint32_t *lengths, uint32_t size,
                            uint32_t variable, uint32_t pos)
{
    uint32_t from, to, least = NO_WAY;
    window_of(history, size, pos, &from, &to);
    for (uint32_t a = from; a < to; a++)
        for (uint32_t b = a + 1; b < to && history->events[a].object == variable; b++)
            if (lengths[a * history->count + b] < least)
                least = lengths[a * history->count + b];
    return least;
}

/* Every pair, each with a shortest counterexample. */
static void compare_pairs(const struct findings *found, const struct sample *sample,
                          const uint32_t *lengths, uint32_t size)
{
    const struct history *history = sample->history;
    size_t races = 0, truth = 0;
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *finding = &found->items[i];
        if (finding->kind != FINDING_RACE)
            continue;
        uint32_t length = lengths[finding->events[0].pos * history->count + finding->events[1].pos];
        races++;
        if (length == NO_WAY)
            disagree("a race that is none in any window", size, sample);
        if (steps_of(history, finding, size) != length)
            disagree("a counterexample is not as short as possible", size, sample);
    }
    for (size_t i = 0; i < (size_t)history->count * history->count; i++)
        truth += lengths[i] != NO_WAY;
    if (races != truth)
        disagree("a race is missed", size, sample);
}

/* One a variable, the shortest of its window. */
static void compare_objects(const struct findings *found, const struct sample *sample,
                            const uint32_t *lengths, uint32_t size)
{
    const struct history *history = sample->history;
    bool *reported = NEW_ARRAY(bool, trace_count(sample->trace, CLASS_VARIABLE));
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *finding = &found->items[i];
        if (finding->kind != FINDING_RACE)
            continue;
        if (reported[finding->object])
            disagree("two races on one variable", size, sample);
        reported[finding->object] = true;
        if (steps_of(history, finding, size) !=
            shortest_on(history, lengths, size, finding->object, finding->events[1].pos))
            disagree("another race on the variable has a shorter one", size, sample);
    }
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a; b < history->count; b++)
            if (lengths[a * history->count + b] != NO_WAY && !reported[history->events[a].object])
                disagree("no race on a variable that has one", size, sample);
    free(reported);
}

/* Runs csp; every witness passes the checker in the driver. */
static void compare(const struct sample *sample, uint32_t size)
{
    static const struct engine *const engine = &engine_csp;
    uint32_t *lengths = walk_races(sample->history, size);
    /* Where one an object is asked for, accesses that only repeat others do not count. */
    for (int every_pair = size != UINT32_MAX; every_pair < 2; every_pair++) {
        struct engine_options options = {.jobs = 1, .window = size, .every_pair = every_pair};
        struct error error = {0};
        struct driver driver;
        struct trace *trace = std_open_memory("random.std", sample->text, strlen(sample->text));
        if (driver_run(&driver, trace, &engine, 1, &options, &error))
            disagree(error.text, size, sample);
        if (driver.runs[0].exhausted)
            disagree("left undecided", size, sample);
        (every_pair ? compare_pairs : compare_objects)(driver.runs[0].findings, sample, lengths,
                                                       size);
        driver_free(&driver);
        trace_close(trace);
    }
    free(lengths);
}

static void compare_text(char *text)
{
    struct error error = {0};
    struct sample sample;
    if (sample_read(&sample, text, strlen(text), &error))
        fail_msg("%s", error.text);
    compare(&sample, UINT32_MAX);
    sample_free(&sample);
}

/* Threads that look alike and are not: what tells them apart must not be sorted away. */
static const char *const unlike[] = {
    /* Each joins a thread of its own; only one of these can end before the race. */
    "C1|post(z)|1\nP|join(C1)|2\nP|post(s)|3\nU|w(x)|4\nU|fork(R)|5\nR|post(s)|6\n"
    "T|semwait(s)|7\nT|semwait(s)|8\nT|w(x)|9\nT|post(t)|10\nC2|semwait(t)|11\n"
    "Q|join(C2)|12\nQ|post(s)|13\n",
    /* One thread joins both, one after the other, and helps in between. */
    "Z|post(s)|1\nP|semwait(s)|2\nM|join(P)|3\nM|post(s)|4\nQ|semwait(s)|5\nM|join(Q)|6\n"
    "M|w(x)|7\nN|w(x)|8\n",
    /* The same, and both are joined once more by a thread that does not matter. */
    "Z|post(s)|1\nP|semwait(s)|2\nM|join(P)|3\nM|post(s)|4\nQ|semwait(s)|5\nM|join(Q)|6\n"
    "M|w(x)|7\nN|w(x)|8\nB|join(P)|9\nB|join(Q)|10\n",
    /* What one wrote is read, then what the other wrote. */
    "P|atomicw(y)|1\nL|atomicr(y)|2\nQ|atomicw(y)|3\nL|atomicr(y)|4\nL|w(x)|5\nN|w(x)|6\n",
    /* A target must have posted, another one need not. */
    "P|post(s)|1\nP|w(x)|2\nQ|post(s)|3\nQ|w(x)|4\nT|semwait(s)|5\nT|w(x)|6\n",
    /* A reader makes a try of a writer fail. */
    "P|rdacq(r)|1\nF|trywracq!(r)|2\nP|rdrel(r)|3\nF|w(x)|4\nN|w(x)|5\n",
    /* One is forked before the race, the other after it. */
    "M|fork(P)|1\nP|post(s)|2\nM|w(x)|3\nM|fork(Q)|4\nQ|post(s)|5\nT|semwait(s)|6\n"
    "T|semwait(s)|7\nT|w(x)|8\n",
    /* One takes what the other then fails to take. */
    "Q|trysemwait(s)|2\nQ|post(u)|3\nP|trysemwait!(s)|4\nP|post(u)|5\n"
    "T|semwait(u)|6\nT|semwait(u)|7\nT|w(x)|8\nN|w(x)|9\n",
};

static void test_unlike(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++)
        compare_text(strdup(unlike[i]));
}

/* Both readers must leave, in the second window, before the writer comes; one of them stands
 * there, and only the other posts. */
static void test_unlike_in_a_window(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < 8; i++)
        fprintf(file, "Z|w(z)|%d\n", i);
    fputs("Q|rdacq(r)|10\nP|rdacq(r)|11\n"
          "Q|rdrel(r)|12\nP|rdrel(r)|13\nW|wracq(r)|14\nW|wrrel(r)|15\nP|w(x)|16\nP|post(s)|17\n"
          "Q|post(s)|18\nW|semwait(s)|19\nW|semwait(s)|20\nW|w(x)|21\n",
          file);
    fclose(file);
    struct error error = {0};
    struct sample sample;
    if (sample_read(&sample, text, size, &error))
        fail_msg("%s", error.text);
    compare(&sample, 10);
    sample_free(&sample);
}

/* What waits began and ended before the window leave behind. */
static const char *const waits_before[] = {
    /* Who has returned does not wait any more: a signal that comes too early is lost, and does
     * not stand in the way of a later one. */
    "Z|w(z)|1\nZ|w(z)|2\nZ|w(z)|3\nZ|w(z)|4\nZ|w(z)|5\n"
    "P|acq(m)|6\nP|wait(c,m)|7\nS|notify(c)|8\nP|woken(c,m)|9\nP|rel(m)|10\n"
    "S|notify(c)|11\nS|post(v)|12\nP|semwait(v)|13\nP|acq(m)|14\nP|wait(c,m)|15\n"
    "S|notify(c)|16\nP|woken(c,m)|17\nP|rel(m)|18\nP|w(x)|19\nN|w(x)|20\n",
    /* A signal from before the wait is not for it. */
    "Z|w(z)|1\nZ|w(z)|2\nZ|w(z)|3\nZ|w(z)|4\nZ|w(z)|5\n"
    "O|acq(m)|6\nO|wait(c,m)|7\nS|notify(c)|8\nP|acq(m)|9\nP|wait(c,m)|10\n"
    "S|w(x)|11\nS|notify(c)|12\nO|woken(c,m)|13\nO|rel(m)|14\nP|woken(c,m)|15\nP|rel(m)|16\n"
    "P|w(x)|17\n",
    /* Who gives up takes a signal along that the other needs, who must return first; both have
     * mutexes of their own. */
    "Z|w(z)|1\nZ|w(z)|2\nZ|w(z)|3\nZ|w(z)|4\n"
    "P|acq(m1)|5\nP|wait(c,m1)|6\nS|notify(c)|7\nQ|acq(m2)|8\nQ|wait(c,m2)|9\nR|notify(c)|10\n"
    "Q|woken(c,m2)|11\nQ|rel(m2)|12\nK|acq(m2)|13\nK|post(s)|14\nK|rel(m2)|15\n"
    "P|woken!(c,m1)|16\nP|rel(m1)|17\nP|semwait(s)|18\nP|w(x)|19\nQ|w(x)|20\n",
};

static void test_waits_before_the_window(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof waits_before / sizeof *waits_before; i++) {
        struct error error = {0};
        struct sample sample;
        if (sample_read(&sample, strdup(waits_before[i]), strlen(waits_before[i]), &error))
            fail_msg("%s", error.text);
        compare(&sample, 10);
        sample_free(&sample);
    }
}

/* The place of a thread at a condition goes with it. */
static void test_waiters_change_places(void **state)
{
    (void)state;
    static const char text[] = "P|acq(m)|1\nP|wait(c,m)|2\nS|notify(c)|3\nP|woken(c,m)|4\n"
                               "P|rel(m)|5\nP|post(s)|6\nQ|acq(m)|7\nQ|wait(c,m)|8\n"
                               "S|notify(c)|9\nQ|woken(c,m)|10\nQ|rel(m)|11\nQ|post(s)|12\n"
                               "T|semwait(s)|13\nT|w(x)|14\nN|w(x)|15\n";
    struct error error = {0};
    struct sample sample;
    assert_int_equal(sample_read(&sample, strdup(text), strlen(text), &error), 0);
    const uint32_t targets[2] = {13, 14};
    const struct slice_goal goal = {.targets = targets, .count = 2};
    struct rules *rules = rules_create(sample.history, MODEL_SYNC);
    struct window_start *start = window_start_create(rules);
    struct processes *processes = processes_create(start, sample.history->count);
    struct slice *slice = slice_create(processes);
    struct product *product = product_create(processes);
    struct symmetry *symmetry = symmetry_create(processes);
    assert_true(slice_compute(slice, &goal));
    product_begin(product, slice);
    symmetry_begin(symmetry, product);
    uint32_t first = processes_of_thread(processes, sample.history->events[0].thread);
    uint32_t second = processes_of_thread(processes, sample.history->events[6].thread);
    uint32_t *before = NEW_ARRAY(uint32_t, product->words), waiting = 0, changed = 0;
    uint32_t *sorted = NEW_ARRAY(uint32_t, product->words);
    memcpy(before, product->state, product->words * sizeof *before);
    product_step(product, first);
    product_step(product, first);
    symmetry_sort(symmetry, sorted, NULL);
    assert_int_equal(sorted[product->slot_of[first]], 0);
    assert_int_equal(sorted[product->slot_of[second]], 2);
    for (uint32_t i = product->slot_count; i < product->words; i++) {
        waiting += product->state[i] != before[i];
        changed += product->state[i] != sorted[i];
    }
    assert_int_equal(waiting, 1); /* the one that waits */
    assert_int_equal(changed, 2); /* it does so at the other's place now */
    free(before);
    free(sorted);
    symmetry_destroy(symmetry);
    product_destroy(product);
    slice_destroy(slice);
    processes_destroy(processes);
    window_start_destroy(start);
    rules_destroy(rules);
    sample_free(&sample);
}

/* Checks pairs of a history under limits of their own. */
struct bench {
    struct sample sample;
    struct rules *rules;
    struct window_start *start;
    struct processes *processes;
    struct refiner *refiner;
};

static void bench_begin(struct bench *bench, char *text, struct refine_limits limits)
{
    struct error error = {0};
    if (sample_read(&bench->sample, text, strlen(text), &error))
        fail_msg("%s", error.text);
    bench->rules = rules_create(bench->sample.history, MODEL_SYNC);
    bench->start = window_start_create(bench->rules);
    bench->processes = processes_create(bench->start, bench->sample.history->count);
    bench->refiner = refiner_create(bench->processes, limits);
}

static void bench_end(struct bench *bench)
{
    refiner_destroy(bench->refiner);
    processes_destroy(bench->processes);
    window_start_destroy(bench->start);
    rules_destroy(bench->rules);
    sample_free(&bench->sample);
}

/* Eight threads post under locks of their own and of all, then one of two can take: many
 * states for the first pair, few for the second. */
static char *many_states(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs("A|w(x)|0\nA|w(y)|1\nB|acq(q)|2\nB|rel(q)|2\nB|w(y)|2\n", file);
    for (int w = 0; w < 8; w++)
        fprintf(file, "W%d|acq(l%d)|3\nW%d|acq(m)|4\nW%d|post(s)|5\nW%d|rel(m)|6\nW%d|rel(l%d)|7\n",
                w, w, w, w, w, w, w);
    for (int w = 0; w < 6; w++)
        fputs("B|acq(m)|8\nB|semwait(s)|9\nB|rel(m)|10\n", file);
    fputs("B|w(x)|11\n", file);
    fclose(file);
    return text;
}

/* Each bound alone makes the large check incomplete, and leaves the small one alone, which
 * comes before and after it. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct refine_limits limits[] = {
        {.states = 100, .bytes = UINT64_C(1) << 30, .no_symmetry = true},
        {.states = 1 << 20, .bytes = 1 << 16, .no_symmetry = true},
        {.states = 1 << 20, .bytes = UINT64_C(1) << 30, .work = 5000, .no_symmetry = true},
        {.states = 1 << 20, .bytes = UINT64_C(1) << 30, .no_symmetry = true},
    };
    for (size_t i = 0; i < 4; i++) {
        struct bench bench;
        bench_begin(&bench, many_states(), limits[i]);
        const uint32_t large[2] = {0, bench.sample.history->count - 1}, small[2] = {1, 4};
        assert_int_equal(refiner_check(bench.refiner, small, 2), REFINE_FOUND);
        assert_int_equal(refiner_check(bench.refiner, large, 2),
                         i < 3 ? REFINE_INCOMPLETE : REFINE_FOUND);
        assert_int_equal(refiner_check(bench.refiner, small, 2), REFINE_FOUND);
        bench_end(&bench);
    }
}

/* Clocks say what slices do, of all pairs of places. */
static void compare_clocks(const struct sample *sample, uint32_t size)
{
    const struct history *history = sample->history;
    struct rules *rules = rules_create(history, MODEL_SYNC);
    struct window_start *start = window_start_create(rules);
    for (uint32_t to; start->at < history->count; window_start_advance(start, to)) {
        to = walk_window_end(history, start->at, size);
        struct processes *processes = processes_create(start, to);
        struct must_clocks *clocks = must_clocks_create(processes);
        struct slice *slice = slice_create(processes);
        for (uint32_t a = start->at; a < to; a++)
            for (uint32_t b = start->at; b < a; b++) {
                const uint32_t targets[2] = {a, b};
                const struct slice_goal goal = {.targets = targets, .count = 2};
                struct step_place places[2];
                if (history->events[a].thread == history->events[b].thread ||
                    !op_in(history->events[a].op, OPS_ACCESS) ||
                    !op_in(history->events[b].op, OPS_ACCESS))
                    continue;
                for (int i = 0; i < 2; i++) {
                    places[i].process =
                        processes_of_thread(processes, history->events[targets[i]].thread);
                    places[i].at = processes_step_of(processes, targets[i]);
                }
                bool possible =
                    must_clocks_of(clocks, places[0], places[1].process) <= places[1].at &&
                    must_clocks_of(clocks, places[1], places[0].process) <= places[0].at;
                if (slice_compute(slice, &goal) != possible)
                    disagree("clocks and slices differ in what is possible", size, sample);
                if (possible &&
                    slice_must_total(slice) != must_clocks_total(clocks, places[0], places[1]))
                    disagree("clocks and slices differ in what must be", size, sample);
            }
        slice_destroy(slice);
        must_clocks_destroy(clocks);
        processes_destroy(processes);
    }
    window_start_destroy(start);
    rules_destroy(rules);
}

static void test_shape(void **state)
{
    struct shape shape;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, *state, &error), 0);
    uint64_t count = number_from("PREPLAY_REFINE_TRACES", 800);
    uint64_t first = number_from("PREPLAY_REFINE_SEED", 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        compare(&sample, 3 + (uint32_t)(seed % 7));
        compare(&sample, UINT32_MAX);
        compare_clocks(&sample, 3 + (uint32_t)(seed % 7));
        compare_clocks(&sample, UINT32_MAX);
        sample_free(&sample);
    }
}

static void test_twins(void **state)
{
    (void)state;
    uint64_t count = number_from("PREPLAY_REFINE_TRACES", 200);
    uint64_t first = number_from("PREPLAY_REFINE_SEED", 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct error error = {0};
        struct sample sample;
        char *text = twins_generate(seed);
        if (sample_read(&sample, text, strlen(text), &error))
            fail_msg("seed %lu: %s\n%s", (unsigned long)seed, error.text, text);
        compare(&sample, UINT32_MAX);
        if (seed % 2)
            compare(&sample, 5 + (uint32_t)(seed % 9));
        sample_free(&sample);
    }
}

/* Several threads that do the same, one after the other: `script` says what, a letter an
 * operation. With `forked`, by a main thread that may join them. */
static char *alike(const char *script, uint32_t workers, bool forked, bool joined)
{
    static const struct {
        char letter;
        const char *operation;
    } words[] = {{'A', "acq(a)"},    {'a', "rel(a)"},     {'B', "acq(b)"},    {'b', "rel(b)"},
                 {'p', "post(s)"},   {'t', "semwait(s)"}, {'w', "w(x)"},      {'r', "r(x)"},
                 {'n', "notify(c)"}, {'S', "atomicw(y)"}, {'L', "atomicr(y)"}};
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    uint32_t line = 0;
    for (uint32_t w = 0; forked && w < workers; w++)
        fprintf(file, "M|fork(W%u)|%u\n", w, line++);
    for (uint32_t w = 0; w < workers; w++)
        for (const char *at = script; *at; at++)
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (words[i].letter == *at)
                    fprintf(file, "W%u|%s|%u\n", w, words[i].operation, line++);
    for (uint32_t w = 0; joined && w < workers; w++)
        fprintf(file, "M|join(W%u)|%u\n", w, line++);
    fprintf(file, "M|w(x)|%u\n", line++);
    fclose(file);
    return out;
}

/* Threads that are alike may change places: nothing is lost, and nothing made up. */
static void test_symmetry(void **state)
{
    (void)state;
    static const char *const scripts[] = {"AwaBb",   "ABwba", "ApaAta", "AnaBrb",
                                          "wABbaBb", "pAta",  "SwAaL"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (unsigned how = 0; how < 6; how++)
            compare_text(alike(scripts[i], how < 3 ? 3 : 2, how % 3 > 0, how % 3 > 1));
}

static uint64_t states_needed(const struct history *history, const uint32_t targets[2],
                              bool no_symmetry)
{
    struct rules *rules = rules_create(history, MODEL_SYNC);
    struct window_start *start = window_start_create(rules);
    struct processes *processes = processes_create(start, history->count);
    struct refine_limits limits = {
        .states = 1u << 20, .bytes = UINT64_C(1) << 30, .no_symmetry = no_symmetry};
    struct refiner *refiner = refiner_create(processes, limits);
    assert_int_equal(refiner_check(refiner, targets, 2), REFINE_FOUND);
    uint32_t length;
    uint32_t *witness = refiner_witness(refiner, targets, 2, &length);
    struct claim claim = {FINDING_RACE, targets, 2, witness, length, false};
    struct complaint complaint;
    assert_true(witness_check(rules, &claim, &complaint));
    uint64_t states = refiner->states;
    free(witness);
    refiner_destroy(refiner);
    processes_destroy(processes);
    window_start_destroy(start);
    rules_destroy(rules);
    return states;
}

/* Half of twelve workers must post, under a mutex, before the two can race: which of
 * them does not matter. */
static void test_symmetry_saves(void **state)
{
    (void)state;
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    enum { WORKERS = 12 };
    fputs("A|w(x)|0\n", file);
    for (int w = 0; w < WORKERS; w++)
        fprintf(file, "W%d|acq(m)|1\nW%d|post(s)|2\nW%d|rel(m)|3\n", w, w, w);
    for (int w = 0; w < WORKERS / 2; w++)
        fputs("B|acq(m)|4\nB|semwait(s)|5\nB|rel(m)|6\n", file);
    fputs("B|w(x)|7\n", file);
    fclose(file);
    struct error error = {0};
    struct sample sample;
    assert_int_equal(sample_read(&sample, out, size, &error), 0);
    const uint32_t targets[2] = {0, sample.history->count - 1};
    uint64_t with = states_needed(sample.history, targets, false);
    uint64_t without = states_needed(sample.history, targets, true);
    if (with * 10 > without)
        fail_msg("%lu states with symmetry, %lu without", (unsigned long)with,
                 (unsigned long)without);
    sample_free(&sample);
}

int main(void)
{
    static const char *const shapes[] = {"basic",      "locks", "crossed",    "tries",
                                         "rwlocks",    "stuck", "conditions", "barriers",
                                         "semaphores", "once",  "atomics",    "all"};
    enum { FIXED = 8, SHAPES = sizeof shapes / sizeof *shapes };
    struct CMUnitTest tests[FIXED + SHAPES] = {
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_symmetry_saves),
        cmocka_unit_test(test_unlike),
        cmocka_unit_test(test_unlike_in_a_window),
        cmocka_unit_test(test_waits_before_the_window),
        cmocka_unit_test(test_waiters_change_places),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_twins),
    };
    for (size_t i = 0; i < SHAPES; i++)
        tests[FIXED + i] =
            (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
