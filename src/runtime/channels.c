/* SPDX-License-Identifier: MIT */
#include "runtime/channels.h"

#include "runtime/clocks.h"
#include "runtime/descriptors.h"
#include "runtime/edges.h"
#include "runtime/file_locks.h"
#include "runtime/flows.h"
#include "runtime/network.h"
#include "runtime/numbers.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/sockets.h"
#include "runtime/sync.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

static _Atomic bool files_are_watched;

/* Nothing of all this is worth a system call in a thread that is not recorded. */
static bool is_recorded(void)
{
    const struct recorder *self = recorder_self();
    return self && !self->ignore_sync;
}

/* What another process answers comes after what it was sent. */
static void release_both(const struct descriptor *found, uint64_t way, uint64_t answers,
                         uintptr_t pc)
{
    edge_release(way, pc);
    if (found->in != way && !way_is_ours(answers))
        edge_release(found->in, pc);
}

void channel_send_to(int descriptor, const struct sockaddr *to, unsigned length, uintptr_t pc)
{
    if (!is_recorded())
        return;
    struct descriptor found = descriptor_look(descriptor);
    switch (found.kind) {
    case DESCRIPTOR_COUNTER:
        edge_release(found.out, pc);
        break;
    case DESCRIPTOR_PIPE:
        flow_send(found.out, pc);
        break;
    case DESCRIPTOR_STREAM:
        if (way_is_ours(found.in))
            flow_send(found.out, pc);
        else
            release_both(&found, found.out, found.in, pc);
        break;
    case DESCRIPTOR_DATAGRAM: {
        uint64_t way = to ? socket_datagram_way(to, length) : found.out;
        release_both(&found, way, way, pc);
        break;
    }
    default:
        break;
    }
}

void channel_send(int descriptor, uintptr_t pc)
{
    channel_send_to(descriptor, NULL, 0, pc);
    if (atomic_load_explicit(&files_are_watched, memory_order_relaxed))
        channel_files_change(pc);
}

static bool is_end(int reason)
{
    return reason == EPIPE || reason == ECONNRESET || reason == ESHUTDOWN;
}

void channel_sent(int descriptor, ssize_t result, uintptr_t pc)
{
    bool ends = result < 0 && is_end(errno);
    if ((!ends && !flow_is_sending()) || !is_recorded())
        return;
    struct descriptor found = descriptor_look(descriptor);
    if (found.kind != DESCRIPTOR_PIPE && found.kind != DESCRIPTOR_STREAM)
        return;
    flow_sent(found.out, result);
    if (ends)
        edge_acquire(found.in | EDGE_END, pc);
}

static void receive_signals(const struct signalfd_siginfo *signals, size_t size, uintptr_t pc)
{
    for (size_t i = 0; i < size / sizeof *signals; i++)
        signal_received((int)signals[i].ssi_signo, pc);
}

void channel_receive(int descriptor, const void *buffer, ssize_t result, uintptr_t pc)
{
    if ((result < 0 && !is_end(errno)) || !is_recorded())
        return;
    struct descriptor found = descriptor_look(descriptor);
    bool ends = result <= 0;
    switch (found.kind) {
    case DESCRIPTOR_PIPE:
    case DESCRIPTOR_STREAM:
        if (ends)
            edge_acquire(found.in | EDGE_END, pc);
        else
            flow_received(found.in, descriptor, result, pc);
        break;
    case DESCRIPTOR_DATAGRAM:
    case DESCRIPTOR_COUNTER:
    case DESCRIPTOR_TIMER:
    case DESCRIPTOR_WATCH:
        edge_acquire(found.in, pc);
        break;
    case DESCRIPTOR_SIGNALS:
        if (result > 0 && buffer)
            receive_signals(buffer, (size_t)result, pc);
        break;
    default:
        break;
    }
}

static bool has_bytes(int descriptor)
{
    int count = 0;
    return system_ask(SYS_ioctl, descriptor, FIONREAD, (long)&count, 0, 0, 0) < 0 || count > 0;
}

void channel_ready(int descriptor, short events, uintptr_t pc)
{
    if (!is_recorded())
        return;
    struct descriptor found = descriptor_look(descriptor);
    bool input = events & (POLLIN | POLLPRI | POLLRDNORM);
    switch (found.kind) {
    case DESCRIPTOR_PIPE:
    case DESCRIPTOR_STREAM:
        if (input && has_bytes(descriptor))
            flow_received(found.in, descriptor, 0, pc);
        else if (input || events & (POLLHUP | POLLERR | POLLRDHUP))
            edge_acquire(found.in | EDGE_END, pc);
        break;
    case DESCRIPTOR_LISTENER:
    case DESCRIPTOR_DATAGRAM:
    case DESCRIPTOR_COUNTER:
    case DESCRIPTOR_TIMER:
    case DESCRIPTOR_WATCH:
        if (input)
            edge_acquire(found.in, pc);
        break;
    default:
        break;
    }
}

void channel_close(int descriptor, uintptr_t pc)
{
    edge_hold();
    if (is_recorded()) {
        struct descriptor found = descriptor_look(descriptor);
        file_lock_close(descriptor, pc);
        if (found.kind == DESCRIPTOR_PIPE || found.kind == DESCRIPTOR_STREAM)
            edge_release(found.out | EDGE_END, pc);
        if (found.kind == DESCRIPTOR_STREAM)
            way_forget(found.out); /* a child may go on with this end */
        else if (atomic_load_explicit(&files_are_watched, memory_order_relaxed))
            channel_files_change(pc);
        number_goes(descriptor, pc);
    }
    descriptor_forget(descriptor);
}

void channel_closed(void)
{
    edge_let_go();
}

void channel_files_change(uintptr_t pc)
{
    if (atomic_load_explicit(&files_are_watched, memory_order_relaxed))
        edge_release(edge_object(EDGE_FILES, 0), pc);
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* --- descriptors come and go -------------------------------------------------- */

FUNCTION(int, close, (int descriptor))
{
    channel_close(descriptor, CALLER);
    int result = REAL(close)(descriptor);
    channel_closed();
    return result;
}

FUNCTION(int, dup, (int descriptor))
{
    edge_approach(CALLER);
    int copy = REAL(dup)(descriptor);
    descriptor_copy(descriptor, copy);
    number_given(copy, CALLER);
    return copy;
}

#define REPLACE(name, parameters, arguments)                                                       \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        if (descriptor != wanted)                                                                  \
            channel_close(wanted, CALLER);                                                         \
        int copy = REAL(name) arguments;                                                           \
        channel_closed();                                                                          \
        descriptor_copy(descriptor, copy);                                                         \
        number_given(copy, CALLER);                                                                \
        return copy;                                                                               \
    }
REPLACE(dup2, (int descriptor, int wanted), (descriptor, wanted))
REPLACE(dup3, (int descriptor, int wanted, int flags), (descriptor, wanted, flags))

/* Those whose kind has no inode of its own: one that was closed without our knowing it. */
#define FRESH(name, parameters, arguments)                                                         \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        edge_approach(CALLER);                                                                     \
        int descriptor = REAL(name) arguments;                                                     \
        descriptor_forget(descriptor);                                                             \
        number_given(descriptor, CALLER);                                                          \
        return descriptor;                                                                         \
    }
FRESH(eventfd, (unsigned count, int flags), (count, flags))
FRESH(epoll_create, (int size), (size))
FRESH(epoll_create1, (int flags), (flags))

FUNCTION(int, signalfd, (int descriptor, const sigset_t *signals, int flags))
{
    edge_approach(CALLER);
    int made = REAL(signalfd)(descriptor, signals, flags);
    descriptor_forget(made);
    if (descriptor < 0) /* else it is the same as before */
        number_given(made, CALLER);
    return made;
}

#define WATCH(name, parameters, arguments)                                                         \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        edge_approach(CALLER);                                                                     \
        int descriptor = REAL(name) arguments;                                                     \
        descriptor_forget(descriptor);                                                             \
        number_given(descriptor, CALLER);                                                          \
        atomic_store(&files_are_watched, true);                                                    \
        return descriptor;                                                                         \
    }
WATCH(inotify_init, (void), ())
WATCH(inotify_init1, (int flags), (flags))

/* By number, of those that are not too high: their clocks, plus one. */
static _Atomic uint8_t timer_clocks[256];

FUNCTION(int, timerfd_create, (int clock, int flags))
{
    edge_approach(CALLER);
    int descriptor = REAL(timerfd_create)(clock, flags);
    descriptor_forget(descriptor);
    number_given(descriptor, CALLER);
    if (descriptor >= 0 && (size_t)descriptor < sizeof timer_clocks)
        atomic_store(&timer_clocks[descriptor], (uint8_t)(clock + 1));
    return descriptor;
}

FUNCTION(int, timerfd_settime,
         (int descriptor, int flags, const struct itimerspec *time, struct itimerspec *before))
{
    if (is_recorded())
        edge_release(descriptor_look(descriptor).out, CALLER);
    if (!(flags & TIMER_ABSTIME) || descriptor < 0 || (size_t)descriptor >= sizeof timer_clocks)
        return REAL(timerfd_settime)(descriptor, flags, time, before);
    clockid_t clock = atomic_load(&timer_clocks[descriptor]) - 1;
    return REAL(timerfd_settime)(descriptor, flags, CLOCKS_TIMER(clock, time), before);
}

/* The C library's own calls inside of these are not ours to see. */
FUNCTION(int, eventfd_write, (int descriptor, uint64_t count))
{
    channel_send(descriptor, CALLER);
    return REAL(eventfd_write)(descriptor, count);
}

FUNCTION(int, eventfd_read, (int descriptor, uint64_t *count))
{
    int result = REAL(eventfd_read)(descriptor, count);
    if (result == 0)
        channel_receive(descriptor, NULL, 1, CALLER);
    return result;
}

/* --- sockets --------------------------------------------------------------------- */

FUNCTION(int, socketpair, (int domain, int type, int protocol, int ends[2]))
{
    edge_approach(CALLER);
    int result = REAL(socketpair)(domain, type, protocol, ends);
    if (result == 0 && is_recorded()) {
        socket_paired(ends);
        number_given(ends[0], CALLER);
        number_given(ends[1], CALLER);
    }
    return result;
}

FUNCTION(int, listen, (int descriptor, int backlog))
{
    int result = REAL(listen)(descriptor, backlog);
    if (result == 0 && is_recorded()) {
        way_note_ours(socket_own_listener_way(descriptor));
        network_bound(descriptor); /* to a port of the kernel's choice, perhaps */
    }
    return result;
}

/* Connecting is before accepting; also where it goes on in the background. */
FUNCTION(int, connect, (int descriptor, const struct sockaddr *to, socklen_t length))
{
    uint64_t listener = 0;
    bool recorded = is_recorded();
    if (recorded) {
        listener = socket_listener_way(to, length);
        socket_connects(descriptor);
        edge_release(listener, CALLER);
    }
    int result = REAL(connect)(descriptor, to, length);
    if (recorded) {
        int saved = errno;
        if (result == 0 || saved == EINPROGRESS)
            network_connected(to, length);
        socket_connected(descriptor, listener);
        errno = saved;
    }
    return result;
}

static int accepted(int listener, int descriptor, uintptr_t pc)
{
    int saved = errno;
    if (is_recorded()) {
        uint64_t way = descriptor_look(listener).in;
        if (descriptor >= 0) {
            edge_acquire(way, pc);
            socket_accepted(descriptor);
            number_given(descriptor, pc);
        } else if (saved == EINVAL) { /* it was shut down */
            edge_acquire(way | EDGE_END, pc);
        }
    }
    errno = saved;
    return descriptor;
}

FUNCTION(int, accept, (int descriptor, struct sockaddr *from, socklen_t *length))
{
    edge_approach(CALLER);
    return accepted(descriptor, REAL(accept)(descriptor, from, length), CALLER);
}

FUNCTION(int, accept4, (int descriptor, struct sockaddr *from, socklen_t *length, int flags))
{
    edge_approach(CALLER);
    return accepted(descriptor, REAL(accept4)(descriptor, from, length, flags), CALLER);
}

/* The other side finds the end; and so does who waits on this side, in another thread. */
FUNCTION(int, shutdown, (int descriptor, int how))
{
    edge_hold();
    if (is_recorded()) {
        struct descriptor found = descriptor_look(descriptor);
        if (how != SHUT_RD)
            edge_release(found.out | EDGE_END, CALLER);
        if (how != SHUT_WR && found.in != found.out)
            edge_release(found.in | EDGE_END, CALLER);
    }
    int result = REAL(shutdown)(descriptor, how);
    edge_let_go();
    return result;
}
