/* The oracle on traces whose truth was worked out by hand, and against the plain
 * exploration by the machine of model/, a second implementation of all rules. */
#include "model/checker.h"
#include "tiddle/generator.h"
#include "oracle/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* What oracle_explore() says of `text`, as words: "race 1 5" and "deadlock 2 7"
 * joined by commas, positions in ascending order. */
static char *truth_text(const char *text, enum model model)
{
    struct error error = {0};
    struct sample sample;
    struct truth truth;
    char *words = memory_zero(4096, 1), *at = words;
    if (sample_read(&sample, memory_copy(text, strlen(text) + 1), strlen(text), &error))
        fail_msg("%s", error.text);
    struct oracle *oracle = oracle_create();
    struct oracle_options options = {.model = model};
    assert_int_equal(oracle_explore(oracle, sample.history, &options, &truth, &error), 0);
    for (size_t i = 0; i < truth.races.count; i++)
        at += sprintf(at, ", race %u %u", truth.races.items[i].events[0],
                      truth.races.items[i].events[1]);
    for (size_t i = 0; i < truth.deadlocks.count; i++) {
        at += sprintf(at, ", deadlock");
        for (uint32_t pos = 0; pos < sample.history->count; pos++)
            for (uint32_t j = 0; j < truth.deadlocks.items[i].count; j++)
                if (truth.deadlocks.items[i].events[j] == pos)
                    at += sprintf(at, " %u", pos);
    }
    oracle_destroy(oracle);
    truth_free(&truth);
    sample_free(&sample);
    memmove(words, at == words ? at : words + 2, strlen(words) + 1 - (at == words ? 0 : 2));
    return words;
}

static void expect(const char *text, enum model model, const char *wanted)
{
    char *found = truth_text(text, model);
    assert_string_equal(found, wanted);
    free(found);
}

static void hidden_race_behind_a_lock_order(void **state)
{
    (void)state;
    const char *text = "A|w(x)|1\nA|acq(l)|2\nA|rel(l)|3\nB|acq(l)|4\nB|rel(l)|5\nB|w(x)|6\n";
    expect(text, MODEL_RF, "race 0 5");
    expect(text, MODEL_SYNC, "race 0 5");
}

static void a_read_ties_the_critical_sections(void **state)
{
    (void)state;
    const char *text = "A|w(x)|1\nA|acq(l)|2\nA|w(y)|3\nA|rel(l)|4\n"
                       "B|acq(l)|5\nB|r(y)|6\nB|rel(l)|7\nB|w(x)|8\n";
    expect(text, MODEL_RF, "");
    expect(text, MODEL_SYNC, "race 0 7");
    expect(text, MODEL_BRANCH, ""); /* without a branch in the trace it means rf */
    char with_branch[256];
    snprintf(with_branch, sizeof with_branch, "%sB|branch()|9\n", text);
    expect(with_branch, MODEL_BRANCH, "race 0 7");
}

static void values_free_a_read_from_its_write(void **state)
{
    (void)state;
    const char *text = "A|w(x)=1|1\nA|acq(l)|2\nA|w(y)=0|3\nA|rel(l)|4\n"
                       "B|acq(l)|5\nB|r(y)=0|6\nB|rel(l)|7\nB|w(x)=2|8\nB|r(z)=7|9\n";
    expect(text, MODEL_RF, "");
    expect(text, MODEL_VALUE, ""); /* nobody saw what y was before */
    char with_initial[256];
    snprintf(with_initial, sizeof with_initial, "C|r(y)=0|0\n%s", text);
    expect(with_initial, MODEL_VALUE, "race 0 3, race 1 8");
}

static void a_gate_lock_prevents_a_deadlock(void **state)
{
    (void)state;
    const char *plain = "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
                        "B|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n";
    const char *gated = "A|acq(g)|0\nA|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\nA|rel(g)|4\n"
                        "B|acq(g)|5\nB|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\nB|rel(g)|9\n";
    const char *tried = "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
                        "B|acq(m)|5\nB|tryacq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n";
    expect(plain, MODEL_RF, "deadlock 1 5");
    expect(gated, MODEL_RF, "");
    expect(tried, MODEL_RF, "");
}

static void three_threads_deadlock(void **state)
{
    (void)state;
    expect("A|acq(k)|1\nA|acq(l)|2\nA|rel(l)|3\nA|rel(k)|4\n"
           "B|acq(l)|5\nB|acq(m)|6\nB|rel(m)|7\nB|rel(l)|8\n"
           "C|acq(m)|9\nC|acq(k)|10\nC|rel(k)|11\nC|rel(m)|12\n",
           MODEL_RF, "deadlock 1 5 9");
}

static void readers_share_and_still_deadlock(void **state)
{
    (void)state;
    /* Two readers of m block each other's writers of l only through writing. */
    expect("A|rdacq(m)|1\nA|acq(l)|2\nA|rel(l)|3\nA|rdrel(m)|4\n"
           "B|acq(l)|5\nB|rdacq(m)|6\nB|rdrel(m)|7\nB|rel(l)|8\n",
           MODEL_RF, "");
    expect("A|rdacq(m)|1\nA|acq(l)|2\nA|rel(l)|3\nA|rdrel(m)|4\n"
           "B|acq(l)|5\nB|wracq(m)|6\nB|wrrel(m)|7\nB|rel(l)|8\n",
           MODEL_RF, "deadlock 1 5");
}

/* A waits for both readers, B for C, C for A: but A and C are stuck without B. */
static void a_deadlock_has_no_smaller_one_in_it(void **state)
{
    (void)state;
    expect("A|acq(l)|1\nA|wracq(m)|2\nA|wrrel(m)|3\nA|rel(l)|4\n"
           "B|rdacq(m)|5\nB|acq(k)|6\nB|rel(k)|7\nB|rdrel(m)|8\n"
           "C|rdacq(m)|9\nC|acq(k)|10\nC|acq(l)|11\nC|rel(l)|12\nC|rel(k)|13\nC|rdrel(m)|14\n",
           MODEL_RF, "deadlock 1 10");
}

/* T0 gives up and waits again. It does not take a signal along that T2 waits for, too: after
 * both signals, T2 has its own. */
static void who_gives_up_leaves_the_signal(void **state)
{
    (void)state;
    expect("T0|acq(l0)|1\nT0|wait(c0,l0)|13\nT1|acq(l0)|15\nT1|wait(c1,l0)|17\n"
           "T0|woken!(c0,l0)|18\nT0|wait(c0,l0)|20\nT2|acq(l0)|21\nT2|notifyall(c1)|23\n"
           "T2|wait(c0,l0)|26\nT1|woken(c1,l0)|27\nT1|notify(c0)|33\nT1|wait(c1,l0)|34\n"
           "T1|woken!(c1,l0)|35\nT1|notify(c0)|42\nT1|rel(l0)|43\nT2|woken(c0,l0)|48\n",
           MODEL_SYNC, "deadlock 9");
}

static void a_wait_returns_after_a_signal_only(void **state)
{
    (void)state;
    expect("A|acq(l)|1\nA|wait(c,l)|2\nB|w(x)|3\nB|notify(c)|4\nA|woken(c,l)|5\nA|rel(l)|6\n"
           "A|w(x)|7\n",
           MODEL_SYNC, "deadlock 4"); /* the signal may come too early */
    /* A spurious wake-up orders nothing. */
    expect("A|acq(l)|1\nA|wait(c,l)|2\nB|w(x)|3\nB|notify(c)|4\nA|woken!(c,l)|5\nA|rel(l)|6\n"
           "A|w(x)|7\n",
           MODEL_SYNC, "race 2 6");
    /* Woken, but the mutex is held by one who wants a lock the waiter kept. */
    expect("A|acq(k)|1\nA|acq(l)|2\nA|wait(c,l)|3\nB|notify(c)|4\nA|woken(c,l)|5\nA|rel(l)|6\n"
           "A|rel(k)|7\nB|acq(l)|8\nB|acq(k)|9\nB|rel(k)|10\nB|rel(l)|11\n",
           MODEL_RF, "deadlock 4, deadlock 1 8, deadlock 4 8");
}

static void a_signal_is_not_a_memory(void **state)
{
    (void)state;
    /* The first signal can only have been A's, for nobody else waited. A leaves
     * by itself, and the second signal is free to wake C: no spurious wake-up. */
    const char *text = "A|acq(l)|1\nA|wait(c,l)|2\nB|notify(c)|3\nB|fork(C)|4\nC|acq(m)|5\n"
                       "C|wait(c,m)|6\nA|woken!(c,l)|7\nB|w(x)|8\nB|notify(c)|9\n"
                       "C|woken(c,m)|10\nC|w(x)|11\n";
    expect(text, MODEL_SYNC, "deadlock 9"); /* but no race, and if it comes too early ... */
}

static void more_than_locks_may_be_waited_for(void **state)
{
    (void)state;
    /* B needs k, which A keeps while it waits for B's signal. */
    expect(
        "B|acq(k)|1\nB|rel(k)|2\nA|acq(k)|3\nA|acq(l)|4\nA|wait(c,l)|5\nB|acq(l)|6\nB|notify(c)|7\n"
        "B|rel(l)|8\nA|woken(c,l)|9\nA|rel(l)|10\nA|rel(k)|11\n",
        MODEL_RF, "deadlock 8, deadlock 0 8");
    /* C could signal as well, and does not need k, but its signal may come too early. */
    expect(
        "B|acq(k)|1\nB|rel(k)|2\nA|acq(k)|3\nA|r(x)|4\nA|acq(l)|5\nA|wait(c,l)|6\nB|notify(c)|7\n"
        "A|woken(c,l)|8\nC|w(x)|9\nC|notify(c)|10\n",
        MODEL_RF, "race 3 8, deadlock 7, deadlock 0 7");
    /* At a barrier with a lock that a party still needs. */
    expect(
        "B|acq(k)|1\nB|rel(k)|2\nA|acq(k)|3\nB|enter(b)|4\nA|enter(b)|5\nA|exit(b)|6\nB|exit(b)|7\n"
        "A|rel(k)|8\n",
        MODEL_RF, "deadlock 0 5");
    /* A semaphore that is no lock: B posts, but needs k first. */
    expect("B|acq(k)|1\nB|post(s)|2\nB|rel(k)|3\nA|acq(k)|4\nA|semwait(s)|5\nA|rel(k)|6\n",
           MODEL_RF, "deadlock 0 4");
    /* ... and one that C posts as well. */
    expect("B|acq(k)|1\nB|post(s)|2\nB|rel(k)|3\nC|post(s)|4\nA|acq(k)|5\nA|semwait(s)|6\nA|rel(k)|"
           "7\n",
           MODEL_RF, "");
    /* The block's runner needs what the passer holds. */
    expect("B|oncebegin(o)|1\nB|acq(k)|2\nB|rel(k)|3\nB|onceend(o)|4\nA|acq(k)|5\nA|oncepass(o)|6\n"
           "A|rel(k)|7\n",
           MODEL_RF, "deadlock 1 5");
    /* A timed wait gives up waiting, but not its mutex. */
    expect("A|acq(k)|1\nA|acq(l)|2\nA|wait(c,l)|3\nB|notify(c)|4\nA|trywoken(c,l)|5\nA|rel(l)|6\n"
           "A|rel(k)|7\nB|acq(l)|8\nB|acq(k)|9\nB|rel(k)|10\nB|rel(l)|11\n",
           MODEL_RF, "deadlock 1 8, deadlock 4 8");
}

static void a_barrier_separates(void **state)
{
    (void)state;
    expect("A|w(x)|1\nA|enter(b)|2\nB|enter(b)|3\nA|exit(b)|4\nB|exit(b)|5\nB|w(x)|6\n", MODEL_SYNC,
           "");
    expect("A|enter(b)|2\nB|enter(b)|3\nA|exit(b)|4\nA|w(x)|1\nB|exit(b)|5\nB|w(x)|6\n", MODEL_SYNC,
           "race 3 5");
}

static void semaphores_count_and_once_orders(void **state)
{
    (void)state;
    expect("A|w(x)|1\nA|post(s)|2\nB|semwait(s)|3\nB|w(x)|4\n", MODEL_SYNC, "");
    expect("A|w(x)|1\nA|post(s)|2\nC|post(s)|2\nB|semwait(s)|3\nB|w(x)|4\n", MODEL_SYNC,
           "race 0 4");
    expect("A|oncebegin(o)|1\nA|w(x)|2\nA|onceend(o)|3\nB|oncepass(o)|4\nB|w(x)|5\n", MODEL_SYNC,
           "");
    expect("A|post(s)|1\nA|semwait(s)|2\nA|w(x)|3\nB|trysemwait!(s)|4\nB|w(x)|5\n", MODEL_SYNC,
           "race 2 4");
}

static void forks_and_joins_order(void **state)
{
    (void)state;
    expect("A|w(x)|1\nA|fork(B)|2\nB|w(x)|3\nA|w(y)|4\nB|w(y)|5\nA|join(B)|6\nA|w(x)|7\n",
           MODEL_SYNC, "race 3 4");
}

static void check_witness(const struct rules *rules, const struct claim *claim)
{
    struct complaint complaint;
    if (!witness_check(rules, claim, &complaint))
        fail_msg("witness rejected at %u, event %u: %s", complaint.at, complaint.pos,
                 complaint.rule);
}

static void check_witnesses(const struct history *history, const struct truth *truth)
{
    struct rules *rules = rules_create(history, truth->model);
    for (size_t i = 0; i < truth->races.count; i++) {
        const struct true_race *race = &truth->races.items[i];
        check_witness(rules, &(struct claim){FINDING_RACE, race->events, 2, race->witness,
                                             race->witness_length, false});
    }
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        const struct true_deadlock *deadlock = &truth->deadlocks.items[i];
        check_witness(rules, &(struct claim){FINDING_DEADLOCK, deadlock->events, deadlock->count,
                                             deadlock->witness, deadlock->witness_length, false});
    }
    rules_destroy(rules);
}

static void expect_equal(const struct sample *sample, const struct truth *a, const struct truth *b)
{
    if (!truth_equal(a, b))
        fail_msg("%s: oracle %zu races %zu deadlocks, machine %zu and %zu, of\n%s",
                 model_text(a->model), a->races.count, a->deadlocks.count, b->races.count,
                 b->deadlocks.count, sample->text);
}

/* Every model, both implementations, witnesses checked. Returns errors found. */
static size_t compare_implementations(struct oracle *oracle, const struct shape *shape,
                                      uint64_t seed)
{
    struct error error = {0};
    struct sample sample;
    size_t found = 0;
    if (sample_generate(&sample, shape, seed, &error))
        fail_msg("seed %lu: %s", (unsigned long)seed, error.text);
    for (unsigned model = MODEL_SYNC; model < MODEL_COUNT; model++) {
        struct truth quick, plain;
        struct oracle_options options = {.model = model, .witnesses = true};
        assert_int_equal(oracle_explore(oracle, sample.history, &options, &quick, &error), 0);
        oracle_explore_plainly(sample.history, &options, &plain);
        expect_equal(&sample, &quick, &plain);
        check_witnesses(sample.history, &quick);
        found += quick.races.count + quick.deadlocks.count;
        truth_free(&quick);
        truth_free(&plain);
    }
    sample_free(&sample);
    return found;
}

static void compare_many(struct oracle *oracle, const char *name, const char *settings,
                         uint64_t seeds)
{
    struct shape shape;
    char text[64];
    size_t found = 0;
    snprintf(text, sizeof text, "%s:%s", name, settings);
    assert_int_equal(shape_parse(&shape, text, NULL), 0);
    for (uint64_t seed = 0; seed < seeds; seed++)
        found += compare_implementations(oracle, &shape, seed);
    assert_true(found > seeds / 16);
}

static void the_machine_agrees_on_random_traces(void **state)
{
    (void)state;
    struct oracle *oracle = oracle_create();
    for (size_t i = 0; shape_name(i); i++)
        compare_many(oracle, shape_name(i), "events=8..14,threads=2..3,sticky=60", 300);
    compare_many(oracle, "conditions", "events=14,threads=4,locks=3,accesses=10", 500);
    compare_many(oracle, "rwlocks", "events=14,threads=4,locks=2,depth=3,accesses=5", 500);
    compare_many(oracle, "branches", "events=16,threads=3,variables=3,atomics", 500);
    oracle_destroy(oracle);
}

static void a_limit_of_states_is_kept(void **state)
{
    (void)state;
    struct error error = {0};
    struct shape shape;
    struct sample sample;
    struct truth truth;
    struct oracle *oracle = oracle_create();
    struct oracle_options options = {.model = MODEL_SYNC, .state_limit = 50};
    assert_int_equal(shape_parse(&shape, "basic:events=30,threads=4,-forks", &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, 1, &error), 0);
    assert_int_equal(oracle_explore(oracle, sample.history, &options, &truth, &error), 0);
    assert_false(truth.complete);
    assert_true(truth.states <= 51 + 30 * 4);
    truth_free(&truth);
    sample_free(&sample);
    assert_int_equal(shape_parse(&shape, "large:events=1000", &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, 1, &error), 0);
    assert_int_equal(oracle_explore(oracle, sample.history, &options, &truth, &error), -1);
    assert_string_equal(error.text, "too large for the oracle: 1000 events, of at most 250");
    sample_free(&sample);
    oracle_destroy(oracle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_race_behind_a_lock_order),
        cmocka_unit_test(a_read_ties_the_critical_sections),
        cmocka_unit_test(values_free_a_read_from_its_write),
        cmocka_unit_test(a_gate_lock_prevents_a_deadlock),
        cmocka_unit_test(three_threads_deadlock),
        cmocka_unit_test(readers_share_and_still_deadlock),
        cmocka_unit_test(a_deadlock_has_no_smaller_one_in_it),
        cmocka_unit_test(who_gives_up_leaves_the_signal),
        cmocka_unit_test(a_wait_returns_after_a_signal_only),
        cmocka_unit_test(a_signal_is_not_a_memory),
        cmocka_unit_test(more_than_locks_may_be_waited_for),
        cmocka_unit_test(a_barrier_separates),
        cmocka_unit_test(semaphores_count_and_once_orders),
        cmocka_unit_test(forks_and_joins_order),
        cmocka_unit_test(the_machine_agrees_on_random_traces),
        cmocka_unit_test(a_limit_of_states_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
