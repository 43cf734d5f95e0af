/* SPDX-License-Identifier: MIT */
/* The C library's functions over strings and blocks: they read and write what threads share, and
 * the compiler tells nothing of it. Each word is taken when it is told, and what comes of it
 * depends on nothing that was not. */
#include "stepper/heap.h"
#include "stepper/operations.h"
#include "stepper/real.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Up to the end of the word that it lies in. */
static size_t here(const char *at, size_t left)
{
    return least(WORD - ((uintptr_t)at & (WORD - 1)), left);
}

static void take(const char *from, char *word, size_t size, uintptr_t pc)
{
    memory_access(STEP_READ, (uintptr_t)from, size, pc);
    for (size_t i = 0; i < size; i++)
        word[i] = ((const volatile char *)from)[i];
}

static void put(char *to, const char *word, size_t size, uintptr_t pc)
{
    memory_access(STEP_WRITE, (uintptr_t)to, size, pc);
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = word[i];
}

/* Of a text, without its end. */
static size_t length_of(const char *text, uintptr_t pc)
{
    for (size_t at = 0;;) {
        char word[WORD];
        size_t size = here(text + at, SIZE_MAX);
        take(text + at, word, size, pc);
        for (size_t i = 0; i < size; i++, at++)
            if (!word[i])
                return at;
    }
}

/* Up to the first difference, and the end of a text. */
static int compare(const char *a, const char *b, size_t most, bool texts, uintptr_t pc)
{
    for (size_t at = 0; at < most;) {
        char one[WORD], other[WORD];
        size_t size = least(here(a + at, most - at), here(b + at, most - at));
        take(a + at, one, size, pc);
        take(b + at, other, size, pc);
        for (size_t i = 0; i < size; i++, at++)
            if (one[i] != other[i] || (texts && !one[i]))
                return (unsigned char)one[i] - (unsigned char)other[i];
    }
    return 0;
}

/* With its end. */
static void copy_text(char *to, const char *from, uintptr_t pc)
{
    for (size_t at = 0, size;; at += size) {
        char word[WORD];
        size = least(here(from + at, SIZE_MAX), here(to + at, SIZE_MAX));
        take(from + at, word, size, pc);
        for (size_t i = 0; i < size; i++)
            if (!word[i]) {
                put(to + at, word, i + 1, pc);
                return;
            }
        put(to + at, word, size, pc);
    }
}

static void copy(char *to, const char *from, size_t size, uintptr_t pc)
{
    for (size_t at = 0, part; at < size; at += part) {
        char word[WORD];
        part = least(here(from + at, size - at), here(to + at, size - at));
        take(from + at, word, part, pc);
        put(to + at, word, part, pc);
    }
}

/* --- what the program calls ---------------------------------------------------------------------
 *
 * (Also before there is anything to tell, by what looks for the real ones: so these do not call
 * them.)
 */

static bool is_told(uintptr_t pc)
{
    return stepped_current() && !step_is_library(pc);
}

FUNCTION(void *, memmove, (void *to, const void *from, size_t size))
{
    if (!is_told(CALLER))
        return REAL(memmove)(to, from, size);
    char *between = (uintptr_t)to - (uintptr_t)from < size ? malloc(size) : NULL; /* they overlap */
    if (between) {
        copy(between, from, size, CALLER);
        copy(to, between, size, CALLER);
    } else {
        copy(to, from, size, CALLER);
    }
    return to;
}

FUNCTION(int, memcmp, (const void *a, const void *b, size_t size))
{
    return compare(a, b, size, false, CALLER);
}

FUNCTION(size_t, strlen, (const char *text))
{
    return length_of(text, CALLER);
}

FUNCTION(int, strcmp, (const char *a, const char *b))
{
    return compare(a, b, SIZE_MAX, true, CALLER);
}

FUNCTION(int, strncmp, (const char *a, const char *b, size_t most))
{
    return compare(a, b, most, true, CALLER);
}

FUNCTION(char *, strcpy, (char *to, const char *from))
{
    copy_text(to, from, CALLER);
    return to;
}

FUNCTION(char *, strcat, (char *to, const char *from))
{
    copy_text(to + length_of(to, CALLER), from, CALLER);
    return to;
}
