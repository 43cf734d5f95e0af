/* SPDX-License-Identifier: MIT */
/* With whom the recorded run talks, for replays: they get a network of their own, unless it was
 * with others than itself (target/network.h). `before/network` of the recording has a line for each
 * address, once:
 *
 *   own|other PORT ADDRESS
 *
 * `own` is one that a socket of the program was bound to, `other` one that it connected with.
 * ADDRESS is in hexadecimal, 4 or 16 bytes; of the local family it is `@` and the bytes of a name
 * that is no path (PORT is 0 then), or a path as it was given. */
#ifndef PREPLAY_RUNTIME_NETWORK_H
#define PREPLAY_RUNTIME_NETWORK_H

struct sockaddr;

/* The kernel has taken the address. */
void network_connected(const struct sockaddr *to, unsigned length);
/* A socket has got an address: what the kernel says of it. */
void network_bound(int descriptor);

#endif
