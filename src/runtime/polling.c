/* SPDX-License-Identifier: MIT */
/* poll, select, epoll: to be told that something has come is to come after who sent it. */
#include "runtime/channels.h"
#include "runtime/descriptors.h"
#include "runtime/edges.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <poll.h>

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

static void polled(const struct pollfd *of, nfds_t count, int result, uintptr_t pc)
{
    int saved = errno;
    for (nfds_t i = 0; i < count && result > 0; i++)
        if (of[i].fd >= 0 && of[i].revents) {
            channel_ready(of[i].fd, of[i].revents, pc);
            result--;
        }
    errno = saved;
}

#define POLL(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        polled(of, count, result, CALLER);                                                         \
        return result;                                                                             \
    }
POLL(poll, (struct pollfd * of, nfds_t count, int timeout), (of, count, timeout))
POLL(ppoll,
     (struct pollfd * of, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (of, count, timeout, mask))

/* select() may be asked for more descriptors than its sets have room for: the kernel stops at the
 * end of the process's table, and has looked at no memory behind that. */
static int looked_at(int count)
{
    int size = count > FD_SETSIZE ? descriptor_table() : count;
    return size < count ? size : count;
}

static void selected(int count, const fd_set *input, int result, uintptr_t pc)
{
    if (!input || result <= 0 || !recorder_current)
        return;
    int saved = errno;
    count = looked_at(count);
    for (int i = 0; i < count; i++)
        if (FD_ISSET(i, input))
            channel_ready(i, POLLIN, pc);
    errno = saved;
}

#define SELECT(name, parameters, arguments)                                                        \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        selected(count, input, result, CALLER);                                                    \
        return result;                                                                             \
    }
SELECT(select, (int count, fd_set *input, fd_set *output, fd_set *special, struct timeval *timeout),
       (count, input, output, special, timeout))
SELECT(pselect,
       (int count, fd_set *input, fd_set *output, fd_set *special, const struct timespec *timeout,
        const sigset_t *mask),
       (count, input, output, special, timeout, mask))

/* --- epoll --------------------------------------------------------------------------
 *
 * The kernel tells what the program gave it, and not which descriptor that was for. */

enum { REGISTERED = 1 << 14, NEAR = 16 };

/* Near where its hash says; the newest takes the place of another if there is no room. */
static struct registration {
    _Atomic uint64_t key; /* the epoll instance and what it gives back, mixed */
    _Atomic int descriptor;
} registered[REGISTERED];

static uint64_t key_of(uint64_t instance, uint64_t given)
{
    return edge_mix(instance, given) | 1;
}

static struct registration *place(uint64_t key, unsigned step)
{
    return &registered[(key + step) % REGISTERED];
}

static void remember(int descriptor, uint64_t key)
{
    struct registration *chosen = place(key, 0);
    for (unsigned i = 0; i < NEAR; i++) {
        struct registration *at = place(key, i);
        uint64_t found = atomic_load(&at->key);
        if (found == key && atomic_load(&at->descriptor) == descriptor)
            return;
        if (!found)
            chosen = at;
    }
    atomic_store(&chosen->key, 0);
    atomic_store(&chosen->descriptor, descriptor);
    atomic_store(&chosen->key, key);
}

/* Several descriptors may have been given the same: those that are ready now. */
static bool is_ready(int descriptor, short *events)
{
    struct pollfd one = {.fd = descriptor, .events = POLLIN | POLLPRI | POLLRDHUP};
    long count = system_ask(SYS_poll, (long)&one, 1, 0, 0, 0, 0);
    *events = one.revents;
    return count > 0;
}

static void told(uint64_t key, short events, uintptr_t pc)
{
    int found[NEAR];
    unsigned count = 0;
    for (unsigned i = 0; i < NEAR; i++) {
        struct registration *at = place(key, i);
        if (atomic_load(&at->key) == key)
            found[count++] = atomic_load(&at->descriptor);
    }
    for (unsigned i = 0; i < count; i++) {
        short own = events;
        if (count == 1 || is_ready(found[i], &own))
            channel_ready(found[i], own, pc);
    }
}

/* Who registers is before who is told of it. A descriptor that was taken out stays remembered:
 * nothing is told of it. */
FUNCTION(int, epoll_ctl, (int set, int what, int descriptor, struct epoll_event *event))
{
    struct recorder *self = recorder_self();
    if (self && !self->ignore_sync && what != EPOLL_CTL_DEL &&
        system_readable(event, sizeof *event)) {
        uint64_t given;
        __builtin_memcpy(&given, &event->data, sizeof given);
        uint64_t key = key_of(descriptor_look(set).in, given);
        remember(descriptor, key);
        edge_release(edge_object(EDGE_POLL, key), CALLER);
    }
    return REAL(epoll_ctl)(set, what, descriptor, event);
}

/* The bits of poll and epoll are the same. */
static void waited(int set, const struct epoll_event *events, int count, uintptr_t pc)
{
    struct recorder *self = count > 0 ? recorder_self() : NULL;
    if (!self || self->ignore_sync)
        return;
    int saved = errno;
    uint64_t instance = descriptor_look(set).in;
    for (int i = 0; i < count; i++) {
        uint64_t given;
        __builtin_memcpy(&given, &events[i].data, sizeof given);
        uint64_t key = key_of(instance, given);
        edge_acquire(edge_object(EDGE_POLL, key), pc);
        told(key, (short)events[i].events, pc);
    }
    errno = saved;
}

#define WAIT(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int count = REAL(name) arguments;                                                          \
        waited(set, events, count, CALLER);                                                        \
        return count;                                                                              \
    }
WAIT(epoll_wait, (int set, struct epoll_event *events, int room, int timeout),
     (set, events, room, timeout))
WAIT(epoll_pwait,
     (int set, struct epoll_event *events, int room, int timeout, const sigset_t *mask),
     (set, events, room, timeout, mask))
WAIT(epoll_pwait2,
     (int set, struct epoll_event *events, int room, const struct timespec *timeout,
      const sigset_t *mask),
     (set, events, room, timeout, mask))
