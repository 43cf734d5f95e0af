/* CSPM output: every model is well-formed by a parser that does not know the
 * writer, and the papers' example comes out in the papers' shape. */
#include "cspm_syntax.h"
#include "oracle/generator.h"
#include "csp/cspm.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the headers above first */
#include <cmocka.h>

static char *model_as(const struct history *history, bool per_pair)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cspm_write(out, history, per_pair);
    fclose(out);
    return text;
}

static char *model_of(const struct history *history)
{
    return model_as(history, false);
}

static char *model_of_file(const char *name)
{
    char path[512];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s", TRACES, name);
    struct trace *trace = trace_open(path, &error);
    if (!trace)
        fail_msg("%s", error.text);
    struct history *history = history_read(trace, &error);
    if (!history)
        fail_msg("%s", error.text);
    char *text = model_of(history);
    history_destroy(history);
    trace_close(trace);
    return text;
}

static void expect_good(const char *name, const char *text)
{
    struct cspm_syntax_error error;
    if (!cspm_syntax_check(text, &error))
        fail_msg("%s, line %u: %s\n%s", name, error.line, error.text, text);
}

static void test_papers_shape(void **state)
{
    (void)state;
    char *text = model_of_file("000-fig1-csp-model.std");
    static const char *const lines[] = {
        ("THREAD_t2 = start.t2 -> lock.t2.m -> write.t2.x -> unlock.t2.m -> write.t2.y ->\n"
         "    end.t2 -> SKIP\n"),
        "MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)\n",
        "FORK(i) = fork?t!i -> start.i -> STOP\n",
        "assert STOP [T= (PROGRAM [| union(rw_set, sync_set) |] RACE(y)) \\ diff(Events, {race})\n",
        "assert LIVE [F= (PROGRAM \\ diff(Events, {live})) ; LIVE\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("missing: %s\nin:\n%s", lines[i], text);
    expect_good("figure 1", text);
    free(text);
}

static void test_figures(void **state)
{
    (void)state;
    DIR *directory = opendir(TRACES);
    assert_non_null(directory);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".std") != 0)
            continue;
        char *text = model_of_file(entry->d_name);
        expect_good(entry->d_name, text);
        free(text);
        count++;
    }
    closedir(directory);
    assert_true(count > 40);
}

static void test_random(void **state)
{
    (void)state;
    static const char *const shapes[] = {"all",        "rwlocks", "conditions", "barriers",
                                         "semaphores", "tries",   "atomics",    "large-all"};
    struct error error = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t seed = 0; seed < (i == 7 ? 5 : 60); seed++) {
            struct shape shape;
            struct sample sample;
            assert_int_equal(shape_parse(&shape, shapes[i], &error), 0);
            assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
            char *text = model_of(sample.history);
            expect_good(shapes[i], text);
            free(text);
            text = model_as(sample.history, true);
            expect_good(shapes[i], text);
            free(text);
            sample_free(&sample);
        }
}

/* Names of a trace may be anything, CSPM's words and the model's own included. */
static void test_names(void **state)
{
    (void)state;
    static const char trace[] = "t|w(t)|1\nt|acq(MUTEX)|1\nt|rel(MUTEX)|1\n"
                                "STOP|w(t)|2\nSTOP|acq(lock)|2\nSTOP|rel(lock)|2\n"
                                "0x7f|r(V1.2[0])|3\nt|w(V1.2[0])|3\nlet|w(V1_2_0_)|4\n"
                                "t|r(V1_2_0_)|4\nif|acq(m)|5\nif|rel(m)|5\n";
    struct sample sample;
    struct error error = {0};
    if (sample_read(&sample, strdup(trace), strlen(trace), &error))
        fail_msg("%s", error.text);
    char *text = model_of(sample.history);
    expect_good("names", text);
    free(text);
    sample_free(&sample);
}

/* The parser is worth its name: what is wrong is rejected. */
static void test_rejects(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "A = b -> STOP",                                     /* b unknown */
        "datatype T = x\nchannel c : T\nA = c -> STOP",      /* field missing */
        "datatype T = x\nchannel c : T\nA = c.x.x -> STOP",  /* field too many */
        "datatype T = x\nchannel c : T\nA(x) = c.x -> STOP", /* pattern */
        "datatype T = x | x",                                /* twice */
        "channel c\nA = c -> ",                              /* nothing follows */
        "channel c\nA = c STOP",                             /* arrow missing */
        "channel c\nA = B",                                  /* B undefined */
        "channel c\nB(i) = c -> STOP\nA = B",                /* argument missing */
        "channel c\nA = (c -> STOP",                         /* bracket open */
        "channel c\nA = STOP [| {| d |} |] STOP",            /* no channel */
        "channel c\nA = STOP\nassert A",                     /* no refinement */
        "channel c\nassert STOP [T= c",                      /* an event alone */
        "datatype = x",
        "A = STOP $ STOP",
    };
    struct cspm_syntax_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (cspm_syntax_check(wrong[i], &error))
            fail_msg("accepted: %s", wrong[i]);
    expect_good("a good one", "datatype T = x\nchannel c : T\nA(i) = c.i -> c?t -> A(t)\n"
                              "assert STOP [T= A(x) \\ Events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_papers_shape), cmocka_unit_test(test_figures),
        cmocka_unit_test(test_random),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_rejects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
