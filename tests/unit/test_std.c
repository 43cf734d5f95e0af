#include "base/array.h"
#include "trace/formats.h"
#include "trace/history.h"
#include "trace/std_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct history *read_text(const char *text, struct error *error)
{
    struct trace *trace = std_open_memory("t.std", text, strlen(text));
    struct history *history = history_read(trace, error);
    if (!history)
        trace_close(trace);
    return history;
}

static void history_close(struct history *history)
{
    struct trace *trace = (struct trace *)history->trace;
    history_destroy(history);
    trace_close(trace);
}

static void assert_count(const char *text, uint32_t wanted)
{
    struct error error = {0};
    struct history *history = read_text(text, &error);
    if (!history)
        fail_msg("%s", error.text);
    assert_int_equal(history->count, wanted);
    history_close(history);
}

static void assert_refused(const char *text, const char *reason)
{
    struct error error = {0};
    struct history *history = read_text(text, &error);
    if (history)
        fail_msg("accepted: %s", text);
    assert_int_equal(error.code, ERROR_INPUT);
    if (!strstr(error.text, reason))
        fail_msg("expected '%s' in '%s'", reason, error.text);
}

static void reads_operands_as_plain_strings(void **state)
{
    (void)state;
    struct error error = {0};
    struct history *history = read_text("T0|r(V234.23[0])|12\nT0|w(a(b)c)|13\n", &error);
    assert_non_null(history);
    assert_string_equal(trace_name(history->trace, CLASS_VARIABLE, 0), "V234.23[0]");
    assert_string_equal(trace_name(history->trace, CLASS_VARIABLE, 1), "a(b)c");
    assert_string_equal(trace_location(history->trace, history->events[1].location), "13");
    history_close(history);
}

static void drops_reentrant_pairs_and_dummies(void **state)
{
    (void)state;
    assert_count("A|acq(l)|1\nA|acq(l)|2\nA|rel(l)|3\nA|dummy(x)|3\nA|rel(l)|4\nB|acq(l)|5\n", 3);
    assert_count("A|rdacq(l)|1\nA|rdacq(l)|2\nB|rdacq(l)|3\nA|rdrel(l)|4\nA|rdrel(l)|5\n", 3);
    assert_count("\n\nA|r(x)|1\r\n", 1);
    assert_count("\r\r\nA|r(x)|1\r\r\n", 1);
    assert_count("", 0);
}

static void refuses_what_is_malformed(void **state)
{
    (void)state;
    assert_refused("A|r(x)|1\nA|rel(l)|2\n",
                   "t.std:2: thread A releases lock l, which it does not");
    assert_refused("A|acq(l)|1\nB|rel(l)|2\n", "thread B releases lock l, which thread A holds");
    assert_refused("A|acq(l)|1\nB|acq(l)|2\n", "thread B acquires lock l, which thread A holds");
    assert_refused("A|acq(l)|1\nB|rdacq(l)|2\n", "which thread A holds");
    assert_refused("A|rdacq(l)|1\nB|wracq(l)|2\n", "held for reading");
    assert_refused("B|r(x)|1\nA|fork(B)|2\n", "thread B has events before its fork");
    assert_refused("A|fork(B)|1\nA|join(B)|2\nB|r(x)|3\n", "t.std:3: thread B has an event after");
    assert_refused("A|fork(A)|1\n", "forks itself");
    assert_refused("A|fork(B)|1\nC|fork(B)|2\n", "a second time");
    assert_refused("A|frob(x)|1\n", "unknown operation 'frob'");
    assert_refused("|r(x)|1\n", "the first field, the thread, is empty");
    assert_refused("A||1\n", "expected op(operand)");
    assert_refused("A|(x)|1\n", "the second field has no operation");
    assert_refused("A|r(x)|\n", "the third field, the location, is empty");
    assert_refused("A|r(x)\n", "the third field, the location, is missing");
    assert_refused("A|r()|1\n", "the operand is empty after 'r'");
    assert_refused("hello\n", "expected thread|op(operand)|location");
    assert_refused("A|wait(c)|1\n", "expected two operands");
    assert_refused("A|wait(c,m)|1\n", "waits with lock m, which it does not hold");
    assert_refused("A|acq(m)|1\nA|woken(c,m)|2\n", "woken from a wait it did not begin");
    assert_refused("A|acq(m)|1\nA|wait(c,m)|2\nA|r(x)|3\n", "while it waits at condition c");
    assert_refused("A|enter(b)|1\nA|r(x)|2\n", "while it waits at barrier b");
    assert_refused("A|exit(b)|1\n", "which it did not enter");
    assert_refused("A|end(f)|1\n", "none is open");
    assert_refused("A|begin(f)|1\nA|end(g)|2\n", "ends block 'g' inside block 'f'");
    assert_refused("A|oncepass(o)|1\n", "before its end");
    assert_refused("A|r(x)=|1\n", "expected =value");
    assert_refused("A|acq(x)=3|1\n", "expected =value");
    assert_refused("A|acq!(x)|1\n", "unknown operation 'acq!'");
    assert_refused("A|tryacq!(x)|1\n", "fails to acquire lock x, which is free");
}

static void refuses_nul_bytes_and_long_lines(void **state)
{
    (void)state;
    struct error error = {0};
    static const char nul[] = "A|r(x\0y)|1\n";
    struct trace *trace = std_open_memory("n.std", nul, sizeof nul - 1);
    assert_null(history_read(trace, &error));
    assert_non_null(strstr(error.text, "n.std:1: the line holds a NUL byte"));
    trace_close(trace);

    size_t length = 70000;
    char *line = memory_alloc(length + 1, 1);
    memset(line, 'x', length);
    line[length] = '\0';
    assert_refused(line, "longer than 65536 bytes");
    free(line);
}

static void marks_waits_that_no_signal_ended(void **state)
{
    (void)state;
    struct error error = {0};
    struct history *history = read_text("A|acq(m)|1\nA|wait(c,m)|2\nB|notify(c)|3\nA|woken(c,m)|4\n"
                                        "A|wait(c,m)|5\nA|woken(c,m)|6\n",
                                        &error);
    assert_non_null(history);
    assert_int_equal(history->events[3].flags & EVENT_FAILED, 0);
    assert_int_equal(history->events[5].flags & EVENT_FAILED, EVENT_FAILED);
    history_close(history);
}

static void numbers_barrier_instances(void **state)
{
    (void)state;
    struct error error = {0};
    struct history *history = read_text("A|enter(b)|1\nB|enter(b)|2\nA|exit(b)|3\nA|enter(b)|4\n"
                                        "B|exit(b)|5\nB|enter(b)|6\nB|exit(b)|7\n",
                                        &error);
    assert_non_null(history);
    const uint32_t wanted[] = {0, 0, 0, 1, 0, 1, 1};
    for (int i = 0; i < 7; i++)
        assert_int_equal(history->events[i].other, wanted[i]);
    assert_int_equal(trace_barrier_parties(history->trace, 0), 2);
    assert_int_equal(trace_barrier_parties(history->trace, 1), 2);
    history_close(history);
}

static void infers_semaphore_counts(void **state)
{
    (void)state;
    struct error error = {0};
    struct history *history =
        read_text("A|semwait(s)|1\nA|post(s)|2\nA|semwait(s)|3\nB|semwait(s)|4\n", &error);
    assert_non_null(history);
    assert_int_equal(trace_semaphore_initial(history->trace, 0), 2);
    history_close(history);
}

static void writes_what_it_reads(void **state)
{
    (void)state;
    static const char text[] = "A|fork(B)|0\n"
                               "A|r(x)=18446744073709551615|1\nA|atomicrmw.acqrel(x)=3|2\n"
                               "A|fence.release()|3\nA|begin()|4\nA|end()|5\nA|branch()|6\n"
                               "A|acq(m)|7\nB|tryacq!(m)|8\nA|wait(c,m)|9\nB|acq(m)|10\n"
                               "B|notifyall(c)|11\nB|rel(m)|12\nA|woken(c,m)|13\nA|rel(m)|14\n"
                               "B|trysemwait!(s)|15\nB|rdacq(w)|16\nB|rdrel(w)|17\n"
                               "B|oncebegin(o)|18\nB|onceend(o)|19\nA|oncepass(o)|20\n"
                               "A|alloc(h)|21\nA|free(h)|22\nB|threadend()|23\nA|join(B)|24|25\n";
    struct error error = {0};
    struct history *history = read_text(text, &error);
    if (!history)
        fail_msg("%s", error.text);
    char *written = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&written, &length);
    for (uint32_t pos = 0; pos < history->count; pos++)
        std_write_event(out, history->trace, &history->events[pos]);
    fclose(out);
    assert_string_equal(written, text);
    free(written);
    history_close(history);
}

static void holds_a_million_names(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (int i = 0; i < 1000000; i++)
        fprintf(out, "T|w(variable%d)|%d\n", i, i);
    fclose(out);
    struct error error = {0};
    struct trace *trace = std_open_memory("many.std", text, length);
    const struct event *batch;
    long count;
    while ((count = trace_next(trace, &batch, &error)) > 0)
        ;
    assert_int_equal(count, 0);
    assert_int_equal(trace_count(trace, CLASS_VARIABLE), 1000000);
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, 999999), "variable999999");
    trace_close(trace);
    free(text);
}

static void indexes_threads_and_forks(void **state)
{
    (void)state;
    struct error error = {0};
    struct history *history =
        read_text("A|w(x)|1\nA|fork(B)|2\nB|r(x)|3\nA|w(x)|4\nA|join(B)|5\n", &error);
    assert_non_null(history);
    assert_int_equal(history->fork_of[1], 1);
    assert_int_equal(history->join_of[1], 4);
    assert_int_equal(history->index[4], 3);
    assert_int_equal(history_pos(history, 0, 2), 3);
    assert_int_equal(history_thread_length(history, 1), 1);
    assert_int_equal(history->reads_from[2], 0);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_operands_as_plain_strings),
        cmocka_unit_test(drops_reentrant_pairs_and_dummies),
        cmocka_unit_test(refuses_what_is_malformed),
        cmocka_unit_test(refuses_nul_bytes_and_long_lines),
        cmocka_unit_test(marks_waits_that_no_signal_ended),
        cmocka_unit_test(numbers_barrier_instances),
        cmocka_unit_test(infers_semaphore_counts),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(holds_a_million_names),
        cmocka_unit_test(indexes_threads_and_forks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
