/* SPDX-License-Identifier: MIT */
/* An event is one operation of one thread (docs/design.md, "Events"). This header is
 * the vocabulary that every part of preplay shares; it includes nothing but
 * integers, so that the runtime inside the target can use it too.
 *
 * Operands are dense ids, one number space per object class, handed out by the
 * reader in order of first appearance:
 *
 *   event                           object        other
 *   fork join                       thread        -
 *   start end branch fence          -             -
 *   read write atomic_* alloc free  variable      -
 *   acquire* release*               lock          -
 *   destroy bad_release bad_acquire lock          -
 *   bad_wait                        lock          -
 *   bad_join                        thread        -
 *   condition_destroy               condition     -
 *   barrier_destroy                 barrier       -
 *   wait_begin wait_end             condition     lock
 *   signal broadcast                condition     -
 *   barrier_enter barrier_exit      barrier       instance (dense, per trace)
 *   post sem_wait semaphore_destroy semaphore     -
 *   detach                          thread        -
 *   bad_call                        label         -
 *   once_*                          once          -
 *   block_begin block_end           label         -
 */
#ifndef PREPLAY_TRACE_EVENT_H
#define PREPLAY_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum object_class {
    CLASS_NONE,
    CLASS_THREAD,
    CLASS_VARIABLE,
    CLASS_LOCK, /* mutexes, spinlocks and rwlocks alike */
    CLASS_CONDITION,
    CLASS_BARRIER,
    CLASS_SEMAPHORE,
    CLASS_ONCE,
    CLASS_LABEL,
    CLASS_COUNT,
};

/* EVENT(name, text, class of object, class of other)
 * `text` is the operation's word in .std files, dumps and JSON dumps. */
#define EVENT_TABLE(EVENT)                                                                         \
    EVENT(START, "threadstart", NONE, NONE)                                                        \
    EVENT(END, "threadend", NONE, NONE)                                                            \
    EVENT(FORK, "fork", THREAD, NONE)                                                              \
    EVENT(JOIN, "join", THREAD, NONE)                                                              \
    EVENT(READ, "r", VARIABLE, NONE)                                                               \
    EVENT(WRITE, "w", VARIABLE, NONE)                                                              \
    EVENT(ATOMIC_LOAD, "atomicr", VARIABLE, NONE)                                                  \
    EVENT(ATOMIC_STORE, "atomicw", VARIABLE, NONE)                                                 \
    EVENT(ATOMIC_RMW, "atomicrmw", VARIABLE, NONE)                                                 \
    EVENT(FENCE, "fence", NONE, NONE)                                                              \
    EVENT(ALLOC, "alloc", VARIABLE, NONE)                                                          \
    EVENT(FREE, "free", VARIABLE, NONE)                                                            \
    EVENT(ACQUIRE, "acq", LOCK, NONE)                                                              \
    EVENT(RELEASE, "rel", LOCK, NONE)                                                              \
    EVENT(ACQUIRE_READ, "rdacq", LOCK, NONE)                                                       \
    EVENT(RELEASE_READ, "rdrel", LOCK, NONE)                                                       \
    EVENT(ACQUIRE_WRITE, "wracq", LOCK, NONE)                                                      \
    EVENT(RELEASE_WRITE, "wrrel", LOCK, NONE)                                                      \
    EVENT(WAIT_BEGIN, "wait", CONDITION, LOCK)                                                     \
    EVENT(WAIT_END, "woken", CONDITION, LOCK)                                                      \
    EVENT(SIGNAL, "notify", CONDITION, NONE)                                                       \
    EVENT(BROADCAST, "notifyall", CONDITION, NONE)                                                 \
    EVENT(BARRIER_ENTER, "enter", BARRIER, NONE)                                                   \
    EVENT(BARRIER_EXIT, "exit", BARRIER, NONE)                                                     \
    EVENT(POST, "post", SEMAPHORE, NONE)                                                           \
    EVENT(SEM_WAIT, "semwait", SEMAPHORE, NONE)                                                    \
    EVENT(ONCE_BEGIN, "oncebegin", ONCE, NONE)                                                     \
    EVENT(ONCE_END, "onceend", ONCE, NONE)                                                         \
    EVENT(ONCE_PASS, "oncepass", ONCE, NONE) /* returns because another thread's end came */       \
    EVENT(BLOCK_BEGIN, "begin", LABEL, NONE)                                                       \
    EVENT(BLOCK_END, "end", LABEL, NONE)                                                           \
    EVENT(BRANCH, "branch", NONE, NONE)                                                            \
    /* Misuse, or what makes it one (misuse_rules.h); no effect on any thread. */                  \
    EVENT(DESTROY, "destroy", LOCK, NONE)    /* FAILED: it was refused, the lock is held */        \
    EVENT(BAD_RELEASE, "badrel", LOCK, NONE) /* of a lock that nobody holds */                     \
    EVENT(BAD_ACQUIRE, "badacq", LOCK, NONE) /* refused: the lock is destroyed */                  \
    EVENT(BAD_WAIT, "badwait", LOCK, NONE)   /* for a condition, with a lock that nobody holds */  \
    EVENT(BAD_JOIN, "badjoin", THREAD, NONE) /* refused: of itself, or of one that is detached */  \
    EVENT(CONDITION_DESTROY, "conddestroy", CONDITION, NONE)                                       \
    EVENT(BARRIER_DESTROY, "bardestroy", BARRIER, NONE)                                            \
    EVENT(SEMAPHORE_DESTROY, "semdestroy", SEMAPHORE, NONE) /* FAILED: a thread waits for it */    \
    EVENT(DETACH, "detach", THREAD, NONE)                                                          \
    EVENT(BAD_CALL, "badcall", LABEL, NONE) /* the label: the rule it breaks */                    \
    EVENT(ATOMIC_LOOK, "atomiclook", VARIABLE, NONE)

enum event_op {
#define EVENT(name, text, object, other) EVENT_##name,
    EVENT_TABLE(EVENT)
#undef EVENT
        EVENT_COUNT
};

/* As the C11 memory orders, in their usual numbering. */
enum memory_order_name {
    ORDER_RELAXED,
    ORDER_CONSUME,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SEQ_CST,
};

enum event_flag {
    /* A try or timed form: it does not block for ever, so it closes no deadlock. */
    EVENT_TRY = 1 << 0,
    /* The operation had no effect: a try-lock that found the lock held, a
     * semaphore wait that found no count. For wait_end: the wait returned
     * without a signal (time-out or spurious wake-up) but did re-acquire. */
    EVENT_FAILED = 1 << 1,
    EVENT_HAS_VALUE = 1 << 2, /* `value` was recorded */
    /* Nobody performed it: the reader worked it out (skipped_waits.h). */
    EVENT_IMPLIED = 1 << 3,
    /* It was begun and never performed: the thread waited for it to the end (trace->wishes). */
    EVENT_WISH = 1 << 4,
    /* Of a write, or the destroy of a lock: it frees the heap block that it is in. */
    EVENT_FREES = 1 << 5,
    /* A wait for a condition by code whose accesses are not recorded: what it waited for, and that
     * it would not have waited had that come already, is not known. Of an atomic look: a call into
     * a library whose synchronisation is not known, which may order or not
     * (runtime/library_calls.h). */
    EVENT_UNSEEN = 1 << 6,
    /* Of a post: it unlocks a mutex, used as a semaphore, that another thread has locked. */
    EVENT_FOREIGN = 1 << 7,
};

struct event {
    uint32_t thread; /* logical thread id */
    uint8_t op;      /* enum event_op */
    uint8_t flags;   /* enum event_flag, or-ed */
    uint8_t order;   /* enum memory_order_name, of atomics and fences */
    uint8_t size;    /* bytes accessed, 0 where unknown or above 255 */
    uint32_t object;
    uint32_t other;
    uint32_t location; /* source location; trace_location() names it */
    uint32_t stack;    /* call stack; 0 is "not recorded" */
    /* What was read or written (EVENT_HAS_VALUE). Of an operation that schedules
     * list, in a recorded trace: which one of its thread it is, from 0. */
    uint64_t value;
};

#define OP_BIT(op) (UINT64_C(1) << (op))
_Static_assert(EVENT_COUNT <= 64, "operation sets are 64-bit masks");

/* Reads that order: they see what they saw in every model (but for `value`: the same value). An
 * atomic look is a load as well, and orders in the observed run, but nothing says that its thread
 * waited for what it saw, as the end of a spin loop does: models treat it as a plain read. */
#define OPS_BOUND   (OP_BIT(EVENT_ATOMIC_LOAD) | OP_BIT(EVENT_ATOMIC_RMW))
#define OPS_READING (OP_BIT(EVENT_READ) | OP_BIT(EVENT_ATOMIC_LOOK) | OPS_BOUND)
#define OPS_WRITING (OP_BIT(EVENT_WRITE) | OP_BIT(EVENT_ATOMIC_STORE) | OP_BIT(EVENT_ATOMIC_RMW))
#define OPS_ATOMIC  (OPS_BOUND | OP_BIT(EVENT_ATOMIC_LOOK) | OP_BIT(EVENT_ATOMIC_STORE))
#define OPS_ACCESS  (OPS_READING | OPS_WRITING)
/* After these the thread owns (a share of) event_lock(), unless EVENT_FAILED. */
#define OPS_ACQUIRING                                                                              \
    (OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE) |            \
     OP_BIT(EVENT_WAIT_END))
#define OPS_RELEASING                                                                              \
    (OP_BIT(EVENT_RELEASE) | OP_BIT(EVENT_RELEASE_READ) | OP_BIT(EVENT_RELEASE_WRITE) |            \
     OP_BIT(EVENT_WAIT_BEGIN))
/* Said beside what the program does: no schedule lists it. */
#define OPS_NOTED (OP_BIT(EVENT_DETACH) | OP_BIT(EVENT_BAD_CALL))
/* No effect, but for what the rules of misuse make of them. */
#define OPS_MISUSE                                                                                 \
    (OP_BIT(EVENT_DESTROY) | OP_BIT(EVENT_BAD_RELEASE) | OP_BIT(EVENT_BAD_ACQUIRE) |               \
     OP_BIT(EVENT_BAD_WAIT) | OP_BIT(EVENT_BAD_JOIN) | OP_BIT(EVENT_CONDITION_DESTROY) |           \
     OP_BIT(EVENT_BARRIER_DESTROY) | OP_BIT(EVENT_SEMAPHORE_DESTROY) | OPS_NOTED)
/* No effect on any other thread: neither accesses nor synchronisation. */
#define OPS_LOCAL                                                                                  \
    (OP_BIT(EVENT_BLOCK_BEGIN) | OP_BIT(EVENT_BLOCK_END) | OP_BIT(EVENT_BRANCH) |                  \
     OP_BIT(EVENT_ALLOC) | OP_BIT(EVENT_FREE) | OPS_MISUSE)
#define OPS_ALL (OP_BIT(EVENT_COUNT) - 1)
/* Synchronisation: what a schedule lists and a segment ends at. */
#define OPS_SYNC (OPS_ALL & ~(OPS_LOCAL | OP_BIT(EVENT_READ) | OP_BIT(EVENT_WRITE)))

static inline bool op_in(unsigned op, uint64_t set)
{
    return (set >> op) & 1;
}

/* What the program performed: for it, a look is a load. */
static inline uint8_t op_performed(uint8_t op)
{
    return op == EVENT_ATOMIC_LOOK ? EVENT_ATOMIC_LOAD : op;
}

static inline bool event_reads(const struct event *event)
{
    return op_in(event->op, OPS_READING);
}

static inline bool event_writes(const struct event *event)
{
    return op_in(event->op, OPS_WRITING);
}

/* True if the thread owns the lock after the event and did not before. */
static inline bool event_acquires(const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING) &&
           (event->op == EVENT_WAIT_END || !(event->flags & EVENT_FAILED));
}

static inline bool event_releases(const struct event *event)
{
    return op_in(event->op, OPS_RELEASING);
}

/* True if it acquires a lock and cannot give up: a timed wait ends by itself, but not its
 * return, which needs the mutex. */
static inline bool event_blocks(const struct event *event)
{
    return event_acquires(event) && (event->op == EVENT_WAIT_END || !(event->flags & EVENT_TRY));
}

/* The lock of an acquiring or releasing event. */
static inline uint32_t event_lock(const struct event *event)
{
    return event->op == EVENT_WAIT_BEGIN || event->op == EVENT_WAIT_END ? event->other
                                                                        : event->object;
}

/* docs/design.md, "Words": one object, two threads, a write, not both atomic. */
static inline bool event_conflict(const struct event *a, const struct event *b)
{
    return a->thread != b->thread && a->object == b->object && op_in(a->op, OPS_ACCESS) &&
           op_in(b->op, OPS_ACCESS) && (event_writes(a) || event_writes(b)) &&
           !(op_in(a->op, OPS_ATOMIC) && op_in(b->op, OPS_ATOMIC));
}

/* The classes of an operation's operands. */
extern const uint8_t event_object_classes[EVENT_COUNT], event_other_classes[EVENT_COUNT];
static inline enum object_class event_object_class(unsigned op)
{
    return (enum object_class)event_object_classes[op];
}
static inline enum object_class event_other_class(unsigned op)
{
    return (enum object_class)event_other_classes[op];
}

/* The operation's word in text traces. */
const char *event_op_text(enum event_op op);
const char *object_class_text(enum object_class class);

#endif
