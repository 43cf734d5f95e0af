/* SPDX-License-Identifier: MIT */
/* The forms of memcpy and others that check their bounds first: what a program calls that is
 * compiled with _FORTIFY_SOURCE, as distributions do. */
#include "runtime/channels.h"
#include "runtime/process.h"
#include "runtime/randomness.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

extern void __chk_fail(void) __attribute__((noreturn));

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

static void check(size_t wanted, size_t room)
{
    if (wanted > room)
        __chk_fail();
}

#define COPY(name)                                                                                 \
    FUNCTION(void *, __##name##_chk, (void *to, const void *from, size_t length, size_t room))     \
    {                                                                                              \
        check(length, room);                                                                       \
        range_read(from, length, CALLER);                                                          \
        range_write(to, length, CALLER);                                                           \
        return REAL(name)(to, from, length);                                                       \
    }
COPY(memcpy)
COPY(memmove)
COPY(mempcpy)

FUNCTION(void *, __memset_chk, (void *to, int byte, size_t length, size_t room))
{
    check(length, room);
    range_write(to, length, CALLER);
    return REAL(memset)(to, byte, length);
}

static void copied(char *to, const char *from, size_t bytes, uintptr_t pc)
{
    if (!recorder_current)
        return;
    range_read(from, bytes, pc);
    range_write(to, bytes, pc);
}

#define COPY_TEXT(name)                                                                            \
    FUNCTION(char *, __##name##_chk, (char *to, const char *from, size_t room))                    \
    {                                                                                              \
        size_t bytes = REAL(strlen)(from) + 1;                                                     \
        check(bytes, room);                                                                        \
        copied(to, from, bytes, CALLER);                                                           \
        return REAL(name)(to, from);                                                               \
    }
COPY_TEXT(strcpy)
COPY_TEXT(stpcpy)

FUNCTION(char *, __strncpy_chk, (char *to, const char *from, size_t limit, size_t room))
{
    check(limit, room);
    if (recorder_current) {
        size_t bytes = REAL(strnlen)(from, limit);
        range_read(from, bytes < limit ? bytes + 1 : bytes, CALLER);
        range_write(to, limit, CALLER);
    }
    return REAL(strncpy)(to, from, limit);
}

FUNCTION(char *, __strcat_chk, (char *to, const char *from, size_t room))
{
    size_t before = REAL(strlen)(to), bytes = REAL(strlen)(from) + 1;
    check(before + bytes, room);
    range_read(to, before + 1, CALLER);
    copied(to + before, from, bytes, CALLER);
    return REAL(strcat)(to, from);
}

FUNCTION(char *, __strncat_chk, (char *to, const char *from, size_t limit, size_t room))
{
    size_t before = REAL(strlen)(to), bytes = REAL(strnlen)(from, limit);
    check(before + bytes + 1, room);
    range_read(to, before + 1, CALLER);
    range_read(from, bytes < limit ? bytes + 1 : bytes, CALLER);
    range_write(to + before, bytes + 1, CALLER);
    return REAL(strncat)(to, from, limit);
}

FUNCTION(ssize_t, __read_chk, (int descriptor, void *buffer, size_t size, size_t room))
{
    check(size, room);
    ssize_t got = REAL(read)(descriptor, buffer, size);
    randomness_read(descriptor, buffer, got);
    if (size)
        channel_receive(descriptor, buffer, got, CALLER);
    if (got > 0)
        range_write(buffer, (size_t)got, CALLER);
    return got;
}

FUNCTION(ssize_t, __recv_chk, (int descriptor, void *buffer, size_t size, size_t room, int flags))
{
    check(size, room);
    ssize_t got = REAL(recv)(descriptor, buffer, size, flags);
    if (size)
        channel_receive(descriptor, buffer, got, CALLER);
    if (got > 0)
        range_write(buffer, (size_t)got, CALLER);
    return got;
}
