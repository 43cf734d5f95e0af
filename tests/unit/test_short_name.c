#include "report/short_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *name, const char *wanted)
{
    char *found = short_name(name);
    assert_string_equal(found, wanted);
    free(found);
}

static void plain_names_stay(void **state)
{
    (void)state;
    expect("main", "main");
    expect("account[2].lock", "account[2].lock");
    expect("app::config.height", "app::config.height");
    expect("f(int, char const*)", "f(int, char const*)");
}

static void defaults_go(void **state)
{
    (void)state;
    expect("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
           "append(char const*)",
           "std::string::append(char const*)");
    expect("std::vector<int, std::allocator<int> >::push_back(int const&)",
           "std::vector<int>::push_back(int const&)");
    expect("std::map<int, std::vector<long, std::allocator<long> >, std::less<int>, "
           "std::allocator<std::pair<int const, std::vector<long, std::allocator<long> > > > >"
           "::clear()",
           "std::map<int, std::vector<long>>::clear()");
    expect("pool<std::allocator<int> >", "pool<std::allocator<int>>"); /* its first: no default */
    expect("f(int) [clone .constprop.0]", "f(int)");
}

static void operators_are_no_brackets(void **state)
{
    (void)state;
    expect("a::operator<(a const&) const", "a::operator<(a const&) const");
    expect("a::operator<<(int)", "a::operator<<(int)");
    expect("a::operator()(std::vector<int, std::allocator<int> >)",
           "a::operator()(std::vector<int>)");
    expect("a::operator->() const", "a::operator->() const");
    expect("std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
           "std::operator<< <std::char_traits<char>>(std::ostream&, char const*)");
}

/* Whatever its size, a name fits, says how it ends, and its brackets match or are cut in front. */
static void long_ones_are_folded(void **state)
{
    (void)state;
    for (unsigned depth = 1; depth < 200; depth++) {
        char *name;
        size_t length;
        FILE *out = open_memstream(&name, &length);
        fputs("outer::", out);
        for (unsigned i = 0; i < depth; i++)
            fprintf(out, "wrapper_%u<first_argument, ", i);
        fputs("int", out);
        for (unsigned i = 0; i < depth; i++)
            fputs(" >", out);
        fputs("::step(long, std::vector<int, std::allocator<int> > const&)", out);
        fclose(out);
        char *found = short_name(name);
        assert_true(strlen(found) <= SHORT_NAME_LENGTH);
        assert_non_null(strstr(found, "step("));
        assert_non_null(strstr(found, "wrapper_0<"));
        if (depth > 3)
            assert_non_null(strstr(found, "..."));
        free(found);
        free(name);
    }
}

static void nothing_breaks_it(void **state)
{
    (void)state;
    static const char *const odd[] = {"a<",
                                      ">",
                                      "a::>b<",
                                      "<<<<<<",
                                      "operator(",
                                      "a(((((",
                                      "::",
                                      "operator<",
                                      ", std::allocator<",
                                      "a<b, std::less<"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        free(short_name(odd[i]));
    char longest[9000];
    memset(longest, '<', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    char *found = short_name(longest);
    assert_true(strlen(found) <= SHORT_NAME_LENGTH);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names_stay),          cmocka_unit_test(defaults_go),
        cmocka_unit_test(operators_are_no_brackets), cmocka_unit_test(long_ones_are_folded),
        cmocka_unit_test(nothing_breaks_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
