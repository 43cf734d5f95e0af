/* SPDX-License-Identifier: MIT */
#include "stepper/channels.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { CHANNELS = 4096, FILES = 1024 };

/* By a hash of what the channel is: two that share a word are only ordered more than they are. */
static uint64_t words[CHANNELS];
/* By number: the other end of a pair of sockets, + 1. */
static uint16_t others[FILES];

void channel_pair(int one, int other)
{
    if (one < 0 || other < 0 || one >= FILES || other >= FILES)
        return;
    others[one] = (uint16_t)(other + 1);
    others[other] = (uint16_t)(one + 1);
}

static uint16_t port_of(int file, bool peer)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_storage room;
    } address;
    socklen_t size = sizeof address;
    if (peer ? getpeername(file, &address.any, &size) : getsockname(file, &address.any, &size))
        return 0;
    return address.any.sa_family == AF_INET    ? ntohs(address.in.sin_port)
           : address.any.sa_family == AF_INET6 ? ntohs(address.in6.sin6_port)
                                               : 0;
}

/* Of the direction from one end to the other; those that have neither ports nor are a pair are all
 * one. */
static uint64_t socket_key(int file, enum channel_use use)
{
    if (use == CHANNEL_ACCEPT)
        return port_of(file, false);
    if (use == CHANNEL_CONNECT)
        return port_of(file, true);
    uint64_t from = port_of(file, use == CHANNEL_READ), to = port_of(file, use != CHANNEL_READ);
    if (from || to)
        return from << 16 | to;
    bool paired = file < FILES && others[file];
    return !paired ? 0 : (use == CHANNEL_READ ? others[file] - 1u : (uint64_t)file) | 1u << 31;
}

/* NULL: it is none between threads. */
static uint64_t *word_of(int file, enum channel_use use)
{
    struct stat status;
    uint64_t key;
    if (file < 0 || fstat(file, &status))
        return NULL;
    if (S_ISFIFO(status.st_mode))
        key = status.st_ino << 1 | 1;
    else if (S_ISSOCK(status.st_mode))
        key = socket_key(file, use) << 1;
    else if ((status.st_mode & S_IFMT) == 0) /* an eventfd, whose inode is everybody's */
        key = (uint64_t)file << 40;
    else
        return NULL;
    return &words[key * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

void channel_used(int file, enum channel_use use, uintptr_t pc)
{
    struct stepped *self = stepped_current();
    int kept = errno;
    uint64_t *word = self && stepper->threads > 1 ? word_of(file, use) : NULL;
    errno = kept;
    if (!word)
        return;
    bool writes = use == CHANNEL_WRITE || use == CHANNEL_CONNECT;
    struct step_event event = {.op = writes ? STEP_UPDATE : STEP_READ,
                               .flags = STEP_ATOMIC | STEP_CHANNEL,
                               .size = sizeof *word,
                               .object = (uintptr_t)word,
                               .seen = *word,
                               .made = writes ? ++*word : *word,
                               .pc = pc};
    step_add(self, event);
}
