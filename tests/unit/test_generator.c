/* Generated traces are well-formed, the same for the same seed, and show every
 * feature that their shape asks for and no other. */
#include "tiddle/generator.h"
#include "oracle/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct shape parsed(const char *text)
{
    struct error error = {0};
    struct shape shape;
    if (shape_parse(&shape, text, &error))
        fail_msg("%s", error.text);
    return shape;
}

/* Which operations occur in traces of a shape, which of them fail or try. */
struct census {
    uint64_t ops, failed, tried, valued;
    uint32_t most, least, threads;
};

static void take(struct census *census, const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        census->ops |= OP_BIT(event->op);
        census->failed |= event->flags & EVENT_FAILED ? OP_BIT(event->op) : 0;
        census->tried |= event->flags & EVENT_TRY ? OP_BIT(event->op) : 0;
        census->valued |= event->flags & EVENT_HAS_VALUE ? OP_BIT(event->op) : 0;
    }
    census->most = history->count > census->most ? history->count : census->most;
    census->least = history->count < census->least ? history->count : census->least;
    census->threads = history->threads > census->threads ? history->threads : census->threads;
}

static struct census census_of(const char *text, uint64_t seeds)
{
    struct shape shape = parsed(text);
    struct census census = {.least = UINT32_MAX};
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct error error = {0};
        struct sample sample;
        if (sample_generate(&sample, &shape, seed, &error))
            fail_msg("%s, seed %lu: %s", text, (unsigned long)seed, error.text);
        take(&census, sample.history);
        sample_free(&sample);
    }
    return census;
}

#define PLAIN   (OP_BIT(EVENT_READ) | OP_BIT(EVENT_WRITE))
#define MUTEXES (OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_RELEASE))
#define FORKS   (OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN))

static void shapes_show_their_features(void **state)
{
    (void)state;
    assert_int_equal(census_of("basic", 300).ops, PLAIN | MUTEXES | FORKS);
    assert_int_equal(census_of("basic:-forks", 300).ops, PLAIN | MUTEXES);
    assert_int_equal(census_of("basic:-locks", 300).ops, PLAIN | FORKS);
    struct census all = census_of("all", 2000);
    uint64_t never = OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_ALLOC) |
                     OP_BIT(EVENT_FREE) | OPS_MISUSE;
    assert_int_equal(all.ops, OPS_ALL & ~never);
    uint64_t tryable = OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_ACQUIRE_READ) |
                       OP_BIT(EVENT_ACQUIRE_WRITE) | OP_BIT(EVENT_SEM_WAIT);
    assert_int_equal(all.tried, tryable);
    assert_int_equal(all.failed, tryable | OP_BIT(EVENT_WAIT_END));
    assert_int_equal(all.valued, OPS_ACCESS);
    assert_int_equal(census_of("basic:destroys", 300).ops,
                     PLAIN | MUTEXES | FORKS | OP_BIT(EVENT_DESTROY));
    assert_int_equal(census_of("basic", 300).failed, 0);
    assert_int_equal(census_of("basic", 300).valued, 0);
}

static void sizes_are_kept(void **state)
{
    (void)state;
    assert_int_equal(census_of("guarded:events=22", 200).least, 22);
    struct census small = census_of("all", 1000);
    assert_true(small.most <= 20);
    assert_int_equal(small.threads, 4);
    assert_int_equal(census_of("locks:events=13", 200).most, 13);
    assert_int_equal(census_of("locks:events=13", 200).least, 13);
    assert_int_equal(census_of("large-all:events=100000", 1).least, 100000);
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    struct shape shape = parsed("all");
    size_t lengths[3];
    char *texts[3];
    for (unsigned i = 0; i < 3; i++)
        texts[i] = generate_text(&shape, 7 + i / 2, &lengths[i]);
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (unsigned i = 0; i < 3; i++)
        free(texts[i]);
}

/* A read returns what was written last; the initial value is 0. */
static void values_are_consistent(void **state)
{
    (void)state;
    struct shape shape = parsed("all:accesses=60,variables=3");
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, NULL), 0);
        const struct history *history = sample.history;
        const uint32_t *seen = history->reads_from;
        for (uint32_t pos = 0; pos < history->count; pos++) {
            const struct event *event = &history->events[pos];
            if (!event_reads(event) || event_writes(event) || !(event->flags & EVENT_HAS_VALUE))
                continue;
            if (seen[pos] == POS_NONE)
                assert_int_equal(event->value, 0);
            else if (history->events[seen[pos]].flags & EVENT_HAS_VALUE)
                assert_int_equal(event->value, history->events[seen[pos]].value);
        }
        sample_free(&sample);
    }
}

/* What the generator calls a signalled wake-up, the reader does not call spurious. */
static void wake_ups_are_what_they_say(void **state)
{
    (void)state;
    struct shape shape = parsed("conditions:events=30,threads=4,locks=3,accesses=5");
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, NULL), 0);
        uint32_t spurious = 0, written = 0;
        for (uint32_t pos = 0; pos < sample.history->count; pos++)
            spurious += sample.history->events[pos].op == EVENT_WAIT_END &&
                        sample.history->events[pos].flags & EVENT_FAILED;
        for (const char *at = sample.text; (at = strstr(at, "woken!")); at++)
            written++;
        if (spurious != written)
            fail_msg("seed %lu: %u spurious wake-ups written, %u read", (unsigned long)seed,
                     written, spurious);
        sample_free(&sample);
    }
}

static void bad_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "nothing", "basic:nothing",    "basic:events=",     "basic:events=3x", "basic:threads=0",
        "basic:",  "basic:events=5..", "basic:events=9..5", "basic:locks=1..2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct shape shape;
        struct error error = {0};
        if (shape_parse(&shape, bad[i], &error) == 0)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(error.code, ERROR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_show_their_features),
        cmocka_unit_test(sizes_are_kept),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(values_are_consistent),
        cmocka_unit_test(wake_ups_are_what_they_say),
        cmocka_unit_test(bad_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
