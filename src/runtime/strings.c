/* SPDX-License-Identifier: MIT */
/* The memory and string functions of the C library: they read and write on the
 * target's behalf, in code that no compiler has instrumented for us. */
#include "runtime/process.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

/* Nothing to tell: the call goes straight on. */
static inline bool unwatched(void)
{
    return !recorder_current;
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

#define COPY(name, next)                                                                           \
    FUNCTION(void *, name, (void *to, const void *from, size_t size))                              \
    {                                                                                              \
        if (!unwatched()) {                                                                        \
            range_read(from, size, CALLER);                                                        \
            range_write(to, size, CALLER);                                                         \
        }                                                                                          \
        return REAL(next)(to, from, size);                                                         \
    }

COPY(memcpy, memcpy)
COPY(memmove, memmove)
COPY(mempcpy, mempcpy)
COPY(__tsan_memcpy, memcpy)
COPY(__tsan_memmove, memmove)

#define FILL(name)                                                                                 \
    FUNCTION(void *, name, (void *to, int byte, size_t size))                                      \
    {                                                                                              \
        if (!unwatched())                                                                          \
            range_write(to, size, CALLER);                                                         \
        return REAL(memset)(to, byte, size);                                                       \
    }

FILL(memset)
FILL(__tsan_memset)

/* How far a comparison looked. */
static size_t same_bytes(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t at = 0;
    while (at < size && a[at] == b[at])
        at++;
    return at < size ? at + 1 : size;
}

#define COMPARE(name)                                                                              \
    FUNCTION(int, name, (const void *a, const void *b, size_t size))                               \
    {                                                                                              \
        if (!unwatched()) {                                                                        \
            size_t looked = same_bytes(a, b, size);                                                \
            range_read(a, looked, CALLER);                                                         \
            range_read(b, looked, CALLER);                                                         \
        }                                                                                          \
        return REAL(memcmp)(a, b, size);                                                           \
    }

COMPARE(memcmp)
COMPARE(bcmp)

FUNCTION(void *, memchr, (const void *in, int byte, size_t size))
{
    char *found = REAL(memchr)(in, byte, size);
    if (!unwatched())
        range_read(in, found ? (size_t)(found - (const char *)in) + 1 : size, CALLER);
    return found;
}

FUNCTION(void *, memrchr, (const void *in, int byte, size_t size))
{
    if (!unwatched())
        range_read(in, size, CALLER);
    return REAL(memrchr)(in, byte, size);
}

FUNCTION(void *, memmem, (const void *in, size_t size, const void *what, size_t length))
{
    if (!unwatched()) {
        range_read(in, size, CALLER);
        range_read(what, length, CALLER);
    }
    return REAL(memmem)(in, size, what, length);
}

FUNCTION(size_t, strlen, (const char *text))
{
    size_t length = REAL(strlen)(text);
    if (!unwatched())
        range_read(text, length + 1, CALLER);
    return length;
}

FUNCTION(size_t, strnlen, (const char *text, size_t limit))
{
    size_t length = REAL(strnlen)(text, limit);
    if (!unwatched())
        range_read(text, length < limit ? length + 1 : limit, CALLER);
    return length;
}

/* Copies of strings: `at` is where they go. */
static void copied(const char *at, const char *from, size_t limit, uintptr_t pc)
{
    if (unwatched())
        return;
    size_t length = REAL(strnlen)(from, limit);
    size_t bytes = length < limit ? length + 1 : limit;
    range_read(from, bytes, pc);
    range_write(at, bytes, pc);
}

FUNCTION(char *, strcpy, (char *to, const char *from))
{
    copied(to, from, SIZE_MAX, CALLER);
    return REAL(strcpy)(to, from);
}

FUNCTION(char *, stpcpy, (char *to, const char *from))
{
    copied(to, from, SIZE_MAX, CALLER);
    return REAL(stpcpy)(to, from);
}

FUNCTION(char *, strncpy, (char *to, const char *from, size_t limit))
{
    if (!unwatched()) {
        size_t length = REAL(strnlen)(from, limit);
        range_read(from, length < limit ? length + 1 : limit, CALLER);
        range_write(to, limit, CALLER);
    }
    return REAL(strncpy)(to, from, limit);
}

FUNCTION(char *, strcat, (char *to, const char *from))
{
    if (!unwatched()) {
        size_t length = REAL(strlen)(to);
        range_read(to, length + 1, CALLER);
        copied(to + length, from, SIZE_MAX, CALLER);
    }
    return REAL(strcat)(to, from);
}

FUNCTION(char *, strncat, (char *to, const char *from, size_t limit))
{
    if (!unwatched()) {
        size_t length = REAL(strlen)(to);
        range_read(to, length + 1, CALLER);
        copied(to + length, from, limit, CALLER);
    }
    return REAL(strncat)(to, from, limit);
}

/* Searches and comparisons of whole strings count as reads of the whole: what
 * they looked at is a prefix, and what follows belongs to the same string. */
static void read_text(const char *text, size_t limit, uintptr_t pc)
{
    size_t length = REAL(strnlen)(text, limit);
    range_read(text, length < limit ? length + 1 : limit, pc);
}

#define TWO_TEXTS(result, name)                                                                    \
    FUNCTION(result, name, (const char *a, const char *b))                                         \
    {                                                                                              \
        if (!unwatched()) {                                                                        \
            read_text(a, SIZE_MAX, CALLER);                                                        \
            read_text(b, SIZE_MAX, CALLER);                                                        \
        }                                                                                          \
        return REAL(name)(a, b);                                                                   \
    }
#define TWO_TEXTS_LIMIT(result, name)                                                              \
    FUNCTION(result, name, (const char *a, const char *b, size_t limit))                           \
    {                                                                                              \
        if (!unwatched()) {                                                                        \
            read_text(a, limit, CALLER);                                                           \
            read_text(b, limit, CALLER);                                                           \
        }                                                                                          \
        return REAL(name)(a, b, limit);                                                            \
    }
#define TEXT_AND_BYTE(name)                                                                        \
    FUNCTION(char *, name, (const char *text, int byte))                                           \
    {                                                                                              \
        if (!unwatched())                                                                          \
            read_text(text, SIZE_MAX, CALLER);                                                     \
        return REAL(name)(text, byte);                                                             \
    }

TWO_TEXTS(int, strcmp)
TWO_TEXTS(int, strcasecmp)
TWO_TEXTS(char *, strstr)
TWO_TEXTS(char *, strcasestr)
TWO_TEXTS(size_t, strspn)
TWO_TEXTS(size_t, strcspn)
TWO_TEXTS(char *, strpbrk)
TWO_TEXTS_LIMIT(int, strncmp)
TWO_TEXTS_LIMIT(int, strncasecmp)
TEXT_AND_BYTE(strchr)
TEXT_AND_BYTE(strrchr)
TEXT_AND_BYTE(strchrnul)

/* These allocate: by our malloc, so that the copy is a block like any other. */
extern void *malloc(size_t);

static char *duplicate(const char *text, size_t length, uintptr_t pc)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    if (!unwatched()) {
        range_read(text, length, pc);
        range_write(copy, length + 1, pc);
    }
    REAL(memcpy)(copy, text, length);
    copy[length] = 0;
    return copy;
}

FUNCTION(char *, strdup, (const char *text))
{
    return duplicate(text, REAL(strlen)(text), CALLER);
}

FUNCTION(char *, strndup, (const char *text, size_t limit))
{
    return duplicate(text, REAL(strnlen)(text, limit), CALLER);
}
