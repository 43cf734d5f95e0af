/* SPDX-License-Identifier: MIT */
/* Input and output: the kernel reads and writes the target's buffers. */
#include "runtime/channels.h"
#include "runtime/descriptors.h"
#include "runtime/randomness.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/streams.h"
#include "runtime/sync.h"

#include <errno.h>
#include <limits.h>

/* What is sent is recorded before, what is received after the call. */
static void sending(int descriptor, const void *buffer, size_t size, const struct sockaddr *to,
                    socklen_t length, uintptr_t pc)
{
    int saved = errno;
    range_given(buffer, size, pc);
    if (to)
        channel_send_to(descriptor, to, length, pc);
    else
        channel_send(descriptor, pc);
    errno = saved;
}

/* `got` of the `wanted` bytes have come. */
static void received(int descriptor, void *buffer, size_t wanted, ssize_t got, uintptr_t pc)
{
    int saved = errno;
    if (wanted)
        channel_receive(descriptor, buffer, got, pc);
    if (got > 0)
        range_write(buffer, (size_t)got, pc);
    errno = saved;
}

/* Before the kernel has said that the pointers are good. More parts than it takes, or none that
 * can be read: the call will fail. */
static void reading_vector(const struct iovec *parts, size_t count, uintptr_t pc)
{
    if (count > IOV_MAX || !system_readable(parts, count * sizeof *parts))
        return;
    for (size_t i = 0; i < count; i++)
        range_given(parts[i].iov_base, parts[i].iov_len, pc);
}

static void wrote_vector(const struct iovec *parts, size_t count, ssize_t size, uintptr_t pc)
{
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
        randomness_read(descriptor, buffer, got);                                                  \
        received(descriptor, buffer, size, got, CALLER);                                           \
        return got;                                                                                \
    }
#define SEND(name, to, length, parameters, arguments)                                              \
    FUNCTION(ssize_t, name, parameters)                                                            \
    {                                                                                              \
        sending(descriptor, buffer, size, to, length, CALLER);                                     \
        ssize_t sent = REAL(name) arguments;                                                       \
        channel_sent(descriptor, sent, CALLER);                                                    \
        return sent;                                                                               \
    }

RECEIVE(read, (int descriptor, void *buffer, size_t size), (descriptor, buffer, size))
RECEIVE(recv, (int descriptor, void *buffer, size_t size, int flags),
        (descriptor, buffer, size, flags))
RECEIVE(recvfrom,
        (int descriptor, void *restrict buffer, size_t size, int flags,
         struct sockaddr *restrict from, socklen_t *restrict length),
        (descriptor, buffer, size, flags, from, length))
SEND(write, NULL, 0, (int descriptor, const void *buffer, size_t size), (descriptor, buffer, size))
SEND(send, NULL, 0, (int descriptor, const void *buffer, size_t size, int flags),
     (descriptor, buffer, size, flags))
SEND(sendto, to, length,
     (int descriptor, const void *buffer, size_t size, int flags, const struct sockaddr *to,
      socklen_t length),
     (descriptor, buffer, size, flags, to, length))

/* What is at a place in a file is no message. */
#define READ_AT(name, offset)                                                                      \
    FUNCTION(ssize_t, name, (int descriptor, void *buffer, size_t size, offset at))                \
    {                                                                                              \
        ssize_t got = REAL(name)(descriptor, buffer, size, at);                                    \
        if (got > 0)                                                                               \
            range_write(buffer, (size_t)got, CALLER);                                              \
        return got;                                                                                \
    }
#define WRITE_AT(name, offset)                                                                     \
    FUNCTION(ssize_t, name, (int descriptor, const void *buffer, size_t size, offset at))          \
    {                                                                                              \
        range_given(buffer, size, CALLER);                                                         \
        channel_files_change(CALLER);                                                              \
        return REAL(name)(descriptor, buffer, size, at);                                           \
    }
READ_AT(pread, off_t)
READ_AT(pread64, off64_t)
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

FUNCTION(ssize_t, readv, (int descriptor, const struct iovec *parts, int count))
{
    ssize_t got = REAL(readv)(descriptor, parts, count);
    channel_receive(descriptor, NULL, got, CALLER);
    wrote_vector(parts, (size_t)count, got, CALLER);
    return got;
}

FUNCTION(ssize_t, writev, (int descriptor, const struct iovec *parts, int count))
{
    if (recorder_current && count > 0) {
        reading_vector(parts, (size_t)count, CALLER);
        channel_send(descriptor, CALLER);
    }
    ssize_t sent = REAL(writev)(descriptor, parts, count);
    channel_sent(descriptor, sent, CALLER);
    return sent;
}

/* Descriptors that came along are new ones. */
static void forget_received(struct msghdr *message)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t bytes = part->cmsg_len - CMSG_LEN(0);
        for (size_t i = 0; i + sizeof(int) <= bytes; i += sizeof(int)) {
            int descriptor;
            __builtin_memcpy(&descriptor, CMSG_DATA(part) + i, sizeof descriptor);
            descriptor_forget(descriptor);
        }
    }
}

static void message_received(int descriptor, struct msghdr *message, ssize_t got, uintptr_t pc)
{
    channel_receive(descriptor, NULL, got, pc);
    if (got < 0)
        return;
    wrote_vector(message->msg_iov, message->msg_iovlen, got, pc);
    forget_received(message);
}

static void message_sending(int descriptor, const struct msghdr *message, uintptr_t pc)
{
    if (!system_readable(message, sizeof *message))
        return;
    reading_vector(message->msg_iov, message->msg_iovlen, pc);
    channel_send_to(descriptor, message->msg_name, message->msg_namelen, pc);
}

FUNCTION(ssize_t, recvmsg, (int descriptor, struct msghdr *message, int flags))
{
    ssize_t got = REAL(recvmsg)(descriptor, message, flags);
    message_received(descriptor, message, got, CALLER);
    return got;
}

FUNCTION(ssize_t, sendmsg, (int descriptor, const struct msghdr *message, int flags))
{
    if (recorder_current)
        message_sending(descriptor, message, CALLER);
    ssize_t sent = REAL(sendmsg)(descriptor, message, flags);
    channel_sent(descriptor, sent, CALLER);
    return sent;
}

FUNCTION(int, recvmmsg,
         (int descriptor, struct mmsghdr *messages, unsigned count, int flags,
          struct timespec *timeout))
{
    int got = REAL(recvmmsg)(descriptor, messages, count, flags, timeout);
    for (int i = 0; i < got; i++)
        message_received(descriptor, &messages[i].msg_hdr, (ssize_t)messages[i].msg_len, CALLER);
    return got;
}

FUNCTION(int, sendmmsg, (int descriptor, struct mmsghdr *messages, unsigned count, int flags))
{
    for (unsigned i = 0; recorder_current && i < count && i < IOV_MAX; i++)
        message_sending(descriptor, &messages[i].msg_hdr, CALLER);
    int sent = REAL(sendmmsg)(descriptor, messages, count, flags);
    channel_sent(descriptor, sent, CALLER);
    return sent;
}

FUNCTION(ssize_t, preadv, (int descriptor, const struct iovec *parts, int count, off_t at))
{
    ssize_t got = REAL(preadv)(descriptor, parts, count, at);
    wrote_vector(parts, (size_t)count, got, CALLER);
    return got;
}

FUNCTION(ssize_t, pwritev, (int descriptor, const struct iovec *parts, int count, off_t at))
{
    if (recorder_current && count > 0)
        reading_vector(parts, (size_t)count, CALLER);
    return REAL(pwritev)(descriptor, parts, count, at);
}

/* From one descriptor to another, past the program's memory. */
#define MOVE(name, parameters, arguments)                                                          \
    FUNCTION(ssize_t, name, parameters)                                                            \
    {                                                                                              \
        channel_send(to, CALLER);                                                                  \
        ssize_t moved = REAL(name) arguments;                                                      \
        channel_sent(to, moved, CALLER);                                                           \
        channel_receive(from, NULL, moved, CALLER);                                                \
        return moved;                                                                              \
    }
MOVE(splice, (int from, off64_t *start, int to, off64_t *end, size_t size, unsigned flags),
     (from, start, to, end, size, flags))
MOVE(tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags))
MOVE(sendfile, (int to, int from, off_t *start, size_t size), (to, from, start, size))
MOVE(sendfile64, (int to, int from, off64_t *start, size_t size), (to, from, start, size))

FUNCTION(size_t, fread, (void *buffer, size_t size, size_t count, FILE *file))
{
    size_t got = REAL(fread)(buffer, size, count, file);
    if (got)
        randomness_read(fileno(file), buffer, (long)(got * size));
    stream_input(file, !got, CALLER);
    range_write(buffer, got * size, CALLER);
    return got;
}

FUNCTION(size_t, fwrite, (const void *buffer, size_t size, size_t count, FILE *file))
{
    range_read(buffer, size * count, CALLER);
    stream_output(file, CALLER);
    return REAL(fwrite)(buffer, size, count, file);
}

FUNCTION(char *, fgets, (char *buffer, int size, FILE *file))
{
    char *got = REAL(fgets)(buffer, size, file);
    stream_input(file, !got, CALLER);
    if (got && recorder_current)
        range_write(buffer, REAL(strlen)(buffer) + 1, CALLER);
    return got;
}

FUNCTION(int, fputs, (const char *text, FILE *file))
{
    if (recorder_current)
        range_read(text, REAL(strlen)(text) + 1, CALLER);
    stream_output(file, CALLER);
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
    stream_input(file, got < 0, CALLER);
    if (got >= 0)
        range_write(*line, (size_t)got + 1, CALLER);
    return got;
}

/* What its headers make of getline(), compiled with optimisation. */
EXPORT ssize_t read_until(char **line, size_t *size, int end, FILE *file) __asm__("__getdelim");
EXPORT ssize_t read_until(char **line, size_t *size, int end, FILE *file)
{
    ssize_t got = REAL(getdelim)(line, size, end, file);
    stream_input(file, got < 0, CALLER);
    if (got >= 0)
        range_write(*line, (size_t)got + 1, CALLER);
    return got;
}

/* By another name: the C library's headers have an inline getline(). */
EXPORT ssize_t read_line(char **line, size_t *size, FILE *file) __asm__("getline");
EXPORT ssize_t read_line(char **line, size_t *size, FILE *file)
{
    ssize_t got = REAL(getdelim)(line, size, '\n', file);
    stream_input(file, got < 0, CALLER);
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

FUNCTION(void, qsort_r,
         (void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
          void *argument))
{
    range_read(base, count * size, CALLER);
    range_write(base, count * size, CALLER);
    REAL(qsort_r)(base, count, size, compare, argument);
}
