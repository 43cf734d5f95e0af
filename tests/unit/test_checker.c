/* The checker accepts witnesses and names the rule that a false one breaks. */
#include "model/checker.h"
#include "model/observed_run.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct question {
    const char *text;
    enum model model;
    enum finding_kind kind;
    uint32_t events[4], event_count;
    uint32_t witness[16], length;
};

/* NULL if accepted, else the broken rule. */
static const char *ask(const struct question *question, uint32_t *at)
{
    struct error error = {0};
    struct trace *trace = std_open_memory("t.std", question->text, strlen(question->text));
    struct history *history = history_read(trace, &error);
    if (!history)
        fail_msg("%s", error.text);
    struct rules *rules = rules_create(history, question->model);
    struct claim claim = {question->kind,    question->events, question->event_count,
                          question->witness, question->length, false};
    struct complaint complaint = {0};
    bool good = witness_check(rules, &claim, &complaint);
    *at = complaint.at;
    rules_destroy(rules);
    history_destroy(history);
    trace_close(trace);
    return good ? NULL : complaint.rule;
}

static void assert_accepted(struct question question)
{
    uint32_t at;
    const char *rule = ask(&question, &at);
    if (rule)
        fail_msg("rejected at %u: %s", at, rule);
}

static void assert_rejected(struct question question, uint32_t wanted_at, const char *wanted)
{
    uint32_t at;
    const char *rule = ask(&question, &at);
    if (!rule)
        fail_msg("accepted, but expected '%s'", wanted);
    if (!strstr(rule, wanted))
        fail_msg("expected '%s', found '%s'", wanted, rule);
    assert_int_equal(at, wanted_at);
}

/* 0 w(x) 1 acq 2 rel | 3 acq 4 rel 5 w(x) */
#define HIDDEN "A|w(x)|1\nA|acq(l)|2\nA|rel(l)|3\nB|acq(l)|4\nB|rel(l)|5\nB|w(x)|6\n"

static void accepts_a_hidden_race(void **state)
{
    (void)state;
    assert_accepted((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 5}, 2, {3, 4, 0, 5}, 4});
    assert_accepted((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {5, 0}, 2, {3, 4, 5, 0}, 4});
}

static void names_program_order(void **state)
{
    (void)state;
    assert_rejected((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 5}, 2, {4, 3, 0, 5}, 4},
                    0, "order");
    assert_rejected((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 5}, 2, {3, 0, 5}, 3}, 2,
                    "order");
    assert_rejected(
        (struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 5}, 2, {3, 3, 4, 0, 5}, 5}, 1,
        "order");
}

static void names_the_ends(void **state)
{
    (void)state;
    assert_rejected((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 5}, 2, {3, 4}, 2}, 0,
                    "ends in the events");
    assert_rejected((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {0, 9}, 2, {0, 9}, 2}, 1,
                    "events of its trace");
    assert_rejected((struct question){HIDDEN, MODEL_RF, FINDING_RACE, {1, 3}, 2, {0, 1, 3}, 3}, 2,
                    "conflict");
}

static void keeps_one_owner_a_lock(void **state)
{
    (void)state;
    const char *text = "A|acq(l)|1\nA|w(x)|2\nA|rel(l)|3\nB|acq(l)|4\nB|w(x)|5\nB|rel(l)|6\n";
    assert_rejected((struct question){text, MODEL_SYNC, FINDING_RACE, {1, 4}, 2, {0, 3, 1, 4}, 4},
                    1, "held cannot be acquired");
}

static void keeps_forks_and_joins(void **state)
{
    (void)state;
    const char *text = "A|w(x)|1\nA|fork(B)|2\nB|w(x)|3\nA|join(B)|4\nA|w(x)|5\n";
    assert_rejected((struct question){text, MODEL_SYNC, FINDING_RACE, {0, 2}, 2, {0, 2}, 2}, 1,
                    "after its fork");
    assert_rejected(
        (struct question){text, MODEL_SYNC, FINDING_RACE, {2, 4}, 2, {0, 1, 3, 2, 4}, 5}, 2,
        "joined thread's last event");
}

/* B's second write may only come after its read, which must see A's write. */
static void keeps_reads_under_rf_only(void **state)
{
    (void)state;
    const char *text = "A|w(x)|1\nA|w(y)|2\nB|r(y)|3\nB|w(x)|4\n";
    struct question question = {text, MODEL_RF, FINDING_RACE, {0, 3}, 2, {2, 0, 3}, 3};
    assert_rejected(question, 0, "see what it saw");
    question.model = MODEL_SYNC;
    assert_accepted(question);
    question.model = MODEL_BRANCH; /* without branch events this is rf */
    assert_rejected(question, 0, "see what it saw");
}

static void keeps_values_under_value(void **state)
{
    (void)state;
    const char *same = "A|w(x)|1\nA|w(y)=0|2\nC|r(y)=0|3\nB|r(y)=0|4\nB|w(x)|5\nC|w(y)=0|6\n";
    struct question question = {same, MODEL_VALUE, FINDING_RACE, {0, 4}, 2, {5, 3, 0, 4}, 4};
    assert_rejected(question, 0, "order");
    const char *written = "C|w(y)=0|1\nA|w(x)|2\nA|w(y)=0|3\nB|r(y)=0|4\nB|w(x)|5\n";
    assert_accepted(
        (struct question){written, MODEL_VALUE, FINDING_RACE, {1, 4}, 2, {0, 3, 1, 4}, 4});
    assert_rejected((struct question){written, MODEL_RF, FINDING_RACE, {1, 4}, 2, {0, 3, 1, 4}, 4},
                    1, "see");
}

static void keeps_what_branches_depend_on(void **state)
{
    (void)state;
    const char *before = "A|w(x)|1\nA|w(y)|2\nB|r(y)|3\nB|branch()|4\nB|w(x)|5\n";
    assert_rejected(
        (struct question){before, MODEL_BRANCH, FINDING_RACE, {0, 4}, 2, {2, 3, 0, 4}, 4}, 1,
        "branch");
    const char *after = "A|w(x)|1\nA|w(y)|2\nB|r(y)|3\nB|w(x)|4\nB|branch()|5\n";
    assert_accepted((struct question){after, MODEL_BRANCH, FINDING_RACE, {0, 3}, 2, {2, 0, 3}, 3});
}

/* 0 acq l 1 acq m 2 rel m 3 rel l | 4 acq m 5 acq l ... */
#define INVERTED                                                                                   \
    "A|acq(l)|1\nA|acq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"                                             \
    "B|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n"

static void accepts_deadlocks_only(void **state)
{
    (void)state;
    assert_accepted(
        (struct question){INVERTED, MODEL_RF, FINDING_DEADLOCK, {1, 5}, 2, {0, 4, 1, 5}, 4});
    assert_rejected((struct question){INVERTED, MODEL_RF, FINDING_DEADLOCK, {0, 4}, 2, {0, 4}, 2},
                    0, "waits for what only threads of it can give");
    assert_rejected(
        (struct question){INVERTED, MODEL_RF, FINDING_DEADLOCK, {1, 4}, 2, {0, 1, 4}, 3}, 1,
        "waits for what only threads of it can give");
}

static void a_deadlock_has_no_smaller_one_in_it(void **state)
{
    (void)state;
    /* A waits for both readers of m. */
    const char *text =
        "A|acq(l)|1\nA|wracq(m)|2\nA|wrrel(m)|3\nA|rel(l)|4\n"
        "B|rdacq(m)|5\nB|acq(k)|6\nB|rel(k)|7\nB|rdrel(m)|8\n"
        "C|rdacq(m)|9\nC|acq(k)|10\nC|acq(l)|11\nC|rel(l)|12\nC|rel(k)|13\nC|rdrel(m)|14\n";
    assert_accepted(
        (struct question){text, MODEL_RF, FINDING_DEADLOCK, {1, 10}, 2, {0, 4, 8, 9, 1, 10}, 6});
    assert_rejected(
        (struct question){
            text, MODEL_RF, FINDING_DEADLOCK, {1, 5, 10}, 3, {0, 4, 8, 9, 1, 5, 10}, 7},
        4, "waits for what only threads of it can give");
}

static void a_try_closes_no_deadlock(void **state)
{
    (void)state;
    const char *text = "A|acq(l)|1\nA|tryacq(m)|2\nA|rel(m)|3\nA|rel(l)|4\n"
                       "B|acq(m)|5\nB|acq(l)|6\nB|rel(l)|7\nB|rel(m)|8\n";
    assert_rejected((struct question){text, MODEL_RF, FINDING_DEADLOCK, {1, 5}, 2, {0, 4, 1, 5}, 4},
                    2, "wait for good");
}

static void waits_need_their_signal(void **state)
{
    (void)state;
    const char *text = "A|acq(m)|1\nA|wait(c,m)|2\nB|w(x)|3\nB|notify(c)|4\nA|woken(c,m)|5\n"
                       "A|w(x)|6\n";
    assert_rejected(
        (struct question){text, MODEL_SYNC, FINDING_RACE, {2, 5}, 2, {0, 1, 4, 2, 5}, 5}, 2,
        "found it waiting");
}

static void barriers_and_semaphores_hold(void **state)
{
    (void)state;
    const char *barrier =
        "A|w(x)|1\nA|enter(b)|2\nB|enter(b)|3\nB|exit(b)|4\nB|w(x)|5\nA|exit(b)|6\n";
    assert_rejected(
        (struct question){barrier, MODEL_SYNC, FINDING_RACE, {0, 4}, 2, {2, 3, 0, 4}, 4}, 1,
        "barrier");
    const char *semaphore = "A|w(x)|1\nA|post(s)|2\nB|semwait(s)|3\nB|w(x)|4\n";
    assert_rejected((struct question){semaphore, MODEL_SYNC, FINDING_RACE, {0, 3}, 2, {2, 0, 3}, 3},
                    0, "positive count");
}

static void atomics_see_the_same_in_every_model(void **state)
{
    (void)state;
    const char *text = "A|w(x)|1\nA|atomicw(f)|2\nB|atomicr(f)|3\nB|w(x)|4\n";
    assert_rejected((struct question){text, MODEL_SYNC, FINDING_RACE, {0, 3}, 2, {2, 0, 3}, 3}, 0,
                    "see what it saw");
}

/* Publication through an atomic: which memory orders leave what was published unordered? */
static void relaxed_atomics_order_nothing(void **state)
{
    (void)state;
    const char *relaxed = "A|w(x)|1\nA|atomicw.relaxed(f)|2\nB|atomicr.relaxed(f)|3\nB|r(x)|4\n";
    const char *half = "A|w(x)|1\nA|atomicw.release(f)|2\nB|atomicr.relaxed(f)|3\nB|r(x)|4\n";
    const char *full = "A|w(x)|1\nA|atomicw.release(f)|2\nB|atomicr.acquire(f)|3\nB|r(x)|4\n";
    const char *plain = "A|w(x)|1\nA|w(f)|2\nB|r(f)|3\nB|r(x)|4\n";
    struct question question = {relaxed, MODEL_RF, FINDING_RACE, {0, 3}, 2, {0, 1, 2, 3}, 4};
    assert_accepted(question);
    question.text = half;
    assert_accepted(question);
    question.text = full;
    assert_rejected(question, 3, "unordered");
    question.text = plain; /* the race is the flag's */
    assert_rejected(question, 3, "unordered");
    question = (struct question){relaxed, MODEL_RF, FINDING_RACE, {0, 3}, 2, {0, 2, 1, 3}, 4};
    assert_rejected(question, 1, "see what it saw");
    question = (struct question){relaxed, MODEL_RF, FINDING_RACE, {0, 3}, 2, {1, 2, 3}, 3};
    assert_rejected(question, 0, "keep their order");
}

static void culprits_strike_inside_the_window(void **state)
{
    (void)state;
    const char *text = "A|r(x)|1\nA|w(x)|2\nB|w(x)|3\n";
    assert_accepted(
        (struct question){text, MODEL_RF, FINDING_ATOMICITY, {0, 1, 2}, 3, {0, 2, 1}, 3});
    assert_rejected(
        (struct question){text, MODEL_RF, FINDING_ATOMICITY, {0, 1, 2}, 3, {2, 0, 1}, 3}, 2,
        "inside the window");
}

/* A witness that begins with the recorded run is judged by what comes after, forwards and
 * backwards in the run. */
static void goes_on_from_the_recorded_run(void **state)
{
    (void)state;
    static const char text[] = "A|acq(l)|1\nA|w(x)|2\nA|rel(l)|3\nA|w(y)|4\n"
                               "B|acq(l)|5\nB|w(x)|6\nB|rel(l)|7\nB|w(y)|8\n";
    struct error error = {0};
    struct trace *trace = std_open_memory("t.std", text, strlen(text));
    struct history *history = history_read(trace, &error);
    struct rules *rules = rules_create(history, MODEL_SYNC);
    struct observed_run run = {0};
    const uint32_t events[2] = {3, 7}, wrong[2] = {1, 5};
    const uint32_t good[] = {0, 1, 2, 4, 5, 6, 3, 7}, held[] = {0, 4, 1, 5};
    struct claim claim = {FINDING_RACE, events, 2, good, 8, false};
    struct claim refused = {FINDING_RACE, wrong, 2, held, 4, false};
    struct complaint complaint;
    static const uint32_t moments[] = {3, 0, 2, 1, 3};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        const struct machine *begun = observed_run_at(&run, rules, moments[i]);
        assert_int_equal(machine_next(begun, history->events[0].thread), moments[i]);
        assert_true(witness_check_after(rules, begun, moments[i], &claim, &complaint));
        /* The machine stays where it was. */
        assert_int_equal(machine_next(begun, history->events[0].thread), moments[i]);
    }
    const struct machine *begun = observed_run_at(&run, rules, 1);
    assert_false(witness_check_after(rules, begun, 1, &refused, &complaint));
    assert_int_equal(complaint.at, 1);
    assert_non_null(strstr(complaint.rule, "held cannot be acquired"));
    observed_run_free(&run);
    rules_destroy(rules);
    history_destroy(history);
    trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_from_the_recorded_run),
        cmocka_unit_test(accepts_a_hidden_race),
        cmocka_unit_test(names_program_order),
        cmocka_unit_test(names_the_ends),
        cmocka_unit_test(keeps_one_owner_a_lock),
        cmocka_unit_test(keeps_forks_and_joins),
        cmocka_unit_test(keeps_reads_under_rf_only),
        cmocka_unit_test(keeps_values_under_value),
        cmocka_unit_test(keeps_what_branches_depend_on),
        cmocka_unit_test(accepts_deadlocks_only),
        cmocka_unit_test(a_deadlock_has_no_smaller_one_in_it),
        cmocka_unit_test(a_try_closes_no_deadlock),
        cmocka_unit_test(waits_need_their_signal),
        cmocka_unit_test(barriers_and_semaphores_hold),
        cmocka_unit_test(atomics_see_the_same_in_every_model),
        cmocka_unit_test(relaxed_atomics_order_nothing),
        cmocka_unit_test(culprits_strike_inside_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
