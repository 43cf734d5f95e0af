/* Equivalent traces: all of them, no others, and fair draws. */
#include "base/map.h"
#include "tiddle/bignum.h"
#include "tiddle/dependence.h"
#include "tiddle/equivalent.h"
#include "tiddle/generator.h"
#include "tiddle/reader.h"
#include "tiddle/sample.h"
#include "trace/std_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiddle_text.h"

/* Counts by trying every event next whose predecessors are all done. */
static uint64_t count_by_trying(const struct history *history, uint64_t done)
{
    uint64_t count = 0;
    if (done == (UINT64_C(1) << history->count) - 1)
        return 1;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        bool ready = !(done >> pos & 1);
        for (uint32_t before = 0; ready && before < pos; before++)
            ready = done >> before & 1 ||
                    !events_depend(&history->events[before], &history->events[pos]);
        if (ready)
            count += count_by_trying(history, done | UINT64_C(1) << pos);
    }
    return count;
}

static uint64_t hash_order(const uint32_t *order, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; i++)
        hash = map_mix(hash + order[i] + 1);
    return hash & INT64_MAX;
}

/* The order as a trace of its own is well-formed, and its reads see the same. */
static void check_behaviour(const struct history *history, const uint32_t *order,
                            const uint32_t *reads_from)
{
    struct error error = {0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (uint32_t i = 0; i < history->count; i++)
        std_write_event(out, history->trace, &history->events[order[i]]);
    fclose(out);
    struct trace *trace = std_open_memory("equivalent", text, length);
    struct history *other = history_read(trace, &error);
    if (!other)
        fail_msg("%s\n%s", error.text, text);
    assert_int_equal(other->count, history->count);
    const uint32_t *seen = other->reads_from;
    for (uint32_t i = 0; i < history->count; i++) {
        uint32_t mapped = seen[i] == POS_NONE ? POS_NONE : order[seen[i]];
        assert_int_equal(mapped, reads_from[order[i]]);
        assert_int_equal(other->events[i].flags, history->events[order[i]].flags);
        if (event_object_class(other->events[i].op) == CLASS_BARRIER)
            assert_int_equal(
                trace_barrier_parties(trace, other->events[i].other),
                trace_barrier_parties(history->trace, history->events[order[i]].other));
        if (event_object_class(other->events[i].op) == CLASS_SEMAPHORE)
            assert_int_equal(
                trace_semaphore_initial(trace, other->events[i].object),
                trace_semaphore_initial(history->trace, history->events[order[i]].object));
    }
    history_destroy(other);
    trace_close(trace);
    free(text);
}

static void check_all(const struct history *history)
{
    struct equivalents *equivalents = equivalents_create(history);
    struct map seen = {0};
    uint64_t count = 0;
    for (const uint32_t *order; (order = equivalents_next(equivalents)); count++) {
        bool added;
        map_at(&seen, hash_order(order, history->count), &added);
        assert_true(added);
        if (count < 50)
            check_behaviour(history, order, history->reads_from);
    }
    assert_null(equivalents_next(equivalents));
    assert_int_equal(count, count_by_trying(history, 0));
    struct sampler *sampler = sampler_create(history, 7);
    char *text = sampler_count(sampler);
    assert_int_equal(strtoull(text, NULL, 10), count);
    for (int i = 0; i < 5; i++)
        assert_non_null(map_find(&seen, hash_order(sampler_next(sampler), history->count)));
    free(text);
    sampler_destroy(sampler);
    map_free(&seen);
    equivalents_destroy(equivalents);
}

/* Longer traces, with more to go wrong: a few of their many equivalents. */
static void longer_ones_behave_alike(void **state)
{
    (void)state;
    static const char *const shapes[] = {"conditions:events=30", "barriers:events=30",
                                         "semaphores:events=30", "once:events=30", "all:events=30"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct error error = {0};
        struct shape shape;
        assert_int_equal(shape_parse(&shape, shapes[i], &error), 0);
        for (uint64_t seed = 1; seed <= 60; seed++) {
            struct sample sample;
            assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
            struct sampler *sampler = sampler_create(sample.history, seed);
            for (int draw = 0; draw < 5; draw++)
                check_behaviour(sample.history, sampler_next(sampler), sample.history->reads_from);
            sampler_destroy(sampler);
            sample_free(&sample);
        }
    }
}

static void finds_all_of_random_traces(void **state)
{
    (void)state;
    static const char *const shapes[] = {"all:events=6..9",        "conditions:events=6..9",
                                         "barriers:events=6..9",   "rwlocks:events=6..9",
                                         "tries:events=6..9",      "once:events=6..9",
                                         "semaphores:events=6..9", "basic:events=6..9"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct error error = {0};
        struct shape shape;
        assert_int_equal(shape_parse(&shape, shapes[i], &error), 0);
        for (uint64_t seed = 1; seed <= 60; seed++) {
            struct sample sample;
            assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
            check_all(sample.history);
            sample_free(&sample);
        }
    }
}

/* Draws and compares with what is expected of uniform draws: Pearson's chi-square must stay
 * below `critical`, which uniform draws exceed once in a thousand times. */
static void draws_fairly(const char *text, unsigned kinds, double critical)
{
    enum { EACH = 1000 };
    struct trace *trace;
    struct history *history = read_text(text, &trace);
    struct sampler *sampler = sampler_create(history, 1);
    struct map drawn = {0};
    for (unsigned i = 0; i < kinds * EACH; i++)
        ++*map_at(&drawn, hash_order(sampler_next(sampler), history->count), NULL);
    assert_int_equal(drawn.count, kinds);
    double chi_square = 0;
    for (size_t i = map_first(&drawn); i < drawn.capacity; i = map_following(&drawn, i)) {
        double off = (double)drawn.entries[i].value - EACH;
        chi_square += off * off / EACH;
    }
    if (chi_square >= critical)
        fail_msg("chi-square is %g, not below %g\n%s", chi_square, critical, text);
    map_free(&drawn);
    sampler_destroy(sampler);
    history_destroy(history);
    trace_close(trace);
}

static void draws_uniformly(void **state)
{
    (void)state;
    draws_fairly("wr 1 a\nwr 2 b\nwr 3 c\nwr 1 d\n", 12, 31.26);
    /* Choosing the next thread at random would draw one of these half the time. */
    draws_fairly("wr 1 a\nwr 2 b\nwr 2 c\nwr 2 d\nwr 2 e\n", 5, 18.47);
    /* Locks, a fork, and a read between two writes. */
    draws_fairly("fork 0 1\nacq 1 m\nrel 1 m\nwr 0 x\nacq 2 m\nwr 2 y\nrel 2 m\nrd 1 x\nwr 0 x\n"
                 "wr 0 z\n",
                 75, 117.4);
}

static void the_seed_decides(void **state)
{
    (void)state;
    struct trace *trace;
    struct history *history = read_text("wr 1 a\nwr 2 b\nwr 3 c\nwr 1 d\nwr 2 e\n", &trace);
    uint64_t hashes[3] = {0};
    uint64_t seeds[3] = {5, 5, 6};
    for (int i = 0; i < 3; i++) {
        struct sampler *sampler = sampler_create(history, seeds[i]);
        for (int draw = 0; draw < 10; draw++)
            hashes[i] = map_mix(hashes[i] + hash_order(sampler_next(sampler), history->count));
        sampler_destroy(sampler);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_true(hashes[0] != hashes[2]);
    history_destroy(history);
    trace_close(trace);
}

/* Fifty threads of one event each: too many prefixes, so the chain draws. */
static void draws_by_chain_where_it_cannot_count(void **state)
{
    (void)state;
    struct trace *trace;
    char text[4096] = "";
    for (int i = 0; i < 50; i++)
        sprintf(text + strlen(text), "wr %d v%d\n", i, i % 40);
    struct history *history = read_text(text, &trace);
    struct sampler *sampler = sampler_create(history, 3);
    assert_null(sampler_count(sampler));
    const uint32_t *order = sampler_next(sampler);
    uint32_t place[50], moved = 0;
    for (uint32_t i = 0; i < 50; i++) {
        place[order[i]] = i;
        moved += order[i] != i;
    }
    for (uint32_t i = 0; i < 10; i++)
        assert_true(place[i] < place[i + 40]);
    assert_true(moved > 25);
    sampler_destroy(sampler);
    history_destroy(history);
    trace_close(trace);
}

/* Too many prefixes again. The first event of a draw: one of the five that have a successor
 * is twice as likely as one of the fifteen that have none. */
static void the_chain_draws_uniformly_too(void **state)
{
    (void)state;
    enum { DRAWS = 1000, THREADS = 25, HEADS = 5, FIRSTS = THREADS - HEADS };
    struct trace *trace;
    char text[1024] = "";
    for (int i = 0; i < THREADS; i++)
        sprintf(text + strlen(text), "wr %d v%d\n", i, i % FIRSTS);
    struct history *history = read_text(text, &trace);
    struct sampler *sampler = sampler_create(history, 11);
    assert_null(sampler_count(sampler));
    unsigned first[THREADS] = {0};
    for (int i = 0; i < DRAWS; i++)
        first[sampler_next(sampler)[0]]++;
    double chi_square = 0;
    for (int i = 0; i < FIRSTS; i++) {
        double expected = (i < HEADS ? 2.0 : 1.0) * DRAWS / THREADS, off = first[i] - expected;
        chi_square += off * off / expected;
    }
    assert_true(chi_square < 43.82); /* 19 degrees of freedom, one in a thousand */
    sampler_destroy(sampler);
    history_destroy(history);
    trace_close(trace);
}

static void counts_beyond_64_bits(void **state)
{
    (void)state;
    struct trace *trace;
    char text[8192] = "";
    for (int i = 0; i < 80; i++)
        sprintf(text + strlen(text), "wr %d v%d\n", i % 2, i);
    struct history *history = read_text(text, &trace);
    struct sampler *sampler = sampler_create(history, 3);
    char *count = sampler_count(sampler);
    assert_string_equal(count, "107507208733336176461620"); /* 80 over 40 */
    free(count);
    sampler_destroy(sampler);
    history_destroy(history);
    trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_of_random_traces),
        cmocka_unit_test(longer_ones_behave_alike),
        cmocka_unit_test(draws_uniformly),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(draws_by_chain_where_it_cannot_count),
        cmocka_unit_test(the_chain_draws_uniformly_too),
        cmocka_unit_test(counts_beyond_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
