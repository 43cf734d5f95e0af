/* What schedules list, how they are read back, and whom signals wake in a replay. */
#include "replay/access_order.h"
#include "replay/expected_step.h"
#include "runtime/played_waits.h"
#include "trace/formats.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

_Atomic _Bool system_sealed; /* of the runtime, of which only a part is here */

/* --- accesses ---------------------------------------------------------------------- */

struct question {
    const char *text;
    struct finding finding;
    uint32_t witness[16];
    enum schedule_detail detail;
};

/* "0110": which places of the witness, but for the error's own, are listed; "" if none. */
static const char *listed(struct question question)
{
    static char answer[17];
    struct error error = {0};
    struct trace *trace = std_open_memory("t.std", question.text, strlen(question.text));
    struct history *history = history_read(trace, &error);
    if (!history)
        fail_msg("%s", error.text);
    struct finding *finding = &question.finding;
    struct finding_event events[3];
    for (uint32_t i = 0; i < finding->event_count; i++) {
        uint32_t at = finding->kind == FINDING_ATOMICITY
                          ? question.witness[12 + i] /* begin, end, culprit */
                          : question.witness[finding->witness_length - finding->event_count + i];
        finding_event_fill(&events[i], &history->events[at], at, history->index[at]);
    }
    finding->events = events;
    finding->witness = question.witness;
    uint32_t prefix =
        finding->witness_length - (finding->kind == FINDING_ATOMICITY ? 0 : finding->event_count);
    bool *places = access_order_find(history, finding, prefix, question.detail);
    answer[0] = 0;
    for (uint32_t i = 0; places && i < prefix; i++)
        strcat(answer, places[i] ? "1" : "0");
    free(places);
    history_destroy(history);
    trace_close(trace);
    return answer;
}

#define RACE(length)                                                                               \
    {                                                                                              \
        .kind = FINDING_RACE, .model = MODEL_RF, .event_count = 2, .witness_length = (length)      \
    }

/* 0 w(f) 1 w(x) | 2 r(f) 3 w(x): B sees A's flag without any synchronisation. */
#define FLAG "A|w(f)|1\nA|w(x)|2\nB|r(f)|3\nB|w(x)|4\n"

static void lists_what_nothing_orders(void **state)
{
    (void)state;
    struct question question = {FLAG, RACE(4), {0, 2, 1, 3}, SCHEDULE_NEEDED};
    assert_string_equal(listed(question), "11");
    question.detail = SCHEDULE_PLAIN;
    assert_string_equal(listed(question), "");
    question.detail = SCHEDULE_FINE;
    assert_string_equal(listed(question), "11");
}

static void lists_nothing_for_a_candidate(void **state)
{
    (void)state;
    struct question question = {FLAG, RACE(4), {0, 2, 1, 3}, SCHEDULE_NEEDED};
    question.finding.model = MODEL_SYNC; /* which kept no reads */
    assert_string_equal(listed(question), "");
}

/* 0 w(f) 1 acq 2 rel 3 w(x) | 4 acq 5 r(f) 6 rel 7 w(x): the steps keep f in order. */
#define LOCKED                                                                                     \
    "A|w(f)|1\nA|acq(l)|2\nA|rel(l)|3\nA|w(x)|4\nB|acq(l)|5\nB|r(f)|6\nB|rel(l)|7\nB|w(x)|8\n"

static void steps_order_accesses_too(void **state)
{
    (void)state;
    struct question question = {LOCKED, RACE(8), {0, 1, 2, 4, 5, 6, 3, 7}, SCHEDULE_NEEDED};
    assert_string_equal(listed(question), "");
    question.detail = SCHEDULE_FINE;
    assert_string_equal(listed(question), "100010");
}

/* 0 r(f) | 1 acq 2 rel 3 w(f) | ...: a write must not come before the read. */
static void keeps_reads_before_later_writes(void **state)
{
    (void)state;
    struct question question = {"A|r(f)|1\nB|acq(l)|2\nB|rel(l)|3\nB|w(f)|4\nA|w(x)|5\nB|w(x)|6\n",
                                RACE(6),
                                {1, 2, 0, 3, 4, 5},
                                SCHEDULE_NEEDED};
    assert_string_equal(listed(question), "0011");
}

/* The same code touches g in the same breath: it must be told apart from f. */
static void lists_what_looks_alike(void **state)
{
    (void)state;
    struct question question = {"A|w(g)|1\nA|w(f)|1\nA|w(x)|2\nB|r(f)|3\nB|w(x)|4\n",
                                RACE(5),
                                {0, 1, 3, 2, 4},
                                SCHEDULE_NEEDED};
    assert_string_equal(listed(question), "111");
}

/* Window 0 r(a) .. 1 w(b) of A, culprit 2 w(c) of B: three variables, one order. */
static void orders_a_window(void **state)
{
    (void)state;
    struct question question = {
        "A|r(a)|1\nA|w(b)|2\nB|w(c)|3\n",
        {.kind = FINDING_ATOMICITY, .model = MODEL_RF, .event_count = 3, .witness_length = 3},
        {0, 2, 1, [12] = 0, 1, 2},
        SCHEDULE_NEEDED};
    assert_string_equal(listed(question), "111");
}

/* --- reading a schedule -------------------------------------------------------------- */

static void names_the_step_that_was_to_come(void **state)
{
    (void)state;
    char path[] = "/tmp/test_replay_XXXXXX";
    int file = mkstemp(path);
    static const char text[] = "preplay-schedule 3\nthread 0 T0\nstep 0 0 threadstart\n"
                               "thread 1 T0.1\naccess 1 0 r 4711 /a b\nstep 1 0 acq\n"
                               "target 1 1 w 12 /a b\nend\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    struct expected_step step;
    assert_true(expected_step_read(&step, path, 1));
    assert_string_equal(step.name, "T0.1");
    assert_string_equal(step.op, "an access");
    assert_true(expected_step_read(&step, path, 2));
    assert_string_equal(step.op, "acq");
    assert_false(expected_step_read(&step, path, 3));
    unlink(path);
    assert_false(expected_step_read(&step, path, 0));
}

/* --- waits --------------------------------------------------------------------------- */

static void *wait_for_signal(void *wait)
{
    return played_wait_sleep(wait) ? wait : NULL;
}

static bool wakes(struct played_wait *wait)
{
    pthread_t thread;
    void *woken;
    pthread_create(&thread, NULL, wait_for_signal, wait);
    pthread_join(thread, &woken);
    return woken == wait;
}

static void a_signal_wakes_who_waits_longest(void **state)
{
    (void)state;
    struct played_wait first, second, other;
    assert_false(played_waits_wake(1, false)); /* nobody is there: it is lost */
    played_wait_begin(&other, 2);
    played_wait_begin(&first, 1);
    played_wait_begin(&second, 1);
    assert_true(played_waits_wake(1, false));
    assert_true(wakes(&first));
    played_wait_end(&first);
    played_waits_look(); /* who is asleep looks up, and finds no signal */
    assert_false(wakes(&second));
    assert_false(wakes(&other));
    assert_true(played_waits_wake(1, true));
    assert_true(wakes(&second));
    assert_false(played_waits_wake(1, true));
    played_wait_end(&second);
    played_wait_end(&other);
}

static void the_schedule_ends_another_wait(void **state)
{
    (void)state;
    struct played_wait first, second;
    played_wait_begin(&first, 1);
    played_wait_begin(&second, 1);
    assert_true(played_waits_wake(1, false));
    played_wait_end(&second); /* it got the signal that first was given */
    played_waits_look();
    assert_false(wakes(&first));
    assert_true(played_waits_wake(1, false));
    assert_true(wakes(&first));
    played_wait_end(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_what_nothing_orders),
        cmocka_unit_test(lists_nothing_for_a_candidate),
        cmocka_unit_test(steps_order_accesses_too),
        cmocka_unit_test(keeps_reads_before_later_writes),
        cmocka_unit_test(lists_what_looks_alike),
        cmocka_unit_test(orders_a_window),
        cmocka_unit_test(names_the_step_that_was_to_come),
        cmocka_unit_test(a_signal_wakes_who_waits_longest),
        cmocka_unit_test(the_schedule_ends_another_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
