/* SPDX-License-Identifier: MIT */
/* Bytes come out of a pipe or a stream socket in the order in which they went in, so that who has
 * read the first message does not come after who wrote the second. What is sent is counted, and
 * what is received, and each message is an object of its own: one of a few beside the way
 * (edges.h), used in turns. Messages that are sent at the same time are one, since only the kernel
 * knows which came first.
 *
 * All of that holds only as long as nobody else sends or receives: another process, a call that
 * is not seen, a second receiving thread. The kernel is asked with each receipt how much is left;
 * if that is not what is left by our count, the receiver comes after all that was sent. */
#ifndef PREPLAY_RUNTIME_FLOWS_H
#define PREPLAY_RUNTIME_FLOWS_H

#include <stdint.h>
#include <sys/types.h>

/* Before sending, and once `sent` bytes were (or none). Where the second is not called, who
 * receives comes after all that was sent. */
void flow_send(uint64_t way, uintptr_t pc);
void flow_sent(uint64_t way, ssize_t sent);
/* Whether any thread is between the two. */
int flow_is_sending(void);

/* Having received `got` bytes from the descriptor at the end of the way; or having been told that
 * there is something (0). */
void flow_received(uint64_t way, int descriptor, ssize_t got, uintptr_t pc);

/* Another process gets all descriptors: what it does to them is not seen. */
void flows_share(void);

#endif
