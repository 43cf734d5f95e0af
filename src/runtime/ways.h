/* SPDX-License-Identifier: MIT */
/* The ways that messages take to and from a descriptor (edges.h), and whose they are. */
#ifndef PREPLAY_RUNTIME_WAYS_H
#define PREPLAY_RUNTIME_WAYS_H

#include <stdbool.h>
#include <stdint.h>

enum descriptor_kind {
    DESCRIPTOR_OTHER,    /* nothing that orders: files, terminals, what is not known */
    DESCRIPTOR_PIPE,     /* also named ones */
    DESCRIPTOR_STREAM,   /* a socket that is connected */
    DESCRIPTOR_DATAGRAM, /* one that names the receiver with each message, or may do so */
    DESCRIPTOR_LISTENER,
    DESCRIPTOR_COUNTER,
    DESCRIPTOR_TIMER,
    DESCRIPTOR_SIGNALS,
    DESCRIPTOR_WATCH, /* inotify, fanotify */
    DESCRIPTOR_POLL,  /* epoll */
    DESCRIPTOR_FILE,  /* one that descriptor_opening() was asked about */
};

struct descriptor {
    enum descriptor_kind kind;
    /* The ways of what is received and sent (edges.h); 0: none. The reverse way of a pipe carries
     * nothing but its end. */
    uint64_t in, out;
    uint64_t inode, opening;
};

/* Whether anybody in this process sends the way `way`: if not, the other side is another
 * process, whose answers come after what it was sent. */
bool way_is_ours(uint64_t way);
void way_note_ours(uint64_t way);
void way_forget(uint64_t way);

#endif
