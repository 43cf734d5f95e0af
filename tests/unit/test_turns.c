/* Witnesses as turns: what is folded can be had back to the last event, the checker
 * accepts both forms alike, and lists that are no turns break a rule and nothing else. */
#include "engine/driver.h"
#include "model/checker.h"
#include "oracle/generator.h"
#include "trace/formats.h"
#include "trace/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

struct counts {
    size_t kinds[FINDING_KINDS], unordered, shorter;
};

static bool accepted(const struct history *history, const struct finding *finding,
                     const char **rule)
{
    uint32_t events[16];
    struct rules *rules = rules_create(history, finding->model);
    assert_in_range(finding->event_count, 1, 16);
    for (uint32_t i = 0; i < finding->event_count; i++)
        events[i] = finding->events[i].pos;
    struct claim claim = {finding->kind,           events,
                          finding->event_count,    finding->witness,
                          finding->witness_length, finding->in_turns};
    struct complaint complaint = {.rule = ""};
    bool good = witness_check(rules, &claim, &complaint);
    *rule = complaint.rule;
    rules_destroy(rules);
    return good;
}

static void try_finding(const struct history *history, const struct finding *finding,
                        struct counts *counts)
{
    const char *rule;
    struct finding turns = *finding;
    turns.witness =
        memory_copy(finding->witness, finding->witness_length * sizeof *finding->witness);
    finding_fold(&turns, history);
    assert_true(turns.in_turns);
    assert_int_equal(turns_events(history, turns.witness, turns.witness_length),
                     finding->witness_length);
    struct finding full = finding_in_full(&turns, history);
    assert_false(full.in_turns);
    assert_int_equal(full.witness_length, finding->witness_length);
    assert_memory_equal(full.witness, finding->witness,
                        finding->witness_length * sizeof *finding->witness);
    if (!accepted(history, &turns, &rule))
        fail_msg("as turns it is rejected: %s", rule);
    counts->kinds[finding->kind]++;
    counts->unordered += finding_is_unordered(finding);
    counts->shorter += turns.witness_length < finding->witness_length;
    finding_full_free(&full, &turns);
    free(turns.witness);
}

static void test_fold_and_unfold(void **state)
{
    (void)state;
    static const char *const shapes[] = {"all:events=30..60,threads=4", "atomics:events=30..50",
                                         "conditions:events=20..40", "crossed:events=20..40",
                                         "barriers:events=20..40"};
    const struct engine *engine = engine_find("auto", 4);
    struct engine_options options = {.jobs = 1, .every_pair = true};
    struct counts counts = {0};
    struct error error = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shape shape;
        assert_int_equal(shape_parse(&shape, shapes[i], &error), 0);
        for (uint64_t seed = 0; seed < 150; seed++) {
            size_t length;
            char *text = generate_text(&shape, seed, &length);
            struct trace *trace = std_open_memory("random", text, length);
            struct driver driver;
            assert_int_equal(driver_run(&driver, trace, &engine, 1, &options, &error), 0);
            const struct findings *findings = driver.runs[0].findings;
            for (size_t k = 0; k < findings->count; k++)
                if (findings->items[k].witness)
                    try_finding(driver.history, &findings->items[k], &counts);
            driver_free(&driver);
            trace_close(trace);
            free(text);
        }
    }
    print_message("%zu races (%zu unordered), %zu deadlocks, %zu violations, %zu shorter\n",
                  counts.kinds[0], counts.unordered, counts.kinds[1], counts.kinds[2],
                  counts.shorter);
    assert_true(counts.kinds[FINDING_RACE] > 1000);
    assert_true(counts.kinds[FINDING_DEADLOCK] > 10);
    assert_true(counts.unordered > 10);
    assert_true(counts.shorter > 1000);
}

/* Threads A and B meet at a lock; their last writes race. */
static const char text[] = "A|w(a)|1\nA|acq(l)|2\nA|rel(l)|3\nA|w(b)|4\nA|w(x)|5\n"
                           "B|acq(l)|6\nB|w(c)|7\nB|rel(l)|8\nB|w(d)|9\nB|w(x)|10\n";

static const char *rule_of(const uint32_t *turns, uint32_t length)
{
    struct error error = {0};
    struct trace *trace = std_open_memory("t.std", text, strlen(text));
    struct history *history = history_read(trace, &error);
    uint32_t first = POS_NONE, second = POS_NONE;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const char *place = trace_location(trace, history->events[pos].location);
        first = strcmp(place, "5") == 0 ? pos : first;
        second = strcmp(place, "10") == 0 ? pos : second;
    }
    struct finding_event events[2] = {{.pos = first}, {.pos = second}};
    uint32_t witness[8];
    memcpy(witness, turns, length * sizeof *turns);
    struct finding finding = {.kind = FINDING_RACE,
                              .model = MODEL_SYNC,
                              .events = events,
                              .event_count = 2,
                              .witness = witness,
                              .witness_length = length,
                              .in_turns = true};
    const char *rule;
    bool good = accepted(history, &finding, &rule);
    history_destroy(history);
    trace_close(trace);
    return good ? NULL : rule;
}

/* What is not listed is done, by its thread and in time. */
static void test_rules_hold(void **state)
{
    (void)state;
    const uint32_t racing[] = {4, 9}, other_way[] = {9, 4}, early[] = {7, 4, 9}, held[] = {1, 4, 9},
                   inside[] = {1, 7, 4, 9}, twice[] = {2, 2, 4, 9}, backwards[] = {3, 0, 4, 9},
                   beyond[] = {3, 10, 4, 9};
    assert_null(rule_of(racing, 2));
    assert_null(rule_of(other_way, 2));
    assert_null(rule_of(early, 3));
    /* A goes on to its release before B begins: only the list says when. */
    assert_null(rule_of(held, 3));
    assert_non_null(strstr(rule_of(inside, 4), "held cannot be acquired"));
    assert_non_null(strstr(rule_of(twice, 4), "keep their order"));
    assert_non_null(strstr(rule_of(backwards, 4), "keep their order"));
    assert_non_null(strstr(rule_of(beyond, 4), "events of its trace"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_and_unfold),
        cmocka_unit_test(test_rules_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
