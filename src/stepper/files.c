/* SPDX-License-Identifier: MIT */
/* Reading from and writing to files, pipes and sockets: while one would block, others run. What is
 * longer than what is sure not to block is written piece by piece. */
#include "stepper/channels.h"
#include "stepper/doubts.h"
#include "stepper/operations.h"
#include "stepper/outside.h"
#include "stepper/real.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- reading ------------------------------------------------------------------------------------
 */

/* False: it was interrupted. What is read changes something, whatever accesses say: the loop around
 * it is none that only waits. */
static bool before_reading(int file, uintptr_t pc)
{
    struct stepped *self = stepped_current();
    doubt_input(file);
    if (outside_wait_for(self, file, POLLIN, pc)) {
        errno = EINTR;
        return false;
    }
    if (self)
        self->reads = 0;
    return true;
}

static ssize_t after(ssize_t result, int file, enum channel_use use, uintptr_t pc)
{
    if (result >= 0)
        channel_used(file, use, pc);
    return result;
}

#define READS(result, use, name, parameters, arguments)                                            \
    FUNCTION(result, name, parameters)                                                             \
    {                                                                                              \
        return before_reading(file, CALLER)                                                        \
                   ? (result)after(REAL(name) arguments, file, use, CALLER)                        \
                   : -1;                                                                           \
    }

READS(ssize_t, CHANNEL_READ, read, (int file, void *to, size_t size), (file, to, size))
READS(ssize_t, CHANNEL_READ, readv, (int file, const struct iovec *to, int count),
      (file, to, count))
READS(ssize_t, CHANNEL_READ, recvmsg, (int file, struct msghdr *message, int flags),
      (file, message, flags))
READS(int, CHANNEL_ACCEPT, accept, (int file, __SOCKADDR_ARG address, socklen_t *restrict length),
      (file, address, length))
READS(int, CHANNEL_ACCEPT, accept4,
      (int file, __SOCKADDR_ARG address, socklen_t *restrict length, int flags),
      (file, address, length, flags))

/* All that is wanted may come in pieces, from threads that run in between. */
static ssize_t receive(int file, char *to, size_t size, int flags, __SOCKADDR_ARG address,
                       socklen_t *length, uintptr_t pc)
{
    bool waits = !(flags & MSG_DONTWAIT);
    size_t done = 0;
    for (;;) {
        if (waits && !before_reading(file, pc))
            return done ? (ssize_t)done : -1;
        ssize_t got =
            REAL(recvfrom)(file, to + done, size - done, flags & ~MSG_WAITALL, address, length);
        after(got, file, CHANNEL_READ, pc);
        if (got <= 0 || !waits || !(flags & MSG_WAITALL) || flags & MSG_PEEK)
            return got < 0 && done ? (ssize_t)done : got + (ssize_t)done;
        done += (size_t)got;
        if (done == size)
            return (ssize_t)done;
    }
}

FUNCTION(ssize_t, recv, (int file, void *to, size_t size, int flags))
{
    return stepped_current() ? receive(file, to, size, flags, (__SOCKADDR_ARG){NULL}, NULL, CALLER)
                             : REAL(recv)(file, to, size, flags);
}

FUNCTION(ssize_t, recvfrom,
         (int file, void *restrict to, size_t size, int flags, __SOCKADDR_ARG address,
          socklen_t *restrict length))
{
    return stepped_current() ? receive(file, to, size, flags, address, length, CALLER)
                             : REAL(recvfrom)(file, to, size, flags, address, length);
}

/* Only what the stream has not read already is waited for. */
static void before_stream(FILE *stream, uintptr_t pc)
{
    if (stream->_IO_read_ptr < stream->_IO_read_end)
        doubt_input(fileno(stream));
    else
        before_reading(fileno(stream), pc);
    channel_used(fileno(stream), CHANNEL_READ, pc);
}

#define STREAM(stream, result, name, parameters, arguments)                                        \
    FUNCTION(result, name, parameters)                                                             \
    {                                                                                              \
        if (stepped_current())                                                                     \
            before_stream(stream, CALLER);                                                         \
        return REAL(name) arguments;                                                               \
    }

STREAM(stream, size_t, fread, (void *to, size_t size, size_t count, FILE *stream),
       (to, size, count, stream))
STREAM(stream, char *, fgets, (char *to, int size, FILE *stream), (to, size, stream))
STREAM(stream, int, fgetc, (FILE * stream), (stream))
STREAM(stream, int, getc, (FILE * stream), (stream))
STREAM(stdin, int, getchar, (void), ())
STREAM(stream, ssize_t, getline, (char **line, size_t *size, FILE *stream), (line, size, stream))

/* --- writing ------------------------------------------------------------------------------------
 */

enum kind { KIND_OTHER, KIND_PIPE, KIND_STREAM };

static enum kind kind_of(int file)
{
    struct stat status;
    int type = 0;
    socklen_t length = sizeof type;
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || flags & O_NONBLOCK || fstat(file, &status))
        return KIND_OTHER;
    if (S_ISFIFO(status.st_mode))
        return KIND_PIPE;
    return S_ISSOCK(status.st_mode) && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
                   type == SOCK_STREAM
               ? KIND_STREAM
               : KIND_OTHER;
}

static ssize_t write_piece(int file, enum kind kind, const char *from, size_t size, int flags)
{
    if (kind == KIND_STREAM)
        return REAL(send)(file, from, size, flags | MSG_DONTWAIT);
    return REAL(write)(file, from, size < PIPE_BUF ? size : PIPE_BUF);
}

static ssize_t write_pieces(int file, enum kind kind, const char *from, size_t size, int flags,
                            uintptr_t pc)
{
    size_t done = 0;
    do {
        bool interrupted = outside_wait_for(stepped_current(), file, POLLOUT, pc);
        ssize_t sent = interrupted ? -1 : write_piece(file, kind, from + done, size - done, flags);
        if (interrupted)
            errno = EINTR;
        else if (sent < 0 && errno == EAGAIN)
            continue; /* there is room, but too little */
        if (sent < 0)
            return done ? (ssize_t)done : -1;
        done += (size_t)sent;
        channel_used(file, CHANNEL_WRITE, pc);
    } while (done < size);
    return (ssize_t)done;
}

FUNCTION(ssize_t, write, (int file, const void *from, size_t size))
{
    struct stepped *self = stepped_current();
    enum kind kind = self && stepper->threads > 1 ? kind_of(file) : KIND_OTHER;
    return kind == KIND_OTHER ? after(REAL(write)(file, from, size), file, CHANNEL_WRITE, CALLER)
                              : write_pieces(file, kind, from, size, 0, CALLER);
}

FUNCTION(ssize_t, send, (int file, const void *from, size_t size, int flags))
{
    struct stepped *self = stepped_current();
    bool waits = self && stepper->threads > 1 && !(flags & MSG_DONTWAIT);
    return waits && kind_of(file) == KIND_STREAM
               ? write_pieces(file, KIND_STREAM, from, size, flags, CALLER)
               : after(REAL(send)(file, from, size, flags), file, CHANNEL_WRITE, CALLER);
}

FUNCTION(ssize_t, sendto,
         (int file, const void *from, size_t size, int flags, __CONST_SOCKADDR_ARG address,
          socklen_t length))
{
    return after(REAL(sendto)(file, from, size, flags, address, length), file, CHANNEL_WRITE,
                 CALLER);
}

static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    return size;
}

/* What fits is written at once. */
FUNCTION(ssize_t, writev, (int file, const struct iovec *parts, int count))
{
    struct stepped *self = stepped_current();
    enum kind kind = self && stepper->threads > 1 ? kind_of(file) : KIND_OTHER;
    size_t done = 0;
    if (kind == KIND_OTHER || outside_wait_for(self, file, POLLOUT, CALLER) ||
        size_of(parts, count) <= PIPE_BUF)
        return after(REAL(writev)(file, parts, count), file, CHANNEL_WRITE, CALLER);
    for (int i = 0; i < count; i++) {
        const char *from = parts[i].iov_base;
        ssize_t sent =
            parts[i].iov_len ? write_pieces(file, kind, from, parts[i].iov_len, 0, CALLER) : 0;
        if (sent < 0)
            return done ? (ssize_t)done : -1;
        done += (size_t)sent;
        if ((size_t)sent < parts[i].iov_len)
            break;
    }
    return (ssize_t)done;
}

FUNCTION(ssize_t, sendmsg, (int file, const struct msghdr *message, int flags))
{
    struct stepped *self = stepped_current();
    if (self && !(flags & MSG_DONTWAIT))
        outside_wait_for(self, file, POLLOUT, CALLER);
    return after(REAL(sendmsg)(file, message, flags), file, CHANNEL_WRITE, CALLER);
}

FUNCTION(int, connect, (int file, __CONST_SOCKADDR_ARG address, socklen_t length))
{
    return (int)after(REAL(connect)(file, address, length), file, CHANNEL_CONNECT, CALLER);
}

/* --- files of this process alone ----------------------------------------------------------------
 */

static int made(int result, const int ends[2])
{
    for (int i = 0; i < 2 && result == 0 && stepped_current(); i++)
        outside_made(ends[i]);
    return result;
}

FUNCTION(int, pipe, (int ends[2]))
{
    return made(REAL(pipe)(ends), ends);
}

FUNCTION(int, pipe2, (int ends[2], int flags))
{
    return made(REAL(pipe2)(ends, flags), ends);
}

FUNCTION(int, socketpair, (int domain, int type, int protocol, int ends[2]))
{
    int result = made(REAL(socketpair)(domain, type, protocol, ends), ends);
    if (result == 0)
        channel_pair(ends[0], ends[1]);
    return result;
}

FUNCTION(int, eventfd, (unsigned value, int flags))
{
    int file = REAL(eventfd)(value, flags);
    if (stepped_current())
        outside_made(file);
    return file;
}

/* Who reads the end of it does so after this. */
FUNCTION(int, close, (int file))
{
    channel_used(file, CHANNEL_WRITE, CALLER);
    outside_closed(file);
    return REAL(close)(file);
}

FUNCTION(int, shutdown, (int file, int how))
{
    channel_used(file, CHANNEL_WRITE, CALLER);
    return REAL(shutdown)(file, how);
}

FUNCTION(int, dup2, (int file, int as))
{
    outside_closed(as);
    return REAL(dup2)(file, as);
}

FUNCTION(int, dup3, (int file, int as, int flags))
{
    outside_closed(as);
    return REAL(dup3)(file, as, flags);
}
