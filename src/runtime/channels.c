#include "runtime/channels.h"

#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>

enum {
    DESCRIPTORS = 4096,
    CHANNEL_SOCKETS = DESCRIPTORS + 1,
    CHANNEL_CONNECTING,
    CHANNEL_SIZE = 64, /* of the address range that stands for one; no object lies there */
};

/* Which channel a descriptor belongs to; 0: not known to carry anything between threads.
 * A channel has the number of its first descriptor, plus one. */
static _Atomic uint16_t channels[DESCRIPTORS];

static bool known(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS;
}

static uint16_t channel_of(int descriptor)
{
    return known(descriptor) ? atomic_load_explicit(&channels[descriptor], memory_order_relaxed)
                             : 0;
}

static void set_channel(int descriptor, uint16_t channel)
{
    if (known(descriptor))
        atomic_store_explicit(&channels[descriptor], channel, memory_order_relaxed);
}

/* A new channel, whatever its number was used for before. */
static uint16_t new_channel(int descriptor, uintptr_t pc)
{
    if (!known(descriptor))
        return 0;
    uint16_t channel = (uint16_t)(descriptor + 1);
    struct recorder *self = recorder_current;
    if (self && !self->busy)
        sync_note_init(RECORD_OP_MAP, (const void *)((uintptr_t)channel * CHANNEL_SIZE),
                       CHANNEL_SIZE, pc);
    return channel;
}

static void transfer(uint16_t channel, unsigned op, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (!channel || !self || self->ignore_sync)
        return;
    struct sync_record record = {.op = (uint8_t)op,
                                 .object = (uintptr_t)channel * CHANNEL_SIZE,
                                 .size = 1,
                                 .order = ORDER_ACQ_REL,
                                 .pc = pc};
    int saved = errno;
    self->sync_index++;
    sync_note(self, &record);
    errno = saved;
}

void channel_send(int descriptor, uintptr_t pc)
{
    transfer(channel_of(descriptor), EVENT_ATOMIC_RMW, pc);
}

void channel_receive(int descriptor, uintptr_t pc)
{
    transfer(channel_of(descriptor), EVENT_ATOMIC_LOAD, pc);
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* --- descriptors come and go -------------------------------------------------- */

#define PAIR(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        if (result == 0) {                                                                         \
            uint16_t channel = new_channel(ends[0], CALLER);                                       \
            set_channel(ends[0], channel);                                                         \
            set_channel(ends[1], channel);                                                         \
        }                                                                                          \
        return result;                                                                             \
    }
PAIR(pipe, (int ends[2]), (ends))
PAIR(pipe2, (int ends[2], int flags), (ends, flags))
PAIR(socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends))

FUNCTION(int, eventfd, (unsigned count, int flags))
{
    int descriptor = REAL(eventfd)(count, flags);
    set_channel(descriptor, new_channel(descriptor, CALLER));
    return descriptor;
}

#define DUPLICATE(name, parameters, arguments)                                                     \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int copy = REAL(name) arguments;                                                           \
        set_channel(copy, channel_of(descriptor));                                                 \
        return copy;                                                                               \
    }
DUPLICATE(dup, (int descriptor), (descriptor))
DUPLICATE(dup2, (int descriptor, int wanted), (descriptor, wanted))
DUPLICATE(dup3, (int descriptor, int wanted, int flags), (descriptor, wanted, flags))

FUNCTION(int, close, (int descriptor))
{
    /* What was written before it is closed is seen by whoever reads the end. */
    channel_send(descriptor, CALLER);
    set_channel(descriptor, 0);
    return REAL(close)(descriptor);
}

/* --- sockets --------------------------------------------------------------------- */

FUNCTION(int, socket, (int domain, int type, int protocol))
{
    int descriptor = REAL(socket)(domain, type, protocol);
    set_channel(descriptor, CHANNEL_SOCKETS);
    return descriptor;
}

FUNCTION(int, connect, (int descriptor, const struct sockaddr *to, socklen_t length))
{
    transfer(CHANNEL_CONNECTING, EVENT_ATOMIC_RMW, CALLER);
    return REAL(connect)(descriptor, to, length);
}

static int accepted(int descriptor, uintptr_t pc)
{
    if (descriptor >= 0)
        transfer(CHANNEL_CONNECTING, EVENT_ATOMIC_LOAD, pc);
    set_channel(descriptor, CHANNEL_SOCKETS);
    return descriptor;
}

FUNCTION(int, accept, (int descriptor, struct sockaddr *from, socklen_t *length))
{
    return accepted(REAL(accept)(descriptor, from, length), CALLER);
}

FUNCTION(int, accept4, (int descriptor, struct sockaddr *from, socklen_t *length, int flags))
{
    return accepted(REAL(accept4)(descriptor, from, length, flags), CALLER);
}

/* --- epoll: who registers is before who is told ------------------------------------ */

FUNCTION(int, epoll_ctl, (int set, int what, int descriptor, struct epoll_event *event))
{
    if (what != EPOLL_CTL_DEL && known(set)) {
        if (!channel_of(set))
            set_channel(set, new_channel(set, CALLER));
        channel_send(set, CALLER);
    }
    return REAL(epoll_ctl)(set, what, descriptor, event);
}

FUNCTION(int, epoll_wait, (int set, struct epoll_event *events, int room, int timeout))
{
    int count = REAL(epoll_wait)(set, events, room, timeout);
    if (count > 0)
        channel_receive(set, CALLER);
    return count;
}

FUNCTION(int, epoll_pwait,
         (int set, struct epoll_event *events, int room, int timeout, const sigset_t *mask))
{
    int count = REAL(epoll_pwait)(set, events, room, timeout, mask);
    if (count > 0)
        channel_receive(set, CALLER);
    return count;
}
