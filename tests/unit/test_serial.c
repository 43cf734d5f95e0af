/* serial: explanations, and the oracle's opinion on random
 * traces with every kind of synchronisation. */
#include "oracle/serial_oracle.h"
#include "atomicity_text.h"
#include "campaign.h"

static const char *const everything[] = {"*", NULL};
static const struct engine_options named = {.jobs = 1, .blocks = everything, .every_pair = true};
static const struct engine_options by_default = {.jobs = 1};

static void expect(const char *text, const char *wanted)
{
    expect_found("serial", text, &named, wanted);
}

static void the_window_and_its_culprit(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|r(x)|2\nB|w(x)|3\nA|w(x)|4\nA|end(f)|5\n",
           "in block=f window=2..4 culprit=3");
    expect("A|begin(f)|1\nA|w(x)|2\nB|r(x)|3\nA|w(x)|4\nA|end(f)|5\n",
           "in block=f window=2..4 culprit=3");
    expect("A|begin(f)|1\nA|r(x)|2\nB|r(x)|3\nA|w(x)|4\nA|end(f)|5\n", "none");
    expect("A|begin(f)|1\nA|r(x)|2\nB|w(y)|3\nA|r(y)|4\nA|end(f)|5\n", "none");
}

/* Through two other threads, neither of which disturbs the block on its own. */
static void a_cycle_of_three(void **state)
{
    (void)state;
    const char *text = "A|begin(f)|1\nA|w(x)|2\nB|r(x)|3\nB|w(y)|4\nC|r(y)|5\nC|w(z)|6\nA|r(z)|7\n"
                       "A|end(f)|8\n";
    expect(text, "in block=f window=2..7 culprit=3");
}

/* The way over B and C is there too, but one step longer. */
static void the_cycle_is_a_shortest_one(void **state)
{
    (void)state;
    const char *text = "A|begin(f)|1\nA|r(x)|2\nB|w(x)|3\nC|w(x)|4\nA|r(x)|5\nA|end(f)|6\n";
    struct error error = {0};
    struct trace *trace = std_open_memory("test", text, strlen(text));
    const struct engine *engine = engine_find("serial", 6);
    struct driver driver;
    assert_int_equal(driver_run(&driver, trace, &engine, 1, &named, &error), 0);
    assert_int_equal(driver.runs[0].findings->count, 1);
    assert_string_equal(driver.runs[0].findings->items[0].note,
                        "blame f: 2 (A) -> 3 (B) on x, 3 (B) -> 5 (A) on x");
    driver_free(&driver);
    trace_close(trace);
}

/* Two blocks, each serial against a third, not against each other. */
static void events_outside_of_blocks_are_no_block(void **state)
{
    (void)state;
    expect("A|w(x)|1\nB|w(x)|2\nA|w(x)|3\nB|w(x)|4\n", "none");
    expect("A|begin(f)|1\nA|w(x)|2\nA|end(f)|3\nB|w(x)|4\nA|begin(f)|5\nA|w(x)|6\nA|end(f)|7\n",
           "none");
}

static void the_inner_block_is_to_blame(void **state)
{
    (void)state;
    expect("A|begin(f)|1\nA|w(y)|2\nA|begin(g)|3\nA|r(x)|4\nB|w(x)|5\nA|r(x)|6\nA|end(g)|7\nA|end("
           "f)|8\n",
           "in block=f/g window=4..6 culprit=5");
    expect("A|begin(f)|1\nA|r(x)|2\nA|begin(g)|3\nB|w(x)|4\nA|r(x)|5\nA|end(g)|6\nA|end(f)|7\n",
           "in block=f window=2..5 culprit=4");
}

static void what_waits_is_not_atomic(void **state)
{
    (void)state;
    const char *text = "A|begin(run)|1\nA|fork(B)|2\nB|w(x)|3\nA|join(B)|4\nA|end(run)|5\n";
    expect_found("serial", text, &by_default, "none");
    expect(text, "in block=run window=2..4 culprit=3");
}

static void one_finding_a_block_and_pair_of_locations(void **state)
{
    (void)state;
    const struct engine_options options = {.jobs = 1};
    expect_found("serial", BROKEN_TWICE, &options, "in block=f window=3..6 culprit=4");
}

/* --- against the oracle --- */

static void disagree(const struct sample *sample, const char *what)
{
    fail_msg("%s\n%s", what, sample->text);
}

/* Every block through which a cycle goes is reported, with as many steps as the shortest
 * such cycle has. */
static void compare_cycles(const struct sample *sample, const struct serial_truth *truth,
                           const struct findings *findings)
{
    const struct history *history = sample->history;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t transaction = truth->of[pos], steps = 0;
        if (history->events[pos].op != EVENT_BLOCK_BEGIN)
            continue;
        for (size_t i = 0; i < findings->count && !steps; i++)
            if (truth->of[findings->items[i].events[0].pos] == transaction)
                for (const char *at = findings->items[i].note; (at = strstr(at, " -> ")); at++)
                    steps++;
        uint32_t shortest = serial_shortest(truth, history, transaction);
        if (steps != shortest)
            fail_msg("the block at %u: %u steps, not %u\n%s", pos, steps, shortest, sample->text);
    }
}

static void compare(const struct sample *sample, uint64_t seed, void *context)
{
    (void)seed;
    (void)context;
    struct serial_truth truth;
    serial_truth_init(&truth, sample->history);
    if (truth.transactions <= 7 &&
        serial_by_permutation(&truth, sample->history) != truth.serialisable)
        disagree(sample, "the oracle contradicts itself");
    struct error error = {0};
    struct trace *trace = std_open_memory("sample", sample->text, strlen(sample->text));
    const struct engine *engine = engine_find("serial", 6);
    struct driver driver;
    assert_int_equal(driver_run(&driver, trace, &engine, 1, &named, &error), 0);
    const struct findings *findings = driver.runs[0].findings;
    if (truth.serialisable != !findings->count)
        disagree(sample, truth.serialisable ? "false" : "missed");
    for (size_t i = 0; i < findings->count; i++)
        if (!serial_explains(&truth, sample->history, &findings->items[i]))
            disagree(sample, "wrongly explained");
    if (sample->history->count <= 80)
        compare_cycles(sample, &truth, findings);
    driver_free(&driver);
    trace_close(trace);
    serial_truth_free(&truth);
}

static void the_oracle_agrees(void **state)
{
    campaign("SERIAL", *state, 500, compare, NULL);
}

int main(void)
{
#define AGREES(shape)                                                                              \
    {                                                                                              \
        "the_oracle_agrees on " shape, the_oracle_agrees, NULL, NULL, (void *)shape                \
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_finding_a_block_and_pair_of_locations),
        cmocka_unit_test(the_window_and_its_culprit),
        cmocka_unit_test(a_cycle_of_three),
        cmocka_unit_test(the_cycle_is_a_shortest_one),
        cmocka_unit_test(events_outside_of_blocks_are_no_block),
        cmocka_unit_test(the_inner_block_is_to_blame),
        cmocka_unit_test(what_waits_is_not_atomic),
        AGREES("blocks"),
        AGREES("blocks:variables=1,locks=1,threads=2"),
        AGREES("blocks:events=30..60,threads=3..6"),
        AGREES("all"),
        AGREES("all:events=30..80"),
        AGREES("blocks:events=100..200,threads=3..5,sticky=90"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
