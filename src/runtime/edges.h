/* SPDX-License-Identifier: MIT */
/* Orders that the kernel makes between two threads, and the C library without our seeing it:
 * who receives comes after who has sent.
 *
 * Each is recorded as an atomic operation on an object that stands for the way of the message, not
 * for memory (RECORD_EDGE): to send is a read-modify-write that releases and acquires nothing (two
 * senders are not ordered), to receive a load that acquires. Replays hold nobody back here:
 * the kernel does.
 *
 * An object's name is 48 bits of identity under a class; `EDGE_END` beside it is its other half:
 * what is said by ending, not by sending. */
#ifndef PREPLAY_RUNTIME_EDGES_H
#define PREPLAY_RUNTIME_EDGES_H

#include "trace/encoding.h"

#include <stddef.h>

enum edge_class {
    EDGE_PIPE = 1,
    EDGE_SOCKET,     /* a connection of the local family, one way */
    EDGE_CONNECTION, /* one of the internet's, by its two addresses, one way */
    EDGE_DATAGRAM,   /* datagrams to a port or a name */
    EDGE_LISTENER,   /* connecting is before accepting */
    EDGE_COUNTER,    /* eventfd */
    EDGE_POLL,       /* an epoll instance: what is registered is before what is told of it */
    EDGE_TIMER,
    EDGE_QUEUE, /* POSIX and System V */
    EDGE_SEMAPHORE,
    EDGE_FILE_LOCK,
    EDGE_SIGNAL,
    EDGE_CALLBACK,       /* registered in one thread, called in another */
    EDGE_CHILD,          /* processes: before their start and after their end */
    EDGE_FILES,          /* changes of files, for who watches them */
    EDGE_RING,           /* io_uring */
    EDGE_LOOSE = 1 << 6, /* from here on: RECORD_EDGE_LOOSE */
    EDGE_NUMBER,         /* of a descriptor: closed, and given again */
    EDGE_LIBRARY,        /* calls into a library that synchronises unseen; by its place */
    EDGE_CLASSES = 1 << 7,
};
_Static_assert(((uint64_t)EDGE_CLASSES << 48) == RECORD_EDGE, "classes lie below the mark");
_Static_assert(((uint64_t)EDGE_LOOSE << 48) == RECORD_EDGE_LOOSE, "the tool knows loose ones");
_Static_assert(EDGE_LIBRARY == RECORD_EDGE_LIBRARY, "the tool knows libraries");

#define EDGE_END UINT64_C(1)

static inline uint64_t edge_object(enum edge_class class, uint64_t identity)
{
    uint64_t mask = (UINT64_C(1) << 45) - 1;
    return RECORD_EDGE | (uint64_t) class << 48 | (identity & mask) << 3;
}

/* One number from many, as good as unique. */
static inline uint64_t edge_mix(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);
    return mixed ^ mixed >> 29;
}

uint64_t edge_mix_bytes(uint64_t seed, const void *bytes, size_t length);

/* Call the first before what lets others go on, the second after having waited. Both keep errno,
 * and do nothing for object 0 and in threads that are not recorded. */
void edge_release(uint64_t object, uintptr_t pc);
/* As the first, and what was released on the object before is forgotten: it means another message.
 */
void edge_begin(uint64_t object, uintptr_t pc);
void edge_acquire(uint64_t object, uintptr_t pc);
/* edge_release() of a loose one: a look and a store, since a read-modify-write is bound to what it
 * saw in every model. */
void edge_release_loosely(uint64_t object, uintptr_t pc);

/* In a replay the turn of an edge passes on at once, since who sends may block until somebody
 * receives. What never blocks keeps the turns of its edges, from the first of these calls to the
 * second, which comes when it has been done: whose turn it is next finds it done. */
void edge_hold(void);
void edge_let_go(void);
/* Before a call whose edges come after it, and whose result depends on who came first: in a replay
 * it waits for the turn of the first of these edges. */
void edge_approach(uintptr_t pc);

#endif
