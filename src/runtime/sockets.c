/* SPDX-License-Identifier: MIT */
#include "runtime/sockets.h"

#include "runtime/edges.h"
#include "runtime/process.h"
#include "runtime/system.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { SIDES = 1 << 14 };

union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un local;
    struct sockaddr_storage room;
};

/* --- questions to the kernel ------------------------------------------------------------ */

static int option_of(int number, int option)
{
    int value = 0;
    socklen_t length = sizeof value;
    long answer =
        system_ask(SYS_getsockopt, number, SOL_SOCKET, option, (long)&value, (long)&length, 0);
    return answer < 0 ? -1 : value;
}

static uint64_t inode_of(int number)
{
    struct stat status;
    return system_ask(SYS_fstat, number, (long)&status, 0, 0, 0, 0) < 0 ? 0 : status.st_ino;
}

static bool get_address(long call, int number, union address *address, unsigned *length)
{
    *address = (union address){0};
    *length = sizeof *address;
    return system_ask(call, number, (long)address, (long)length, 0, 0, 0) == 0;
}

/* Another process may hold the other end; 0 is one that we may not see. */
static bool is_peer_another_process(int number)
{
    struct {
        int32_t process;
        uint32_t user, group;
    } peer = {0};
    socklen_t length = sizeof peer;
    long answer =
        system_ask(SYS_getsockopt, number, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&length, 0);
    return answer < 0 || (uint32_t)peer.process != process.id;
}

/* The attribute of a socket's peer in the kernel's answer. */
static uint64_t find_peer(const char *answer, long length)
{
    const struct nlmsghdr *head = (const void *)answer;
    if (length < (long)NLMSG_LENGTH(sizeof(struct unix_diag_msg)) ||
        head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return 0;
    long at = NLMSG_LENGTH(0) + NLMSG_ALIGN(sizeof(struct unix_diag_msg));
    while (at + (long)sizeof(struct rtattr) <= length) {
        const struct rtattr *part = (const void *)(answer + at);
        if (part->rta_len < sizeof *part)
            return 0;
        if (part->rta_type == UNIX_DIAG_PEER)
            return *(const uint32_t *)RTA_DATA(part);
        at += (long)RTA_ALIGN(part->rta_len);
    }
    return 0;
}

/* The inode of the socket that one of the local family is connected with; 0: not known. */
static uint64_t ask_peer(uint64_t inode)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req what;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                          .nlmsg_flags = NLM_F_REQUEST},
                 .what = {.sdiag_family = AF_UNIX,
                          .udiag_states = UINT32_MAX,
                          .udiag_ino = (uint32_t)inode,
                          .udiag_show = UDIAG_SHOW_PEER,
                          .udiag_cookie = {UINT32_MAX, UINT32_MAX}}};
    _Alignas(8) char answer[512];
    int kernel = system_stand_away((int)system_ask(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
                                                   NETLINK_SOCK_DIAG, 0, 0, 0));
    if (kernel < 0)
        return 0;
    long length = system_ask(SYS_sendto, kernel, (long)&request, sizeof request, 0, 0, 0);
    if (length > 0)
        length = system_ask(SYS_recvfrom, kernel, (long)answer, sizeof answer, MSG_DONTWAIT, 0, 0);
    system_close(kernel);
    return length > 0 ? find_peer(answer, length) : 0;
}

/* --- the internet ------------------------------------------------------------------------- */

/* An address and its port; four bytes in sixteen are the same as four. */
static uint64_t mix_address(const union address *address)
{
    const unsigned char *six = address->six.sin6_addr.s6_addr;
    if (address->any.sa_family == AF_INET)
        return edge_mix(address->four.sin_addr.s_addr, address->four.sin_port);
    if (IN6_IS_ADDR_V4MAPPED(&address->six.sin6_addr)) {
        uint32_t four;
        __builtin_memcpy(&four, six + 12, sizeof four);
        return edge_mix(four, address->six.sin6_port);
    }
    return edge_mix_bytes(address->six.sin6_port, six, 16);
}

static uint64_t port_way(enum edge_class class, const union address *address)
{
    unsigned port =
        address->any.sa_family == AF_INET ? address->four.sin_port : address->six.sin6_port;
    return port ? edge_object(class, port) : 0;
}

static struct descriptor look_internet(int number, bool stream)
{
    union address own, other;
    unsigned length;
    struct descriptor found = {0};
    if (!get_address(SYS_getsockname, number, &own, &length))
        return found;
    bool connected = get_address(SYS_getpeername, number, &other, &length);
    if (stream && connected) {
        uint64_t here = mix_address(&own), there = mix_address(&other);
        found = (struct descriptor){.kind = DESCRIPTOR_STREAM,
                                    .in = edge_object(EDGE_CONNECTION, edge_mix(there, here)),
                                    .out = edge_object(EDGE_CONNECTION, edge_mix(here, there))};
        way_note_ours(found.out);
    } else if (stream && option_of(number, SO_ACCEPTCONN) > 0) {
        found =
            (struct descriptor){.kind = DESCRIPTOR_LISTENER, .in = port_way(EDGE_LISTENER, &own)};
    } else if (!stream) { /* without a port of its own until it sends */
        found = (struct descriptor){.kind = DESCRIPTOR_DATAGRAM,
                                    .in = port_way(EDGE_DATAGRAM, &own),
                                    .out = connected ? port_way(EDGE_DATAGRAM, &other) : 0};
        if (found.in)
            way_note_ours(found.in);
    }
    return found;
}

/* --- the local family --------------------------------------------------------------------- */

/* Which connection a socket belongs to, by its inode, and on which side it is. Old ones make
 * room for new ones; inodes are not used again for long. */
static struct side {
    _Atomic uint64_t inode, connection;
} sides[SIDES];

static struct side *side_at(uint64_t inode)
{
    return &sides[edge_mix(inode, 2) % SIDES];
}

static void note_side(uint64_t inode, uint64_t connection, bool second)
{
    struct side *side = side_at(inode);
    atomic_store(&side->inode, 0);
    atomic_store(&side->connection, connection << 1 | second);
    atomic_store(&side->inode, inode);
}

static bool find_side(uint64_t inode, uint64_t *connection)
{
    struct side *side = side_at(inode);
    *connection = atomic_load(&side->connection);
    return inode && atomic_load(&side->inode) == inode;
}

static uint64_t name_way(enum edge_class class, const union address *address, unsigned length)
{
    size_t before = offsetof(struct sockaddr_un, sun_path);
    if (length <= before || length > sizeof *address)
        return 0;
    size_t bytes = length - before;
    if (address->local.sun_path[0]) /* a file's: its end may have been sent along or not */
        for (size_t i = 0; i < bytes; i++)
            if (!address->local.sun_path[i])
                bytes = i;
    return edge_object(class, edge_mix_bytes(7, address->local.sun_path, bytes));
}

static struct descriptor look_local(int number, uint64_t inode, bool stream)
{
    union address own, other;
    unsigned own_length = 0, other_length = 0;
    uint64_t connection;
    struct descriptor found = {0};
    bool named = get_address(SYS_getsockname, number, &own, &own_length);
    if (find_side(inode, &connection)) {
        found = (struct descriptor){.kind = DESCRIPTOR_STREAM,
                                    .in = edge_object(EDGE_SOCKET, connection),
                                    .out = edge_object(EDGE_SOCKET, connection ^ 1)};
        way_note_ours(found.out);
    } else if (stream && option_of(number, SO_ACCEPTCONN) > 0) {
        found = (struct descriptor){.kind = DESCRIPTOR_LISTENER,
                                    .in = name_way(EDGE_LISTENER, &own, own_length)};
    } else if (get_address(SYS_getpeername, number, &other, &other_length) && stream) {
        uint64_t both = edge_object(EDGE_SOCKET, edge_mix(inode, 3));
        found = (struct descriptor){.kind = DESCRIPTOR_STREAM, .in = both, .out = both};
    } else if (!stream) {
        found = (struct descriptor){.kind = DESCRIPTOR_DATAGRAM,
                                    .in = named ? name_way(EDGE_DATAGRAM, &own, own_length) : 0,
                                    .out = name_way(EDGE_DATAGRAM, &other, other_length)};
        if (found.in)
            way_note_ours(found.in);
    }
    return found;
}

void socket_paired(const int ends[2])
{
    uint64_t first = inode_of(ends[0]), second = inode_of(ends[1]);
    note_side(first, first, false);
    note_side(second, first, true);
    way_note_ours(edge_object(EDGE_SOCKET, first << 1));
    way_note_ours(edge_object(EDGE_SOCKET, first << 1 | 1));
}

void socket_connects(int number)
{
    uint64_t inode = inode_of(number);
    if (option_of(number, SO_DOMAIN) == AF_UNIX && option_of(number, SO_TYPE) != SOCK_DGRAM)
        note_side(inode, inode, false);
}

void socket_connected(int number, uint64_t listener)
{
    bool local = option_of(number, SO_DOMAIN) == AF_UNIX;
    struct descriptor found = socket_look(number, inode_of(number));
    if (found.kind == DESCRIPTOR_STREAM &&
        (local ? !is_peer_another_process(number) : way_is_ours(listener)))
        way_note_ours(found.in);
}

void socket_accepted(int number)
{
    if (option_of(number, SO_DOMAIN) != AF_UNIX || is_peer_another_process(number))
        return;
    uint64_t inode = inode_of(number), other = ask_peer(inode);
    if (other)
        note_side(inode, other, true);
}

/* --- all of them ---------------------------------------------------------------------------- */

struct descriptor socket_look(int number, uint64_t inode)
{
    int family = option_of(number, SO_DOMAIN);
    bool stream = option_of(number, SO_TYPE) != SOCK_DGRAM;
    if (family == AF_INET || family == AF_INET6)
        return look_internet(number, stream);
    return family == AF_UNIX ? look_local(number, inode, stream) : (struct descriptor){0};
}

static uint64_t address_way(enum edge_class class, const void *bytes, unsigned length)
{
    union address address = {0};
    if (!bytes || length > sizeof address || length < sizeof address.any.sa_family ||
        !system_readable(bytes, length))
        return 0;
    __builtin_memcpy(&address, bytes, length);
    switch (address.any.sa_family) {
    case AF_INET:
    case AF_INET6:
        return port_way(class, &address);
    case AF_UNIX:
        return name_way(class, &address, length);
    default:
        return 0;
    }
}

uint64_t socket_datagram_way(const struct sockaddr *address, unsigned length)
{
    return address_way(EDGE_DATAGRAM, address, length);
}

uint64_t socket_listener_way(const void *address, unsigned length)
{
    return address_way(EDGE_LISTENER, address, length);
}

uint64_t socket_own_listener_way(int number)
{
    union address own;
    unsigned length;
    return get_address(SYS_getsockname, number, &own, &length)
               ? address_way(EDGE_LISTENER, &own, length)
               : 0;
}
