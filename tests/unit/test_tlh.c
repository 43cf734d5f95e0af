/* The running example of Ganai (Figures 1, 2, 5, 6, Tables II and III), pair by
 * pair, with and without re-use; two-thread traces, where every finding of the engine
 * has a schedule; the search without most accesses against the search with all; and
 * candidates that come late in a long trace. */
#include "engine/driver.h"
#include "relations/sync_log.h"
#include "model/checker.h"
#include "oracle/generator.h"
#include "search/clocks.h"
#include "tlh/lattice.h"
#include "tlh/rendezvous.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

struct example {
    struct trace *trace;
    struct history *history;
    struct search_index *index;
    struct lock_histories *histories;
    uint32_t threads[2], start[2];
};

static uint32_t event_named(const struct example *example, const char *location)
{
    for (uint32_t pos = 0; pos < example->history->count; pos++)
        if (strcmp(trace_location(example->trace, example->history->events[pos].location),
                   location) == 0)
            return pos;
    fail_msg("no event at %s", location);
    return 0;
}

static void open_example(struct example *example)
{
    struct error error = {0};
    example->trace = trace_open(TRACES "/004-fig1-running-example.std", &error);
    assert_non_null(example->trace);
    example->history = history_read(example->trace, &error);
    assert_non_null(example->history);
    example->index = search_index_create(example->history, MODEL_SYNC);
    example->histories = lock_histories_create(example->index);
    struct rendezvous *rendezvous = rendezvous_create(example->index);
    uint32_t targets[2] = {event_named(example, "a10.write"), event_named(example, "b10.read")};
    uint32_t done[2];
    assert_true(rendezvous_last(rendezvous, targets, done) > 0);
    for (int i = 0; i < 2; i++) {
        example->threads[i] = example->history->events[targets[i]].thread;
        uint32_t next = history_pos(example->history, example->threads[i], done[i]);
        example->start[i] = lock_histories_before(example->histories, example->threads[i], next);
    }
    rendezvous_destroy(rendezvous);
}

static void close_example(struct example *example)
{
    lock_histories_destroy(example->histories);
    search_index_destroy(example->index);
    history_destroy(example->history);
    trace_close(example->trace);
}

static const struct {
    const char *a, *b;
    bool reachable;
} pairs[] = {
    {"a10.write", "b10.read", false},
    {"a10.write", "b11.write", true},
    {"a11.write", "b10.read", false},
    {"a11.write", "b11.write", true},
};

static bool ask(const struct example *example, struct lattice *lattice, size_t pair)
{
    uint32_t targets[2] = {event_named(example, pairs[pair].a),
                           event_named(example, pairs[pair].b)};
    return lattice_reach(lattice, targets, 0) == SEARCH_WITNESS;
}

/* The search starts where the only signal found its waiter: at a3 and b4. */
static void test_start_pair(void **state)
{
    (void)state;
    struct example example;
    open_example(&example);
    for (int i = 0; i < 2; i++) {
        uint32_t first = example.histories->start[example.threads[i]] + example.start[i];
        assert_string_equal(
            trace_location(example.trace,
                           example.history->events[example.histories->events[first]].location),
            i == 0 ? "a3" : "b4");
    }
    close_example(&example);
}

/* The paper counts 8 calls for the first pair and 21 for all four; its own Table II
 * lists nine steps. Check 13 (RC4) stands before check 14 in Table III but not in
 * Table II, so the way differs there; the numbers must be of the same size. */
static void test_incremental(void **state)
{
    (void)state;
    struct example example;
    open_example(&example);
    struct lattice *lattice =
        lattice_create(example.histories, example.threads, example.start, POS_NONE);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ask(&example, lattice, i), pairs[i].reachable);
        if (i == 0) {
            print_message("calls for the first pair: %llu (paper: 8)\n",
                          (unsigned long long)lattice_calls(lattice));
            assert_in_range(lattice_calls(lattice), 8, 9);
        }
    }
    print_message("calls for all four: %llu (paper: 21)\n",
                  (unsigned long long)lattice_calls(lattice));
    assert_in_range(lattice_calls(lattice), 12, 21);
    lattice_destroy(lattice);
    close_example(&example);
}

static void test_without_reuse(void **state)
{
    (void)state;
    struct example example;
    open_example(&example);
    uint64_t calls = 0;
    for (size_t i = 0; i < 4; i++) {
        struct lattice *lattice =
            lattice_create(example.histories, example.threads, example.start, POS_NONE);
        assert_int_equal(ask(&example, lattice, i), pairs[i].reachable);
        calls += lattice_calls(lattice);
        lattice_destroy(lattice);
    }
    print_message("calls without re-use: %llu (paper: 71)\n", (unsigned long long)calls);
    assert_in_range(calls, 22, 71);
    close_example(&example);
}

/* The order of the questions does not change the answers. */
static void test_any_order(void **state)
{
    (void)state;
    static const size_t orders[][4] = {{3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}, {3, 0, 1, 2}};
    struct example example;
    open_example(&example);
    for (size_t i = 0; i < 4; i++) {
        struct lattice *lattice =
            lattice_create(example.histories, example.threads, example.start, POS_NONE);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(ask(&example, lattice, orders[i][k]), pairs[orders[i][k]].reachable);
        lattice_destroy(lattice);
    }
    close_example(&example);
}

static void test_two_threads(void **state)
{
    (void)state;
    const struct engine *engine = engine_find("tlh", 3);
    struct engine_options options = {.jobs = 1, .every_pair = true};
    struct shape shape;
    struct error error = {0};
    size_t findings = 0;
    assert_int_equal(shape_parse(&shape, "crossed:threads=2,events=16..30", &error), 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        size_t length;
        char *text = generate_text(&shape, seed, &length);
        struct trace *trace = std_open_memory("random", text, length);
        struct driver driver;
        assert_int_equal(driver_run(&driver, trace, &engine, 1, &options, &error), 0);
        for (size_t i = 0; i < driver.runs[0].findings->count; i++, findings++)
            assert_non_null(driver.runs[0].findings->items[i].witness);
        driver_free(&driver);
        trace_close(trace);
        free(text);
    }
    assert_true(findings > 100);
}

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The pairs of locations that a run over `text` finds, without doubles, sorted. */
static size_t places_found(const char *text, size_t length, bool every_pair, uint64_t *places,
                           size_t room, size_t *without)
{
    const struct engine *engine = engine_find("tlh", 3);
    struct engine_options options = {.jobs = 1, .every_pair = every_pair};
    struct error error = {0};
    struct trace *trace = std_open_memory("random", text, length);
    struct driver driver;
    struct map known = {0};
    size_t count = 0;
    assert_int_equal(driver_run(&driver, trace, &engine, 1, &options, &error), 0);
    for (size_t i = 0; i < driver.runs[0].findings->count; i++) {
        const struct finding *finding = &driver.runs[0].findings->items[i];
        uint32_t a = finding->events[0].location, b = finding->events[1].location;
        uint64_t pair = a < b ? map_pair(a, b) : map_pair(b, a);
        bool added;
        map_at(&known, pair, &added);
        *without += !finding->witness;
        if (added && count < room)
            places[count++] = pair;
    }
    qsort(places, count, sizeof *places, compare_places);
    map_free(&known);
    driver_free(&driver);
    trace_close(trace);
    return count;
}

/* The search among synchronisation and candidates finds what the search in the whole
 * trace for every single pair finds; with two threads it has a schedule where that one
 * has schedules for all. */
static void test_projection(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "all:events=40..80,threads=4,locations=4",
        "crossed:threads=2,events=30,locations=2",
        "crossed:threads=2,events=60..100,locations=1,locks=4",
        "atomics:events=30..60,locations=2,variables=2",
        "conditions:events=30..60",
        "barriers:events=30..60,locations=3",
        "once:events=30..60",
        "semaphores:events=30..60,locations=3",
        "all:threads=2",
    };
    enum { ROOM = 4096 };
    static uint64_t few[ROOM], all[ROOM];
    struct error error = {0};
    size_t found = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shape shape;
        bool two = strstr(shapes[i], "threads=2");
        assert_int_equal(shape_parse(&shape, shapes[i], &error), 0);
        for (uint64_t seed = 7000; seed < 7300; seed++) {
            size_t length, without = 0, every_without = 0;
            char *text = generate_text(&shape, seed, &length);
            size_t count = places_found(text, length, false, few, ROOM, &without);
            if (count != places_found(text, length, true, all, ROOM, &every_without) ||
                memcmp(few, all, count * sizeof *few) != 0)
                fail_msg("shape %s seed %llu differs", shapes[i], (unsigned long long)seed);
            if (two && !every_without)
                assert_int_equal(without, 0);
            found += count;
            free(text);
        }
    }
    assert_true(found > 1000);
}

/* Both write x plainly, under a lock, before A updates it atomically: which of the two writes
 * that sees in another order is not in the log. */
static void test_plain_before_atomic(void **state)
{
    (void)state;
    static const char text[] = "A|r(y)|0\nA|acq(l)|1\nA|w(x)|2\nA|rel(l)|3\nB|acq(l)|4\nB|w(x)|5\n"
                               "A|atomicrmw.acqrel(x)|6\nB|atomicw.acquire(y)|7\nB|rel(l)|8\n"
                               "B|r(y)|9\nA|atomicw(y)|10\n";
    enum { ROOM = 16 };
    uint64_t few[ROOM], all[ROOM];
    size_t without = 0;
    size_t count = places_found(text, strlen(text), false, few, ROOM, &without);
    assert_true(count > 0);
    assert_int_equal(count, places_found(text, strlen(text), true, all, ROOM, &without));
    assert_memory_equal(few, all, count * sizeof *few);
}

/* B waits from the beginning on; A works alone for long, then writes x, wakes B up, and
 * writes y. B writes both then: only y is a race, as the one signal orders x. Lockset, which
 * knows nothing of signals, has both for candidates, and late. */
static char *write_late_candidates(unsigned rounds)
{
    char *path = memory_copy("/tmp/test_tlh.XXXXXX.std", sizeof "/tmp/test_tlh.XXXXXX.std");
    FILE *file = fdopen(mkstemps(path, 4), "w");
    assert_non_null(file);
    fputs("B|acq(m)|1\nB|wait(c,m)|2\n", file);
    for (unsigned i = 0; i < rounds; i++)
        fputs("A|acq(n)|3\nA|w(own)|4\nA|rel(n)|5\n", file);
    fputs("A|w(x)|6\nA|acq(m)|7\nA|notify(c)|8\nA|rel(m)|9\nA|w(y)|10\n"
          "B|woken(c,m)|11\nB|rel(m)|12\nB|w(x)|13\nB|w(y)|14\n",
          file);
    fclose(file);
    return path;
}

/* One finding, on y, whose schedule the checker accepts on the whole trace. */
static void assert_only_y(const char *path, const struct driver *driver)
{
    struct error error = {0};
    const struct engine_run *run = &driver->runs[0];
    assert_int_equal(run->candidates, 2);
    assert_int_equal(run->refuted, 1);
    assert_int_equal(run->findings->count, 1);
    const struct finding *finding = &run->findings->items[0];
    struct trace *trace = trace_open(path, &error);
    struct history *history = history_read(trace, &error);
    struct rules *rules = rules_create(history, MODEL_SYNC);
    const uint32_t events[2] = {finding->events[0].pos, finding->events[1].pos};
    struct claim claim = {FINDING_RACE,     events, 2, finding->witness, finding->witness_length,
                          finding->in_turns};
    struct complaint complaint;
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, finding->object), "y");
    assert_non_null(finding->witness);
    assert_true(witness_check(rules, &claim, &complaint));
    rules_destroy(rules);
    history_destroy(history);
    trace_close(trace);
}

static void find_late_candidates(unsigned rounds, uint64_t limit, bool again, bool in_turns)
{
    const struct engine *engine = engine_find("tlh", 3);
    struct engine_options options = {.jobs = 1, .log_limit = limit};
    struct error error = {0};
    char *path = write_late_candidates(rounds);
    struct trace *trace = trace_open(path, &error);
    struct driver driver;
    assert_int_equal(driver_run(&driver, trace, &engine, 1, &options, &error), 0);
    const struct sync_log *log = driver.runs[0].state;
    assert_int_equal(log->whole, again);
    assert_only_y(path, &driver);
    assert_int_equal(driver.runs[0].findings->items[0].in_turns, in_turns);
    assert_true((driver.history == NULL) == in_turns); /* it was not read for the schedule */
    driver_free(&driver);
    trace_close(trace);
    remove(path);
    free(path);
}

/* Nobody expects a candidate any more when the first one comes: the log is read again. */
static void test_log_again(void **state)
{
    (void)state;
    find_late_candidates(3000, 0, false, false);
    find_late_candidates(3000, 100, true, false);
    find_late_candidates(30000, 100, true, true);
}

/* A long trace is not read again for its schedules: they are turns. */
static void test_turns(void **state)
{
    (void)state;
    find_late_candidates(30000, 0, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_pair),          cmocka_unit_test(test_incremental),
        cmocka_unit_test(test_without_reuse),       cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_two_threads),         cmocka_unit_test(test_projection),
        cmocka_unit_test(test_log_again),           cmocka_unit_test(test_turns),
        cmocka_unit_test(test_plain_before_atomic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
