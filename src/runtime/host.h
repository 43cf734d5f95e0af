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
};

struct host_places {
    uint64_t version, recorder_size;
    void *block; /* struct process */
    struct slot *slots;
    bool *enforcing;
    uintptr_t gate; /* where an access goes that a schedule may hold back (gate.c) */
};

#define HOST_VERSION 1

#ifdef PREPLAY_HOSTED

#include <valgrind/valgrind.h>

static inline uintptr_t host_ask(enum host_request request, uintptr_t first, uintptr_t second)
{
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, first, second, 0, 0, 0);
}

/* Before a record of code at `pc`: the frames that are left are those of its
 * function; the call into the runtime itself is none of the program's. */
static inline void host_frames(struct recorder *self, uintptr_t pc)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uint32_t depth = self->depth < RECORDER_FRAMES ? self->depth : RECORDER_FRAMES;
    while (depth && self->frames[depth - 1].pointer < here)
        depth--;
    if (depth && self->frames[depth - 1].pc == pc)
        depth--;
    self->depth = depth;
}

/* Before anything is recorded: tells the tool where things are. False if the two
 * were not built together. */
bool host_begin(void);
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

static inline bool host_begin(void)
{
    return true;
}

static inline void host_switch(void)
{
}

#endif

#endif
