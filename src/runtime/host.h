/* SPDX-License-Identifier: MIT */
/* A target inside Valgrind. The program is not instrumented there: Valgrind's core
 * translates it, and a tool of ours (valgrind/) adds the memory accesses. This
 * runtime, preloaded, supplies the rest: the interposers, the stamps, the schedule.
 *
 * Tool and target share an address space, and Valgrind runs one thread at a time,
 * so they share the recorders too: the tool is told where this thread's is and
 * writes into the same stream with the same code. Three builds of that code:
 *
 *     (neither)        the runtime of instrumented programs; all of this is nothing
 *     PREPLAY_HOSTED   the runtime inside Valgrind
 *     PREPLAY_HOST     the tool itself
 *
 * The program may be instrumented all the same. Then its hooks for accesses and calls say
 * nothing (HOST_SEES_CODE): the tool has seen the instructions themselves. Those that perform an
 * atomic operation record it, since the operation is in the runtime's code.
 *
 * The tool follows calls by their stack pointers and leaves it to whoever writes a
 * record to take off the frames that have returned. */
#ifndef PREPLAY_RUNTIME_HOST_H
#define PREPLAY_RUNTIME_HOST_H

#include "runtime/recorder.h"

enum host_request {
    HOST_REQUESTS = 'P' << 24 | 'P' << 16, /* Valgrind's numbering: two letters of a tool */
    HOST_PROCESS = HOST_REQUESTS,          /* struct host_places *: where things are */
    HOST_RECORDER,                         /* struct recorder *, or NULL: this thread's */
    HOST_MODULE,                           /* a program counter whose module is to be noted */
    HOST_FRESH,                            /* address, length: memory that is new */
    HOST_ATOMIC,                           /* address, length: an atomic variable */
    HOST_ATOMIC_CODE,                      /* from, to (behind): code of atomic operations */
    HOST_IS_RECORDED,                      /* is this program counter in the program's own code? */
};

struct host_places {
    uint64_t version, recorder_size;
    void *block; /* struct process */
    struct slot *slots;
    uintptr_t gate; /* where an access goes that a schedule may hold back; 0: nowhere */
};

#define HOST_VERSION 1

#ifdef PREPLAY_HOSTED
#define HOST_SEES_CODE true
#else
#define HOST_SEES_CODE false
#endif

#if defined(PREPLAY_HOSTED) || defined(PREPLAY_HOST)

#define HOST_GATE_BIT(op) ((uint8_t)(1u << (op_in(op, OPS_ATOMIC) ? 2 : (op) == EVENT_WRITE)))

/* Expects `busy`, as whoever writes a record does. */
static inline void frames_return(struct recorder *self, uint32_t depth)
{
    self->depth = depth;
    if (unlikely(self->begun > depth))
        write_blocks_end(self, depth);
}

/* A frame's `pointer` is where its return address lies: a function that runs has its
 * stack pointer there or below. */
static inline void frames_settle(struct recorder *self, uintptr_t stack_pointer)
{
    uint32_t depth = self->depth;
    while (depth && self->frames[depth - 1].pointer < stack_pointer)
        depth--;
    if (depth != self->depth)
        frames_return(self, depth);
}

/* True if the code at `pc` is the program's. */
bool host_records(uintptr_t pc);

/* --blocks: a place in each function whose block is about to begin. The innermost is
 * at `pc`, the others at the calls they have made. The C library has no blocks. */
static inline void frames_name(struct recorder *self, uintptr_t pc)
{
    if (likely(!process.blocks))
        return;
    for (uint32_t i = self->begun; i < self->depth; i++) {
        uintptr_t own = i + 1 < self->depth ? self->frames[i + 1].pc : pc;
        self->frames[i].own = host_records(own) ? own : 0;
    }
}

#endif

#ifdef PREPLAY_HOSTED

#include <valgrind/valgrind.h>

static inline uintptr_t host_ask(enum host_request request, uintptr_t first, uintptr_t second)
{
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, first, second, 0, 0, 0);
}

/* Before a record of code at `pc`: the call into the runtime itself is none of the
 * program's. */
static inline void host_frames(struct recorder *self, uintptr_t pc)
{
    frames_settle(self, (uintptr_t)__builtin_frame_address(0));
    if (self->depth && self->frames[self->depth - 1].pc == pc)
        frames_return(self, self->depth - 1);
    frames_name(self, pc);
}

/* Valgrind sees every call, so that no frame is missing. */
static inline bool host_enter_library(const struct recorder *self, uintptr_t pc)
{
    (void)self, (void)pc;
    return false;
}

/* Before anything is recorded: tells the tool where things are. False if the two
 * were not built together. */
bool host_begin(void);
/* The code that such an access jumps to. */
uintptr_t host_gate_address(void);
/* Lets another thread run, once in so many synchronisation operations. */
void host_switch(void);

#else

static inline uintptr_t host_ask(enum host_request request, uintptr_t first, uintptr_t second)
{
    (void)request, (void)first, (void)second;
    return 0;
}

static inline void host_frames(struct recorder *self, uintptr_t pc)
{
    (void)self, (void)pc;
}

/* A library that is not instrumented does not tell where it was called. The innermost function
 * that is instrumented did so for itself: a place in it stands for the call. True: it is the
 * topmost frame now. (Not where functions are atomic blocks: then frames are functions.) */
static inline bool host_enter_library(struct recorder *self, uintptr_t pc)
{
    uint32_t depth = self->depth;
    if (!depth || depth >= RECORDER_FRAMES || process.blocks)
        return false;
    const struct stack_frame *caller = &self->frames[depth - 1];
    if (!caller->own || modules_hold_both(caller->own, pc))
        return false;
    self->frames[self->depth++] =
        (struct stack_frame){.pc = caller->own, .pointer = caller->pointer};
    return true;
}

static inline bool host_begin(void)
{
    return true;
}

static inline void host_switch(void)
{
}

#endif

#endif
