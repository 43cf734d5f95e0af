/* SPDX-License-Identifier: MIT */
/* Whose messages a socket gets: one object for each way of a connection, so that two connections
 * order nothing between them.
 *
 *   internet, connected     by the two addresses, which both ends know
 *   local family            by the inode of the socket that connected (or of a pair's first), which
 *                           the accepting side asks the kernel for
 *   datagrams               by the port or name that they are sent to
 *
 * Where the other end is in another process, what is received may be its answer to what was sent
 * on this socket: both ways are one then. */
#ifndef PREPLAY_RUNTIME_SOCKETS_H
#define PREPLAY_RUNTIME_SOCKETS_H

#include "runtime/ways.h"

struct sockaddr;

struct descriptor socket_look(int number, uint64_t inode);

/* Where datagrams to this address arrive; 0 if that is not known. */
uint64_t socket_datagram_way(const struct sockaddr *address, unsigned length);
/* The way to a listening socket of this address, and of this descriptor's own. */
uint64_t socket_listener_way(const void *address, unsigned length);
uint64_t socket_own_listener_way(int number);

/* Two sockets that are connected with each other from the beginning. */
void socket_paired(const int ends[2]);
/* Before a socket connects, once it has (with whoever listens there), and once one was accepted:
 * who is on the other side. */
void socket_connects(int number);
void socket_connected(int number, uint64_t listener);
void socket_accepted(int number);

#endif
