#include "report/suppressions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void patterns_match_as_in_tsan(void **state)
{
    (void)state;
    assert_true(suppression_pattern("foo", "foo"));
    assert_true(suppression_pattern("foo", "a_foo_b"));
    assert_false(suppression_pattern("^foo", "a_foo"));
    assert_true(suppression_pattern("^foo", "foo_b"));
    assert_true(suppression_pattern("foo$", "a_foo"));
    assert_false(suppression_pattern("foo$", "foo_b"));
    assert_true(suppression_pattern("^foo$", "foo"));
    assert_false(suppression_pattern("^foo$", "foo2"));
    assert_true(suppression_pattern("a*c*e", "xabcdex"));
    assert_false(suppression_pattern("a*e*c", "abcde"));
    assert_true(suppression_pattern("^a*a*b$", "aaab"));
    assert_true(suppression_pattern("^std::*::push", "std::vector<int>::push_back"));
    assert_true(suppression_pattern("*", ""));
    assert_false(suppression_pattern("x", ""));
    assert_false(suppression_pattern("a.b", "axb")); /* a dot is a dot */
}

static struct suppressions *read_text(const char *text, struct error *error)
{
    char path[] = "/tmp/preplay-suppressions-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    fputs(text, out);
    fclose(out);
    struct suppressions *suppressions = suppressions_read(path, error);
    remove(path);
    return suppressions;
}

static void files_of_tsan_are_read(void **state)
{
    (void)state;
    struct error error = {0};
    struct suppressions *read = read_text("# comment\n\n  race:foo\nmutex:bar\r\nthread:baz\n"
                                          "signal:x\nrace_top:^main$\ncalled_from_lib:libz.so\n",
                                          &error);
    assert_non_null(read);
    size_t at = 0;
    assert_string_equal(suppressions_unused(read, &at), "race:foo");
    assert_string_equal(suppressions_unused(read, &at), "mutex:bar");
    assert_string_equal(suppressions_unused(read, &at), "thread:baz");
    assert_string_equal(suppressions_unused(read, &at), "signal:x");
    assert_string_equal(suppressions_unused(read, &at), "race_top:^main$");
    assert_string_equal(suppressions_unused(read, &at), "called_from_lib:libz.so");
    assert_null(suppressions_unused(read, &at));
    suppressions_free(read);
}

static void a_broken_line_is_named(void **state)
{
    (void)state;
    static const char *const texts[] = {"race:a\nrice:b\n", "race:a\nfoo\n", "race:a\nrace:\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error error = {0};
        assert_null(read_text(texts[i], &error));
        assert_int_equal(error.code, ERROR_INPUT);
        assert_non_null(strstr(error.text, ":2:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_in_tsan),
        cmocka_unit_test(files_of_tsan_are_read),
        cmocka_unit_test(a_broken_line_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
