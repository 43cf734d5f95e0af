/* SPDX-License-Identifier: MIT */
/* Variables of the environment that are not to be kept in a recording: secrets. What the tool
 * leaves out of the manifest and the runtime of a process's own notes. Integers and text only, so
 * that it can live inside a target.
 *
 * Patterns stand in a list with commas between them; `*` is any text, `?` any character, and small
 * letters are as good as capitals. */
#ifndef PREPLAY_TRACE_HIDDEN_H
#define PREPLAY_TRACE_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

/* What looks like a secret by its name. */
#define HIDDEN_STANDARD                                                                            \
    "*TOKEN*,*SECRET*,*PASSWORD*,*PASSWD*,*PASSPHRASE*,*CREDENTIAL*,*_PASS,PGPASS*,*APIKEY*,"      \
    "*API_KEY*,*ACCESS_KEY*,*PRIVATE_KEY*,*_KEY,*_PAT,*_DSN,*COOKIE*,DATABASE_URL"

/* How the runtime is told. */
#define HIDDEN_VARIABLE "PREPLAY_NO_ENV"

static inline char hidden_capital(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

/* One pattern, without recursion: the last `*` takes one character more whenever what follows it
 * does not fit. */
static inline bool hidden_fits(const char *pattern, const char *pattern_end, const char *name,
                               const char *name_end)
{
    const char *star = NULL, *retry = NULL;
    while (name < name_end) {
        if (pattern < pattern_end && *pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (pattern < pattern_end &&
                   (*pattern == '?' || hidden_capital(*pattern) == hidden_capital(*name))) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

/* Is the variable of an entry "NAME=value" one that the patterns name? NULL names none. */
static inline bool hidden_is(const char *patterns, const char *entry)
{
    size_t length = 0;
    while (entry[length] && entry[length] != '=')
        length++;
    while (patterns && *patterns) {
        const char *end = patterns;
        while (*end && *end != ',')
            end++;
        if (end > patterns && hidden_fits(patterns, end, entry, entry + length))
            return true;
        patterns = *end ? end + 1 : end;
    }
    return false;
}

#endif
