/* SPDX-License-Identifier: MIT */
/* One thread at a time: who goes on, and what was done.
 *
 * Exactly one thread of the program runs; the others stand, each before the operation that it
 * told step_before(). So nothing here needs a lock, and no operation of the program is ever
 * performed while it would block: the real ones are not called at all. */
#ifndef PREPLAY_STEPPER_STEPS_H
#define PREPLAY_STEPPER_STEPS_H

#include "stepper/page.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))

struct object;
struct stepped;

/* What a thread waits for that is not stepped (outside.h). */
struct standing {
    bool (*is_ready)(const struct standing *self);
    /* Really waits until `thread` may go on, or anybody if that is NULL, so long at most. */
    bool (*await)(const struct stepped *thread, uint64_t nanoseconds);
    bool timed;       /* need not wait for ever: see the thread's alarm */
    bool interrupted; /* a signal's handler ran meanwhile */
};

struct stepped {
    uint32_t id;              /* in the page */
    uint32_t go;              /* futex: 1 when it may run */
    struct step_event *late;  /* a write whose value is not told yet */
    struct step_event untold; /* the last one, when there is no more room */
    struct object *queue;     /* the condition variable it waits for */
    uint64_t queued;          /* when it joined that queue */
    bool rests;               /* others first: it sleeps or yielded */
    uint64_t alarm;           /* virtual time at which it should go on */
    struct standing *outside; /* what it waits for that is not stepped; NULL: nothing */
    uint32_t children;
    uint32_t alone; /* how often it read the same while nobody else could run */
    bool cancelled; /* it is to end where it can wait */
    bool inside;    /* the runtime's own code: nothing is told */
    struct window { /* reads since it last changed anything, for loops */
        uint64_t object, pc, mask;
        uint64_t seen; /* what it read or wrote */
        uint8_t op;
    } window[64];
    uint32_t reads;
    void *(*start)(void *);
    void *argument;
    void *value;      /* what it returns */
    void **result;    /* where its joiner reads that, the same address for the same thread */
    uint64_t pthread; /* as pthread_self() has it */
    int task;         /* as the kernel has it; 0: it has not begun */
    uint64_t sent;    /* signals that it can wait for, by bits from 0 for signal 1 */
    uint64_t awaited; /* those that it waits for now */
};

extern struct stepper_page *stepper; /* NULL: the program runs as if we were not there */
extern __thread struct stepped *stepped_self;

/* The running thread, if what it does is to be told. */
static inline struct stepped *stepped_current(void)
{
    struct stepped *self = stepped_self;
    return stepper && self && !self->inside ? self : NULL;
}

/* Stands before the operation until its turn has come; what it then does is performed at once. */
void step_before(struct stepped *self, const struct step_event *event);
/* Tells it, with what it saw and made; the event, for what is known later. */
struct step_event *step_tell(struct stepped *self, struct step_event event);
/* Tells what was done already, since the last operation. */
void step_add(struct stepped *self, struct step_event event);
/* A write's value is told when the thread comes here next. */
void step_settle(struct stepped *self);
/* Others first; `nanoseconds` of virtual time. */
void step_rest(struct stepped *self, uint64_t nanoseconds);
/* Stands, between two operations, until it may go on. */
/* One that stands so: may it? */
bool step_is_ready(const struct stepped *thread);
void step_outside(struct stepped *self, struct standing *what, uintptr_t pc);
/* The thread is gone: somebody else goes on. */
void step_leave(struct stepped *self);
/* A new thread that stands before its first operation. NULL: too many. */
struct stepped *step_new(struct stepped *parent);
/* In a new thread: until it is its turn. */
void step_arrive(struct stepped *self);
struct stepped *step_thread(uint32_t id);
/* Is it the C library's own code, whose business is not the program's? */
bool step_is_library(uintptr_t pc);
/* A clock that was looked at: it never shows the same twice. */
uint64_t step_time(void);
uint64_t step_now(void);
/* So much time went by outside. */
void step_pass(uint64_t nanoseconds);
/* Which waiter the schedule wants woken now, by the low half of its name; 0: the oldest. */
uint32_t step_waiter(void);
/* Stops for a debugger, if it wants to. */
void step_trap(enum step_trap trap);
_Noreturn void step_stop(enum step_end end);
_Noreturn void step_misuse(enum step_fault fault, uint64_t address, uintptr_t pc);

/* The program's synchronisation objects, by address. */
struct object {
    uint64_t address;
    struct stepped *owner;
    uint32_t depth; /* of a recursive lock */
    uint32_t readers;
    uint64_t value;  /* of a semaphore; of a once: 1 begun, 2 done */
    uint32_t wanted; /* a barrier's */
};
struct object *object_at(uint64_t address);

#endif
