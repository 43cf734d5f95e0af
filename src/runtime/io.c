/* Input and output: the kernel reads and writes the target's buffers, and what
 * goes through a pipe or a socket orders the two sides of it. */
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sys/stat.h>

enum { DESCRIPTORS = 4096 };

/* Which channel a descriptor belongs to; 0: not known to carry anything between
 * threads. The two ends of a pipe share one. */
static _Atomic uint16_t channels[DESCRIPTORS];

static uintptr_t channel_object(int descriptor)
{
    if (descriptor < 0 || descriptor >= DESCRIPTORS)
        return 0;
    uint16_t channel = atomic_load_explicit(&channels[descriptor], memory_order_relaxed);
    return channel ? (uintptr_t)channel * 64 : 0; /* an address that no object has */
}

static void join_channel(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0 && ends[i] < DESCRIPTORS)
            atomic_store(&channels[ends[i]], (uint16_t)(ends[0] < DESCRIPTORS ? ends[0] + 1 : 1));
}

static void transfer(int descriptor, unsigned op, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    uintptr_t object = self && !self->ignore_sync ? channel_object(descriptor) : 0;
    if (!object)
        return;
    struct sync_record record = {
        .op = (uint8_t)op, .object = object, .size = 1, .order = ORDER_ACQ_REL, .pc = pc};
    self->sync_index++;
    sync_note(self, &record);
}

/* What is sent is recorded before, what is received after the call. */
static void sending(int descriptor, const void *buffer, size_t size, uintptr_t pc)
{
    int saved = errno;
    range_read(buffer, size, pc);
    transfer(descriptor, EVENT_ATOMIC_RMW, pc);
    errno = saved;
}

static void received(int descriptor, void *buffer, ssize_t size, uintptr_t pc)
{
    int saved = errno;
    if (size > 0) {
        transfer(descriptor, EVENT_ATOMIC_LOAD, pc);
        range_write(buffer, (size_t)size, pc);
    }
    errno = saved;
}

static void sending_vector(int descriptor, const struct iovec *parts, size_t count, uintptr_t pc)
{
    for (size_t i = 0; i < count; i++)
        range_read(parts[i].iov_base, parts[i].iov_len, pc);
    transfer(descriptor, EVENT_ATOMIC_RMW, pc);
}

static void received_vector(int descriptor, const struct iovec *parts, size_t count, ssize_t size,
                            uintptr_t pc)
{
    if (size > 0)
        transfer(descriptor, EVENT_ATOMIC_LOAD, pc);
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

FUNCTION(int, pipe, (int ends[2]))
{
    int result = REAL(pipe)(ends);
    if (result == 0)
        join_channel(ends);
    return result;
}

FUNCTION(int, pipe2, (int ends[2], int flags))
{
    int result = REAL(pipe2)(ends, flags);
    if (result == 0)
        join_channel(ends);
    return result;
}

FUNCTION(int, socketpair, (int domain, int type, int protocol, int ends[2]))
{
    int result = REAL(socketpair)(domain, type, protocol, ends);
    if (result == 0)
        join_channel(ends);
    return result;
}

FUNCTION(int, close, (int descriptor))
{
    /* What was written before it is closed is seen by whoever reads the end. */
    transfer(descriptor, EVENT_ATOMIC_RMW, CALLER);
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        atomic_store_explicit(&channels[descriptor], 0, memory_order_relaxed);
    return REAL(close)(descriptor);
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
