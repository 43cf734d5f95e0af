/* Tiddle: what is read, what is printed, and what the errors say. */
#include "tiddle/reader.h"
#include "tiddle/writer.h"
#include "trace/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tiddle_text.h"

static void release(struct history *history, struct trace *trace)
{
    history_destroy(history);
    trace_close(trace);
}

static char *write_history(const struct history *history)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (uint32_t pos = 0; pos < history->count; pos++)
        tiddle_write_event(out, history->trace, &history->events[pos], pos + 1);
    fclose(out);
    return text;
}

static char *format(const char *text)
{
    struct error error = {0};
    char *formatted = NULL;
    size_t length;
    FILE *out = open_memstream(&formatted, &length);
    int code = tiddle_format_text(out, "t.tiddle", text, strlen(text), &error);
    fclose(out);
    if (code)
        fail_msg("%s", error.text);
    return formatted;
}

static void assert_error(const char *text, const char *wanted)
{
    struct error error = {0};
    struct trace *trace = tiddle_open_memory("t.tiddle", text, strlen(text));
    struct history *history = history_read(trace, &error);
    assert_null(history);
    assert_int_equal(error.code, ERROR_INPUT);
    assert_string_equal(error.text, wanted);
    trace_close(trace);
}

/* Canonical text with every operation, modifier and kind of name. */
static const char everything[] = "threadstart 0\n"
                                 "fork 0 1\n"
                                 "rd 1 x\n"
                                 "rd 1 x 0\n"
                                 "wr 1 x -1\n"
                                 "wr 1 \"a b\\\"\\\\\\t\\x01\" 18446744071562067968\n"
                                 "atomicr.acquire 1 a 1\n"
                                 "atomicw.relaxed 1 a\n"
                                 "atomiclook.acquire 1 a 7\n"
                                 "atomicrmw 1 a 7\n"
                                 "atomicrmw.acqrel 1 a\n"
                                 "fence.release 1\n"
                                 "fence 1\n"
                                 "alloc 1 h\n"
                                 "free 1 h\n"
                                 "acq 1 m\n"
                                 "tryacq! 0 m\n"
                                 "wait 1 c m\n"
                                 "tryacq 0 m\n"
                                 "notify 0 c\n"
                                 "notifyall 0 c\n"
                                 "rel 0 m\n"
                                 "woken 1 c m\n"
                                 "wait 1 c m\n"
                                 "woken! 1 c m\n"
                                 "rel 1 m\n"
                                 "rdacq 1 w\n"
                                 "tryrdacq 0 w\n"
                                 "rdrel 1 w\n"
                                 "rdrel 0 w\n"
                                 "wracq 1 w\n"
                                 "wrrel 1 w\n"
                                 "enter 1 b\n"
                                 "enter 0 b\n"
                                 "exit 0 b\n"
                                 "exit 1 b\n"
                                 "post 0 s\n"
                                 "semwait 1 s\n"
                                 "trysemwait! 1 s\n"
                                 "oncebegin 1 o\n"
                                 "onceend 1 o\n"
                                 "oncepass 0 o\n"
                                 "beg 1 block @file.c:12:3\n"
                                 "beg 1\n"
                                 "end 1\n"
                                 "branch 1\n"
                                 "end 1 block @\"odd place\"\n"
                                 "destroy! 0 w\n"
                                 "destroy 0 m\n"
                                 "badrel 1 w\n"
                                 "badacq 1 m\n"
                                 "badwait 1 m\n"
                                 "badjoin 1 0\n"
                                 "conddestroy 1 c\n"
                                 "bardestroy 1 b\n"
                                 "semdestroy! 1 s\n"
                                 "detach 0 1\n"
                                 "badcall 1 bad-count\n"
                                 "threadend 1\n"
                                 "join 0 1\n";

static void keeps_every_operation(void **state)
{
    (void)state;
    struct trace *trace;
    struct history *history = read_text(everything, &trace);
    uint64_t seen = 0;
    for (uint32_t pos = 0; pos < history->count; pos++)
        seen |= OP_BIT(history->events[pos].op);
    assert_true(seen == OPS_ALL);
    char *text = write_history(history);
    assert_string_equal(text, everything);
    free(text);
    release(history, trace);
}

static void reads_sadowskis_race(void **state)
{
    (void)state;
    struct trace *trace;
    struct history *history = read_text("# Section 24.2\nrd 1 x\nwr 2 x 1 # the other", &trace);
    assert_int_equal(history->count, 2);
    assert_int_equal(history->events[0].op, EVENT_READ);
    assert_false(history->events[0].flags & EVENT_HAS_VALUE);
    assert_string_equal(trace_location(trace, history->events[0].location), "2");
    assert_int_equal(history->events[1].op, EVENT_WRITE);
    assert_int_equal(history->events[1].value, 1);
    assert_string_equal(trace_name(trace, CLASS_THREAD, history->events[1].thread), "2");
    assert_string_equal(trace_location(trace, history->events[1].location), "3");
    release(history, trace);
}

static void takes_any_name(void **state)
{
    (void)state;
    struct trace *trace;
    struct history *history = read_text("rd rd rd\nwr 1 5 5\nrd T1 V234.23[0]\nwr é a@b\n", &trace);
    assert_int_equal(history->count, 4);
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, history->events[0].object), "rd");
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, history->events[1].object), "5");
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, history->events[2].object), "V234.23[0]");
    assert_string_equal(trace_name(trace, CLASS_VARIABLE, history->events[3].object), "a@b");
    release(history, trace);
}

static void errors_name_place_found_and_expected(void **state)
{
    (void)state;
    assert_error("rd 1\n", "t.tiddle:1:5: found the end of the line, expected a variable");
    assert_error("\n  acqq 1 m\n",
                 "t.tiddle:2:3: found 'acqq', expected an operation (rd, wr, acq, rel, fork, "
                 "join, beg, end, ...); did you mean 'acq'?");
    assert_error("rd 1 x y\n",
                 "t.tiddle:1:8: found 'y', expected a value, @location or the end of the line");
    assert_error("wait 1 c", "t.tiddle:1:9: found the end of the line, expected a lock");
    assert_error("acq @3", "t.tiddle:1:5: found '@3', expected a thread");
    assert_error("acq 1 \"m\n", "t.tiddle:1:7: found a quoted name that its line does not close, "
                                "expected a name or a value");
    assert_error("rd 1 x 18446744073709551616",
                 "t.tiddle:1:8: found '18446744073709551616', expected a value of 64 bits");
    assert_error("rd 1 \"\\x7c\"",
                 "t.tiddle:1:6: found '\\x7c', expected a name without NUL, line feed and '|'");
    assert_error("rd 1 x\n\n  rel 1 m",
                 "t.tiddle:3:3: thread 1 releases lock m, which it does not hold");
}

static void formatting_is_idempotent_and_keeps_lines(void **state)
{
    (void)state;
    char *once = format("#  a comment  \n\n\n   rd\t1   x  0x10#tail\r\nbeg 1 \"\"\nend 1 @\"9\"");
    assert_string_equal(once, "#  a comment\n\n\nrd 1 x 16 #tail\nbeg 1\nend 1 @9\n");
    char *twice = format(once);
    assert_string_equal(twice, once);
    free(once);
    free(twice);
    char *all = format(everything);
    assert_string_equal(all, everything);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_operation),
        cmocka_unit_test(reads_sadowskis_race),
        cmocka_unit_test(takes_any_name),
        cmocka_unit_test(errors_name_place_found_and_expected),
        cmocka_unit_test(formatting_is_idempotent_and_keeps_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
