/* SPDX-License-Identifier: MIT */
#include "report/short_name.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- words --------------------------------------------------------------------------- */

struct replacement {
    const char *from, *to;
};

static const struct replacement before[] = {
    {"std::__cxx11::", "std::"},
    {"std::__1::", "std::"},
    {"(anonymous namespace)::", ""},
    {"> >", ">>"},
};

/* Once default arguments are gone. */
static const struct replacement after[] = {
    {"std::basic_string<char>", "std::string"},
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::basic_ostream<char>", "std::ostream"},
    {"std::basic_istream<char>", "std::istream"},
    {"std::basic_iostream<char>", "std::iostream"},
};

/* In place; no replacement is longer than what it replaces. */
static void replace_all(char *text, const struct replacement *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = strlen(words[i].from), to = strlen(words[i].to);
        for (char *at = text; (at = strstr(at, words[i].from));) {
            memcpy(at, words[i].to, to);
            memmove(at + to, at + from, strlen(at + from) + 1);
            at += from == to ? to : 0; /* "> > >": what is left may begin another */
        }
    }
}

/* "f(int) [clone .constprop.0]", and what follows such a mark. */
static void drop_clones(char *text)
{
    char *mark = strstr(text, " [clone ");
    if (mark)
        *mark = '\0';
}

/* --- brackets ------------------------------------------------------------------------ */

/* Does a bracket at `at` belong to the name of an operator: <, <<, <=, ->, (), ...? */
static bool is_operator(const char *text, const char *at)
{
    static const char word[] = "operator";
    const char *start = at;
    while (start > text && strchr("<>=-()", start[-1]))
        start--;
    size_t length = sizeof word - 1;
    if ((size_t)(start - text) < length || strncmp(start - length, word, length) != 0)
        return false;
    /* "operator()(int)" and "operator<< <char>": only the first of a kind is the name's. */
    return *at != '(' ? at - start < 2 : at == start;
}

/* The end of the bracket that opens at `at`, past it; NULL if it is never closed. */
static char *bracket_end(const char *text, char *at)
{
    unsigned depth = 0;
    for (; *at; at++) {
        if (strchr("<({[", *at) && !is_operator(text, at))
            depth++;
        if (strchr(">)}]", *at) && !is_operator(text, at) && --depth == 0)
            return at + 1;
        if (*at == '(' && at[1] == ')' && is_operator(text, at))
            at++;
    }
    return NULL;
}

/* --- default arguments ------------------------------------------------------------------- */

static bool is_default(const char *argument)
{
    static const char *const names[] = {"std::allocator<", "std::char_traits<",
                                        "std::less<",      "std::hash<",
                                        "std::equal_to<",  "std::default_delete<"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(argument, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The end of an argument that begins at `at`: its comma, or the list's end. */
static char *argument_end(const char *text, char *at)
{
    while (*at && *at != ',' && !(strchr(">)", *at) && !is_operator(text, at))) {
        char *past = strchr("<({[", *at) && !is_operator(text, at) ? bracket_end(text, at) : NULL;
        at = past ? past : at + 1;
    }
    return at;
}

/* Those that are not the first of their list. */
static void drop_defaults(char *text)
{
    for (char *at = text; (at = strstr(at, ", "));) {
        char *end = is_default(at + 2) ? argument_end(text, at + 2) : NULL;
        if (end)
            memmove(at, end, strlen(end) + 1);
        else
            at++;
    }
}

/* --- folding --------------------------------------------------------------------------- */

/* For each opening bracket, where it closes; 0 for all else. One pass: names can be long. */
static uint32_t *find_closings(const char *text, size_t length)
{
    uint32_t *closing = memory_zero(length + 1, sizeof *closing);
    uint32_t *open = memory_alloc(length + 1, sizeof *open);
    size_t depth = 0;
    for (size_t i = 0; i < length; i++) {
        if (is_operator(text, text + i))
            continue;
        if (strchr("<(", text[i]))
            open[depth++] = (uint32_t)i;
        else if (strchr(">)", text[i]) && depth)
            closing[open[--depth]] = (uint32_t)i;
    }
    free(open);
    return closing;
}

/* The text with all lists that `depth` others stand around as "...", into `out`; false if that
 * has more than `most` bytes. */
static bool write_folded(const char *text, const uint32_t *closing, unsigned depth, char *out,
                         size_t most)
{
    size_t used = 0;
    unsigned around = 0;
    for (size_t i = 0; text[i]; i++) {
        if (used + 4 > most)
            return false;
        out[used++] = text[i];
        if (closing[i] && around == depth && closing[i] - i > 4) {
            memcpy(out + used, "...", 3);
            used += 3;
            i = closing[i] - 1;
        } else if (closing[i]) {
            around++;
        } else if (around && strchr(">)", text[i]) && !is_operator(text, text + i)) {
            around--;
        }
    }
    out[used] = '\0';
    return true;
}

/* As little folded as fits. */
static void fold(char *text, size_t most)
{
    size_t length = strlen(text);
    if (length <= most)
        return;
    uint32_t *closing = find_closings(text, length);
    char *best = memory_zero(most + 4, 1), *next = memory_zero(most + 4, 1);
    for (unsigned depth = 0; write_folded(text, closing, depth, next, most); depth++) {
        char *better = next;
        next = best;
        best = better;
    }
    if (*best)
        memcpy(text, best, strlen(best) + 1);
    free(closing);
    free(best);
    free(next);
}

static bool is_cplusplus(const char *name)
{
    return strstr(name, "::") || strchr(name, '<') || strchr(name, '(');
}

char *short_name(const char *name)
{
    enum { WORTH_READING = 4096 }; /* what is longer is folded before its words are looked at */
    char *text = memory_copy(name, strlen(name) + 1);
    if (!is_cplusplus(name))
        return text;
    drop_clones(text);
    fold(text, WORTH_READING);
    replace_all(text, before, sizeof before / sizeof *before);
    drop_defaults(text);
    replace_all(text, after, sizeof after / sizeof *after);
    fold(text, SHORT_NAME_LENGTH);
    size_t length = strlen(text);
    if (length > SHORT_NAME_LENGTH) { /* the end says more: the function */
        memmove(text + 3, text + length - (SHORT_NAME_LENGTH - 3), SHORT_NAME_LENGTH - 2);
        memcpy(text, "...", 3);
    }
    return text;
}
