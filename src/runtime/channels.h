/* What goes through a pipe, a socket or an event counter orders its two sides. Each such
 * channel is an object: to send is a read-modify-write of it, to receive a load, as
 * ThreadSanitizer orders them:
 *
 *   pipe, socketpair, eventfd, epoll   each its own channel, shared by duplicates
 *   other sockets                      one for all: which two are connected is not known;
 *                                      and connecting is before accepting
 *   files                              none: what is written to a log is not a message */
#ifndef PREPLAY_RUNTIME_CHANNELS_H
#define PREPLAY_RUNTIME_CHANNELS_H

#include <stdint.h>

/* Call the first before sending, the second after having received. */
void channel_send(int descriptor, uintptr_t pc);
void channel_receive(int descriptor, uintptr_t pc);

#endif
