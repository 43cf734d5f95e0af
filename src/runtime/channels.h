/* SPDX-License-Identifier: MIT */
/* What goes through a pipe, a socket, an event counter orders its two sides (edges.h), each way of
 * each connection by itself (descriptors.h, sockets.h): who sent comes before who received. What is
 * said by closing or shutting down is heard by who finds the end, and by nobody else. Files
 * order nothing: what is written to a log is not a message. */
#ifndef PREPLAY_RUNTIME_CHANNELS_H
#define PREPLAY_RUNTIME_CHANNELS_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Before sending; `to` is where a datagram goes, or NULL. */
void channel_send(int descriptor, uintptr_t pc);
void channel_send_to(int descriptor, const struct sockaddr *to, unsigned length, uintptr_t pc);
/* Once it was tried: that nobody listens any more is an end, too. Keeps errno. */
void channel_sent(int descriptor, ssize_t result, uintptr_t pc);
/* After having received `result` bytes into `buffer`, or none; only a buffer of signals is
 * looked at. Keeps errno. */
void channel_receive(int descriptor, const void *buffer, ssize_t result, uintptr_t pc);
/* poll() or the like told `events` of it. */
void channel_ready(int descriptor, short events, uintptr_t pc);
/* Before the descriptor is closed, or means another thing; and when that has been done. */
void channel_close(int descriptor, uintptr_t pc);
void channel_closed(void);

/* Files change: whoever watches them (inotify) comes after. */
void channel_files_change(uintptr_t pc);

#endif
