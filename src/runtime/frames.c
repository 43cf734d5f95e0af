/* SPDX-License-Identifier: MIT */
/* The shadow call stack: compilers report each function's entry, with the
 * address it was called from, and its exit. */
#include "runtime/host.h"
#include "runtime/library_calls.h"
#include "runtime/recorder.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/wish.h"

EXPORT void __tsan_func_entry(void *pc);
EXPORT void __tsan_func_entry(void *pc)
{
    struct recorder *self = HOST_SEES_CODE ? NULL : recorder_current;
    if (unlikely(!self))
        return;
    uint32_t depth = self->depth;
    if (likely(depth < RECORDER_FRAMES)) {
        struct stack_frame *frame = &self->frames[depth];
        frame->pc = (uint64_t)(uintptr_t)pc;
        frame->pointer = (uintptr_t)__builtin_frame_address(0);
        frame->own = CALLER;
        frame->node = 0;
    }
    self->depth = depth + 1;
    if (unlikely(self->library_level == depth + 1))
        library_calls_function(self, (uintptr_t)pc);
}

static void leave_blocks(struct recorder *self)
{
    if (!recorder_enter(self))
        return;
    write_blocks_end(self, self->depth);
    recorder_leave(self);
}

EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void)
{
    struct recorder *self = HOST_SEES_CODE ? NULL : recorder_current;
    if (unlikely(!self) || unlikely(!self->depth))
        return;
    if (unlikely(self->library_level == self->depth))
        library_calls_back(self, CALLER);
    self->depth--;
    if (unlikely(self->begun > self->depth))
        leave_blocks(self);
}

/* A jump leaves functions without their exits. glibc keeps the target's stack
 * pointer mangled: rotated, and xor-ed with a secret of the thread. */
static void leave_frames(const uintptr_t *buffer)
{
    struct recorder *self = recorder_current;
    if (!self)
        return;
    uintptr_t secret, pointer = buffer[6];
    __asm__("movq %%fs:0x30, %0" : "=r"(secret));
    pointer = (pointer >> 17 | pointer << 47) ^ secret;
    wish_leave(self, pointer);
    signals_leave(self, pointer);
    if (self->depth > RECORDER_FRAMES)
        return;
    while (self->depth && self->frames[self->depth - 1].pointer < pointer)
        self->depth--;
    if (self->begun > self->depth)
        leave_blocks(self);
}

#define JUMP(name, next)                                                                           \
    EXPORT void name(void *buffer, int value);                                                     \
    EXPORT __attribute__((noreturn)) void name(void *buffer, int value)                            \
    {                                                                                              \
        leave_frames(buffer);                                                                      \
        REAL(next)(buffer, value);                                                                 \
        __builtin_unreachable();                                                                   \
    }

JUMP(longjmp, longjmp)
JUMP(_longjmp, longjmp)
JUMP(siglongjmp, siglongjmp)
JUMP(__longjmp_chk, __longjmp_chk)
