/* SPDX-License-Identifier: MIT */
/* The clocks behind order.h, shared by the files that move them: order.c (threads),
 * order_locks.c, order_signals.c (conditions, semaphores, barriers), order_memory.c
 * (atomics, fences) and order_writes.c (plain accesses). */
#ifndef PREPLAY_MODEL_ORDER_STATE_H
#define PREPLAY_MODEL_ORDER_STATE_H

#include "base/array.h"
#include "base/memory.h"
#include "base/paged.h"
#include "model/order.h"

struct clocks ARRAY_OF(struct vclock);

struct lock_clocks {
    struct vclock written; /* releases of exclusive owners */
    struct vclock shared;  /* releases of readers */
    struct vclock readers; /* ticks[t] is 1 while thread t holds it shared */
    uint32_t owner_plus_one;
};

/* A lock that a thread holds, and the moment of its acquire: what a try that fails because
 * of it comes after. The thread's clock was the same then but for its own entry, unless it
 * has been copied here before it grew. */
struct hold {
    uint32_t lock, tick;
    bool copied;
    struct vclock then;
};

struct holds {
    struct hold *items; /* the first `count` are held; others keep their memory */
    size_t count, capacity, uncopied;
};

struct waiter {
    uint32_t thread;
    struct vclock signals; /* those that may have woken it */
};

struct waiters ARRAY_OF(struct waiter);

struct barrier_use {
    uint32_t instance_plus_one, before_plus_one;
};

struct fence_clocks {
    struct vclock released;   /* at the thread's last release fence */
    struct vclock to_acquire; /* seen by relaxed loads, for its next acquire fence */
    bool has_released;
};

/* A thread's clock at some of its writes, but for its own entry (order_writes.c). */
struct snapshot {
    struct vclock clock;
    uint32_t references; /* of variables, and of the thread while its clock is still that */
};

struct last_write {
    struct epoch when;
    uint32_t snapshot_plus_one; /* 0: never written */
};

/* What every thread has seen of each, as of some moment in the past. */
struct seen_by_all {
    uint32_t events; /* so far, up to SETTLED */
    struct vclock least;
    struct vclock ended; /* ticks[t] is 1 once thread t was joined: it sees no more */
    uint64_t asked;      /* since then */
    bool outdated;       /* there is a new thread that has seen nothing */
};

struct order {
    unsigned flags;
    struct clocks threads;
    struct order_locks ARRAY_OF(struct lock_clocks) locks;
    struct order_holds ARRAY_OF(struct holds) holds; /* by thread */
    struct order_conditions ARRAY_OF(struct waiters) conditions;
    struct clocks instances; /* by barrier instance: all who entered */
    struct order_barriers ARRAY_OF(struct barrier_use) barriers;
    struct clocks posts, takes; /* by semaphore */
    struct clocks onces;
    struct clocks atomics; /* by variable: what a load of it acquires */
    struct order_last_writes PAGED_OF(struct last_write) writes; /* by variable (ORDER_READS) */
    struct order_snapshots ARRAY_OF(struct snapshot) snapshots;
    struct order_free ARRAY_OF(uint32_t) free_snapshots;      /* plus one */
    struct order_current ARRAY_OF(uint32_t) current_snapshot; /* by thread, plus one; 0: none */
    struct order_fences ARRAY_OF(struct fence_clocks) fences;
    struct seen_by_all seen;
    const struct history *history; /* all of the trace, if that is known */
    bool *joined;                  /* in it, by thread */
};

static inline struct vclock *order_at(struct clocks *clocks, uint32_t id)
{
    array_grow(clocks, id + 1);
    return &clocks->items[id];
}

/* What comes after this moment is not seen by who joined the clock before it. */
static inline void order_tick(struct order *order, uint32_t thread)
{
    order->threads.items[thread].ticks[thread]++;
}

/* Joins into the clock of a thread, as everything but a release does. */
void order_see(struct order *order, uint32_t thread, struct vclock *clock,
               const struct vclock *other);

/* Each moves past one event of `clock`'s thread. */
void order_acquire(struct order *order, const struct event *event, struct vclock *clock);
void order_release(struct order *order, const struct event *event, const struct vclock *clock);
void order_signal(struct order *order, const struct event *event, const struct vclock *clock);
void order_wait_begin(struct order *order, const struct event *event);
void order_wait_end(struct order *order, const struct event *event, struct vclock *clock);
void order_semaphore(struct order *order, const struct event *event, struct vclock *clock);
void order_barrier_enter(struct order *order, const struct event *event, struct vclock *clock);
void order_fence(struct order *order, const struct event *event, struct vclock *clock);
void order_access(struct order *order, const struct event *event, struct vclock *clock);
void order_read(struct order *order, const struct event *event, struct vclock *clock);
void order_write(struct order *order, const struct event *event, const struct vclock *clock);

/* The thread's clock grew. */
void order_forget_snapshot(struct order *order, uint32_t thread);
void order_free_writes(struct order *order);

#endif
