/* What programs and excerpts are made of: completion, the limits of condition
 * variables, slices. */
#include "tiddle/complete.h"
#include "tiddle/conditions.h"
#include "tiddle/program.h"
#include "tiddle/reader.h"
#include "tiddle/slice.h"
#include "tiddle/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct read {
    struct trace *trace;
    struct history *history;
};

static struct read read_text(const char *text)
{
    struct error error = {0};
    struct read read = {tiddle_open_memory("t.tiddle", text, strlen(text)), NULL};
    read.history = history_read(read.trace, &error);
    if (!read.history)
        fail_msg("%s", error.text);
    return read;
}

static void release(struct read *read)
{
    history_destroy(read->history);
    trace_close(read->trace);
}

static void assert_completed(const char *text, const char *wanted)
{
    struct read read = read_text(text);
    struct completion completion;
    char *found = NULL;
    size_t length;
    tiddle_complete(read.trace, read.history, &completion);
    FILE *out = open_memstream(&found, &length);
    for (uint32_t pos = 0; pos < completion.history->count; pos++) {
        tiddle_write_operation(out, read.trace, &completion.history->events[pos]);
        putc(';', out);
    }
    fclose(out);
    assert_string_equal(found, wanted);
    free(found);
    completion_free(&completion);
    release(&read);
}

static void completes_forks_and_joins(void **state)
{
    (void)state;
    assert_completed("rd 1 x\nwr 2 x\n", "fork 0 1;fork 0 2;rd 1 x;wr 2 x;join 0 1;join 0 2;");
    assert_completed("wr 0 x\nwr 1 x\n", "fork 0 1;wr 0 x;wr 1 x;join 0 1;");
    assert_completed("fork a b\nwr b x\n", "fork a b;wr b x;join a b;");
    assert_completed("fork a b\nwr b x\njoin a b\n", "fork a b;wr b x;join a b;");
    /* The only root is joined, or asleep: it cannot be main(). */
    assert_completed("fork a b\njoin b a\n", "fork 0 a;fork a b;join b a;join 0 b;");
    assert_completed("acq 0 m\nwait 0 c m\n", "fork main 0;acq 0 m;wait 0 c m;");
}

/* `wanted` is the first event that glibc could not do, POS_NONE if there is none. */
static void assert_signals(const char *text, uint32_t wanted)
{
    struct read read = read_text(text);
    const char *reason = NULL;
    uint32_t broken;
    uint32_t *signal_of = conditions_plan(read.history, &broken, &reason);
    assert_int_equal(broken, wanted);
    assert_int_equal(signal_of != NULL, wanted == POS_NONE);
    /* Who returns by a signal has got one, after its wait and before its return. */
    for (uint32_t pos = 0; signal_of && pos < read.history->count; pos++) {
        const struct event *event = &read.history->events[pos];
        if (event->op != EVENT_WAIT_END || event->flags & EVENT_FAILED)
            continue;
        uint32_t begin = history_pos(read.history, event->thread, read.history->index[pos] - 1);
        assert_in_range(signal_of[begin], begin + 1, pos - 1);
    }
    free(signal_of);
    release(&read);
}

#define WAIT_1 "acq 1 m\nwait 1 c m\n"
#define WAIT_2 "acq 2 m\nwait 2 c m\n"
#define WAIT_3 "acq 3 m\nwait 3 c m\n"

static void knows_what_signals_can_do(void **state)
{
    (void)state;
    assert_signals(WAIT_1 "notify 0 c\nwoken 1 c m\n", POS_NONE);
    assert_signals(WAIT_1 WAIT_2 "notify 0 c\nwoken 2 c m\nrel 2 m\nnotify 0 c\nwoken 1 c m\n",
                   POS_NONE);
    assert_signals(WAIT_1 WAIT_2 "notifyall 0 c\nwoken 2 c m\nrel 2 m\nwoken 1 c m\n", POS_NONE);
    assert_signals(WAIT_1 "notify 0 c\n" WAIT_2 "notify 0 c\nwoken 2 c m\nrel 2 m\nwoken 1 c m\n",
                   POS_NONE);
    assert_signals(WAIT_1 "notify 0 c\n" WAIT_2 "notifyall 0 c\n", POS_NONE);
    assert_signals(WAIT_1 "woken! 1 c m\n", POS_NONE);
    /* The second signal goes to one of the first two, not to thread 3. */
    assert_signals(
        WAIT_1 WAIT_2 "notify 0 c\nwoken 1 c m\nrel 1 m\n" WAIT_3 "notify 0 c\nwoken 3 c m\n", 10);
    /* One broadcast would have to wake thread 2 and then wait for it. */
    assert_signals(WAIT_1 WAIT_2 "notify 0 c\nwoken 1 c m\nrel 1 m\n" WAIT_3 "notifyall 0 c\n", 9);
}

static void refuses_what_c_cannot_do(void **state)
{
    (void)state;
    struct error error = {0};
    struct program_options options = {.name = "t"};
    struct read read = read_text("wracq 1 m\nwait 1 c m\n");
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(tiddle_write_program(out, read.trace, read.history, &options, &error), -1);
    assert_int_equal(error.code, ERROR_INPUT);
    assert_non_null(strstr(error.text, "readers-writer lock"));
    fclose(out);
    free(text);
    release(&read);
}

/* As an engine that finds a race whenever both accesses are there, in order. */
static bool has_both(const struct event *events, uint32_t count, void *context)
{
    const struct finding *finding = context;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++)
        if (seen < 2 && events[i].location == finding->events[seen].location)
            seen++;
    return seen == 2;
}

static void slices_keep_the_error_and_its_locks(void **state)
{
    (void)state;
    struct read read = read_text("wr 1 a\nacq 1 m\nwr 1 b\nacq 1 n\nrel 1 n\nwr 1 x\nrel 1 m\n"
                                 "acq 2 m\nrel 2 m\nwr 2 x\nwr 2 a\n");
    uint32_t witness[] = {0, 1, 2, 3, 4, 5, 9};
    struct finding_event pair[2];
    struct finding finding = {.kind = FINDING_RACE,
                              .events = pair,
                              .event_count = 2,
                              .witness = witness,
                              .witness_length = 7};
    finding_event_fill(&pair[0], &read.history->events[5], 5, 5);
    finding_event_fill(&pair[1], &read.history->events[9], 9, 2);
    struct slice slice = {.history = read.history,
                          .finding = &finding,
                          .shows = has_both,
                          .context = &finding,
                          .tests = 100};
    uint32_t count;
    struct event *events = slice_finding(&slice, &count);
    assert_non_null(events);
    assert_int_equal(count, 4);
    assert_int_equal(events[0].op, EVENT_ACQUIRE);
    assert_int_equal(events[1].location, pair[0].location);
    assert_int_equal(events[2].location, pair[1].location);
    assert_int_equal(events[3].op, EVENT_RELEASE);
    free(events);
    release(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completes_forks_and_joins),
        cmocka_unit_test(knows_what_signals_can_do),
        cmocka_unit_test(refuses_what_c_cannot_do),
        cmocka_unit_test(slices_keep_the_error_and_its_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
