/* Input and output: the kernel reads and writes the target's buffers. */
#include "runtime/channels.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>

/* What is sent is recorded before, what is received after the call. */
static void sending(int descriptor, const void *buffer, size_t size, uintptr_t pc)
{
    int saved = errno;
    range_read(buffer, size, pc);
    channel_send(descriptor, pc);
    errno = saved;
}

static void received(int descriptor, void *buffer, ssize_t size, uintptr_t pc)
{
    int saved = errno;
    if (size > 0) {
        channel_receive(descriptor, pc);
        range_write(buffer, (size_t)size, pc);
    }
    errno = saved;
}

static void sending_vector(int descriptor, const struct iovec *parts, size_t count, uintptr_t pc)
{
    for (size_t i = 0; i < count; i++)
        range_read(parts[i].iov_base, parts[i].iov_len, pc);
    channel_send(descriptor, pc);
}

static void received_vector(int descriptor, const struct iovec *parts, size_t count, ssize_t size,
                            uintptr_t pc)
{
    if (size > 0)
        channel_receive(descriptor, pc);
    for (size_t i = 0; i < count && size > 0; i++) {
        size_t bytes = parts[i].iov_len < (size_t)size ? parts[i].iov_len : (size_t)size;
        range_write(parts[i].iov_base, bytes, pc);
        size -= (ssize_t)bytes;
    }
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

#define RECEIVE(name, parameters, arguments)                                                       \
    FUNCTION(ssize_t, name, parameters)                                                            \
    {                                                                                              \
        ssize_t got = REAL(name) arguments;                                                        \
        received(descriptor, buffer, got, CALLER);                                                 \
        return got;                                                                                \
    }
#define SEND(name, parameters, arguments)                                                          \
    FUNCTION(ssize_t, name, parameters)                                                            \
    {                                                                                              \
        sending(descriptor, buffer, size, CALLER);                                                 \
        return REAL(name) arguments;                                                               \
    }

RECEIVE(read, (int descriptor, void *buffer, size_t size), (descriptor, buffer, size))
RECEIVE(pread, (int descriptor, void *buffer, size_t size, off_t at),
        (descriptor, buffer, size, at))
RECEIVE(pread64, (int descriptor, void *buffer, size_t size, off64_t at),
        (descriptor, buffer, size, at))
RECEIVE(recv, (int descriptor, void *buffer, size_t size, int flags),
        (descriptor, buffer, size, flags))
RECEIVE(recvfrom,
        (int descriptor, void *restrict buffer, size_t size, int flags,
         struct sockaddr *restrict from, socklen_t *restrict length),
        (descriptor, buffer, size, flags, from, length))
SEND(write, (int descriptor, const void *buffer, size_t size), (descriptor, buffer, size))
SEND(pwrite, (int descriptor, const void *buffer, size_t size, off_t at),
     (descriptor, buffer, size, at))
SEND(pwrite64, (int descriptor, const void *buffer, size_t size, off64_t at),
     (descriptor, buffer, size, at))
SEND(send, (int descriptor, const void *buffer, size_t size, int flags),
     (descriptor, buffer, size, flags))
SEND(sendto,
     (int descriptor, const void *buffer, size_t size, int flags, const struct sockaddr *to,
      socklen_t length),
     (descriptor, buffer, size, flags, to, length))

FUNCTION(ssize_t, readv, (int descriptor, const struct iovec *parts, int count))
{
    ssize_t got = REAL(readv)(descriptor, parts, count);
    received_vector(descriptor, parts, (size_t)count, got, CALLER);
    return got;
}

FUNCTION(ssize_t, writev, (int descriptor, const struct iovec *parts, int count))
{
    if (recorder_current && count > 0)
        sending_vector(descriptor, parts, (size_t)count, CALLER);
    return REAL(writev)(descriptor, parts, count);
}

FUNCTION(ssize_t, recvmsg, (int descriptor, struct msghdr *message, int flags))
{
    ssize_t got = REAL(recvmsg)(descriptor, message, flags);
    received_vector(descriptor, message->msg_iov, message->msg_iovlen, got, CALLER);
    return got;
}

FUNCTION(ssize_t, sendmsg, (int descriptor, const struct msghdr *message, int flags))
{
    if (recorder_current)
        sending_vector(descriptor, message->msg_iov, message->msg_iovlen, CALLER);
    return REAL(sendmsg)(descriptor, message, flags);
}

FUNCTION(ssize_t, preadv, (int descriptor, const struct iovec *parts, int count, off_t at))
{
    ssize_t got = REAL(preadv)(descriptor, parts, count, at);
    received_vector(descriptor, parts, (size_t)count, got, CALLER);
    return got;
}

FUNCTION(ssize_t, pwritev, (int descriptor, const struct iovec *parts, int count, off_t at))
{
    if (recorder_current && count > 0)
        sending_vector(descriptor, parts, (size_t)count, CALLER);
    return REAL(pwritev)(descriptor, parts, count, at);
}

FUNCTION(size_t, fread, (void *buffer, size_t size, size_t count, FILE *file))
{
    size_t got = REAL(fread)(buffer, size, count, file);
    range_write(buffer, got * size, CALLER);
    return got;
}

FUNCTION(size_t, fwrite, (const void *buffer, size_t size, size_t count, FILE *file))
{
    range_read(buffer, size * count, CALLER);
    return REAL(fwrite)(buffer, size, count, file);
}

FUNCTION(char *, fgets, (char *buffer, int size, FILE *file))
{
    char *got = REAL(fgets)(buffer, size, file);
    if (got && recorder_current)
        range_write(buffer, REAL(strlen)(buffer) + 1, CALLER);
    return got;
}

FUNCTION(int, fputs, (const char *text, FILE *file))
{
    if (recorder_current)
        range_read(text, REAL(strlen)(text) + 1, CALLER);
    return REAL(fputs)(text, file);
}

FUNCTION(int, puts, (const char *text))
{
    if (recorder_current)
        range_read(text, REAL(strlen)(text) + 1, CALLER);
    return REAL(puts)(text);
}

FUNCTION(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *file))
{
    ssize_t got = REAL(getdelim)(line, size, end, file);
    if (got >= 0)
        range_write(*line, (size_t)got + 1, CALLER);
    return got;
}

/* By another name: the C library's headers have an inline getline(). */
EXPORT ssize_t read_line(char **line, size_t *size, FILE *file) __asm__("getline");
EXPORT ssize_t read_line(char **line, size_t *size, FILE *file)
{
    ssize_t got = REAL(getdelim)(line, size, '\n', file);
    if (got >= 0)
        range_write(*line, (size_t)got + 1, CALLER);
    return got;
}

/* --- memory from the system ------------------------------------------------ */

static void *map(void *wish, size_t size, int rights, int flags, int file, off_t at, uintptr_t pc)
{
    void *start = REAL(mmap)(wish, size, rights, flags, file, at);
    struct recorder *self = recorder_current;
    if (self && start != (void *)-1 && !self->busy) {
        filter_forget(self, (uintptr_t)start, size);
        sync_note_init(RECORD_OP_MAP, start, size, pc);
    }
    return start;
}

FUNCTION(void *, mmap, (void *wish, size_t size, int rights, int flags, int file, off_t at))
{
    return map(wish, size, rights, flags, file, at, CALLER);
}

FUNCTION(void *, mmap64, (void *wish, size_t size, int rights, int flags, int file, off64_t at))
{
    return map(wish, size, rights, flags, file, at, CALLER);
}

FUNCTION(int, munmap, (void *start, size_t size))
{
    struct recorder *self = recorder_current;
    if (self && !self->busy)
        sync_note_init(RECORD_OP_UNMAP, start, size, CALLER);
    return REAL(munmap)(start, size);
}

/* The comparison function is instrumented, the sorting is not: it moves elements
 * about, which is a read and a write of all of them. */
FUNCTION(void, qsort,
         (void *base, size_t count, size_t size, int (*compare)(const void *, const void *)))
{
    range_read(base, count * size, CALLER);
    range_write(base, count * size, CALLER);
    REAL(qsort)(base, count, size, compare);
}
