/* SPDX-License-Identifier: MIT */
/* Frames for libraries that report no calls: who called them is on the shadow call stack while
 * they run. Valgrind sees all calls itself. */
#ifndef PREPLAY_RUNTIME_CALLER_H
#define PREPLAY_RUNTIME_CALLER_H

#include "runtime/recorder.h"

struct call {
    struct recorder *recorder; /* NULL: not recorded */
};

static inline struct call call_begin(uintptr_t caller)
{
#ifndef PREPLAY_HOSTED
    struct recorder *self = recorder_self();
    if (self) {
        if (self->depth < RECORDER_FRAMES)
            self->frames[self->depth] = (struct stack_frame){
                .pc = caller, .pointer = (uintptr_t)__builtin_frame_address(0)};
        self->depth++;
        return (struct call){self};
    }
#endif
    (void)caller;
    return (struct call){0};
}

/* By return and by an exception alike. */
static inline void call_end(struct call *call)
{
    if (call->recorder && call->recorder->depth)
        call->recorder->depth--;
}

/* Until the end of the block. */
#define CALL_FROM(caller)                                                                          \
    __attribute__((cleanup(call_end), unused)) struct call call = call_begin(caller)

#endif
