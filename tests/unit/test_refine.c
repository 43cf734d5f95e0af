/* The refinement checker of csp against a walk through every state: what it finds, what it
 * does not, and that its counterexamples are shortest, in windows of all sizes; on random
 * traces, and on random programs whose threads are alike, which its symmetry reduction is for.
 * PREPLAY_REFINE_TRACES and PREPLAY_REFINE_SEED make a long campaign of it. */
#include "base/memory.h"
#include "csp_walk.h"
#include "engine/driver.h"
#include "model/checker.h"
#include "search/refine.h"
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

static void test_shape(void **state)
{
    struct shape shape;
    struct error error = {0};
    assert_int_equal(shape_parse(&shape, *state, &error), 0);
    uint64_t count = number_from("PREPLAY_REFINE_TRACES", 150);
    uint64_t first = number_from("PREPLAY_REFINE_SEED", 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        compare(&sample, 3 + (uint32_t)(seed % 7));
        compare(&sample, UINT32_MAX);
        sample_free(&sample);
    }
}

static void test_twins(void **state)
{
    (void)state;
    uint64_t count = number_from("PREPLAY_REFINE_TRACES", 1000);
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
    struct claim claim = {FINDING_RACE, targets, 2, witness, length};
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
    enum { FIXED = 3, SHAPES = sizeof shapes / sizeof *shapes };
    struct CMUnitTest tests[FIXED + SHAPES] = {
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_symmetry_saves),
        cmocka_unit_test(test_twins),
    };
    for (size_t i = 0; i < SHAPES; i++)
        tests[FIXED + i] =
            (struct CMUnitTest){shapes[i], test_shape, NULL, NULL, (void *)shapes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
