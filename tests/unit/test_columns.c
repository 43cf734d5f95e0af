#include "report/columns.h"
#include "report/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, size_t width, const char *wanted)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    columns_print(out, text, width);
    fclose(out);
    assert_string_equal(bytes, wanted);
    free(bytes);
}

static void text_is_padded_and_cut(void **state)
{
    (void)state;
    expect("abc", 5, "abc  ");
    expect("abcdef", 6, "abcdef");
    expect("abcdefg", 6, "abc...");
    expect("abc", 2, "..");
}

static void around(const char *text, size_t width, size_t at, const char *wanted)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    columns_around(out, text, width, at);
    fclose(out);
    assert_string_equal(bytes, wanted);
    free(bytes);
}

static void a_long_line_shows_what_it_is_about(void **state)
{
    (void)state;
    around("abcdefghij", 10, 9, "abcdefghij");
    around("abcdefghijklmnopqrst", 12, 2, "abcdefghi...");
    around("abcdefghijklmnopqrst", 12, 12, "...ijklmn...");
    around("abcdefghijklmnopqrst", 12, 19, "...pqrst");
    around("abcdefghijklmnopqrst", 12, 99, "abcdefghi...");
    /* Not from the middle of a character. */
    around("abcdef\u6f22\u5b57mnopqrstu", 12, 14, "...\u5b57mnop...");
}

static void wide_characters_take_two_cells(void **state)
{
    (void)state;
    assert_int_equal(columns_width("\u6f22\u5b57"), 4);
    expect("\u6f22\u5b57", 5, "\u6f22\u5b57 ");
    expect("\u6f22\u5b57\u6f22\u5b57", 7, "\u6f22\u5b57...");
    expect("\u6f22\u5b57\u6f22\u5b57", 6, "\u6f22... "); /* half a character does not fit */
    assert_int_equal(columns_width("e\u0301"), 1);
}

static void what_is_not_text_is_made_visible(void **state)
{
    (void)state;
    expect("\033[31m", 8, "\\x1b[31m");
    expect("\377", 4, "\\xff");
    expect("\n", 4, "\\x0a");
}

static void places_are_taken_apart(void **state)
{
    (void)state;
    size_t length;
    assert_int_equal(place_line("a/b.c:12:5", &length), 12);
    assert_int_equal(length, 5);
    assert_int_equal(place_line("a/b.c:12", &length), 12);
    assert_int_equal(length, 5);
    assert_int_equal(place_line("17", &length), 0);
    assert_int_equal(place_line("libc.so.6+0x12", &length), 0);
    assert_int_equal(place_line(":5", &length), 0);
    assert_string_equal(place_base("a/b.c:12"), "b.c:12");
}

static void names_are_demangled(void **state)
{
    (void)state;
    char *plain = demangle("main"), *broken = demangle("_Z!");
    assert_string_equal(plain, "main");
    assert_string_equal(broken, "_Z!");
    free(plain);
    free(broken);
    char *function = demangle("_ZN1a1bEv"), *place = demangle("_ZN1a1bEv+0x1c");
    char *second = demangle("_ZL6status+16#2");
    if (strcmp(function, "a::b()") == 0) { /* the C++ library is there */
        assert_string_equal(place, "a::b()+0x1c");
        assert_string_equal(second, "status+16#2");
    }
    free(function);
    free(place);
    free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_padded_and_cut),
        cmocka_unit_test(a_long_line_shows_what_it_is_about),
        cmocka_unit_test(wide_characters_take_two_cells),
        cmocka_unit_test(what_is_not_text_is_made_visible),
        cmocka_unit_test(places_are_taken_apart),
        cmocka_unit_test(names_are_demangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
