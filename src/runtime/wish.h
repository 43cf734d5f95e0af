/* SPDX-License-Identifier: MIT */
/* What a thread is about to block for. An acquire is recorded once it is made, so the records
 * of a program that hangs do not tell what its threads wait for: that is told by the wish in
 * the header of the thread's stream, which is mapped memory of a file and survives a kill.
 *
 * It costs nothing where nothing blocks: locks and semaphores are tried first, and only what
 * was refused is wished for. A wish is overwritten by the next, so that traces do not grow.
 *
 * What processes share leaves no wish: another one may fulfil it, and the thread counts as one
 * that runs.
 *
 * The wish ends before the operation is recorded: a thread that was killed between the two has
 * neither, and never both. A wish made by a signal handler that interrupts another one gives
 * that one back. */
#ifndef PREPLAY_RUNTIME_WISH_H
#define PREPLAY_RUNTIME_WISH_H

#include "runtime/sync.h"

struct wish {
    struct stream_header *header; /* NULL: not made, or ended */
    uint64_t object, other, pc;   /* the one that it replaces */
    uint32_t node, wish;
};

struct wish wish_begin(const struct sync *sync, unsigned op);
/* More than once does no harm. */
void wish_end(struct wish *wish);
/* A jump to this stack pointer leaves what the thread waits in. It also ends a wish that it does
 * not leave, if a handler jumps inside itself: whoever seems to run is never stopped. */
void wish_leave(struct recorder *self, uintptr_t pointer);

/* A call that waits by nature. Whoever is cancelled in it, or thrown out of it, wishes no more. */
#define wish_during(sync, op, call)                                                                \
    ({                                                                                             \
        __attribute__((cleanup(wish_end), unused)) struct wish wish_made = wish_begin(sync, op);   \
        (call);                                                                                    \
    })
#define wish_around(sync, op, call) sync_block(sync, wish_during(sync, op, call))

/* `attempt` does the same as `call`, but answers `refused` where that would block. */
#define wish_if(sync, refused, attempt, call)                                                      \
    sync_block(sync, ({                                                                            \
                   int wish_result = (attempt);                                                    \
                   if (unlikely(wish_result == (refused)))                                         \
                       wish_result = wish_during(sync, (sync)->record.op, call);                   \
                   wish_result;                                                                    \
               }))

#endif
