/* SPDX-License-Identifier: MIT */
/* Bounded string building without libc: each appends at `at` and returns the new end. */
#ifndef PREPLAY_RUNTIME_TEXT_H
#define PREPLAY_RUNTIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

static inline size_t text_append(char *buffer, size_t at, size_t size, const char *text)
{
    while (*text && at + 1 < size)
        buffer[at++] = *text++;
    buffer[at < size ? at : size - 1] = 0;
    return at;
}

static inline size_t text_number(char *buffer, size_t at, size_t size, uint64_t number)
{
    char digits[24];
    unsigned count = sizeof digits - 1;
    digits[count] = 0;
    do {
        digits[--count] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return text_append(buffer, at, size, digits + count);
}

#endif
