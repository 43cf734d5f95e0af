/* SPDX-License-Identifier: MIT */
/* Lock dependencies: who acquires which lock while holding which others. One
 * linear pass collects them; equal ones (thread, lock, held locks, source
 * location) are one dependency with many instances, so that a loop of ten million
 * acquires costs a few. The must-happen-before of the first and last instance
 * tells which dependencies can never be alive at the same time.
 *
 * A join waits, too. Where some thread joins another while it holds locks, every
 * thread that may be joined so holds a lock of its own, its end, from its first
 * event on, and a join of it wants that lock. Semaphores used as locks are locks. */
#ifndef PREPLAY_DEADLOCK_LOCK_ORDER_H
#define PREPLAY_DEADLOCK_LOCK_ORDER_H

#include "base/array.h"
#include "base/map.h"
#include "model/order.h"
#include "trace/history.h"

/* A lock and how it is held or wanted. */
struct lock_mode {
    uint32_t lock;
    bool shared;
};

static inline bool lock_modes_exclude(struct lock_mode a, struct lock_mode b)
{
    return a.lock == b.lock && !(a.shared && b.shared);
}

struct dependency {
    uint32_t thread;
    struct lock_mode wanted;
    uint32_t held; /* id of the set of locks held */
    uint32_t location;
    struct instances ARRAY_OF(uint32_t) instances; /* positions, ascending */
    struct vclock first;                           /* must-before of the first instance */
    uint32_t last_tick;                            /* moment of the last one */
};

struct lock_set {
    uint32_t begin, count; /* in set_locks, ascending by lock */
};

struct thread_locks {
    struct stack ARRAY_OF(struct lock_mode) stack;
    uint32_t set; /* id of what is on the stack, or NO_SET if not known */
    bool begun;
};

#define NO_SET UINT32_MAX

struct lock_order {
    struct threads_locks ARRAY_OF(struct thread_locks) threads;
    struct lock_sets ARRAY_OF(struct lock_set) sets;
    struct set_locks ARRAY_OF(struct lock_mode) set_locks;
    struct map set_index; /* hash -> set id + 1 */
    struct dependencies ARRAY_OF(struct dependency) dependencies;
    struct map wanted_index;     /* (set, lock and mode) -> number */
    struct map dependency_index; /* (that number, thread, location) -> dependency + 1 */
    uint32_t lock_limit;         /* above every lock seen */
    bool joins_while_holding;    /* seen any: then ends matter */
    bool *ends;                  /* by thread: its end is a lock; or NULL */
    uint32_t first_end;          /* that lock of thread 0 */
    bool *semaphores;            /* by semaphore: it is used as a lock; or NULL */
    uint32_t first_semaphore;    /* that lock of semaphore 0 */
    uint64_t instances;
};

struct lock_order *lock_order_create(void);
/* The same, knowing who is joined by threads that hold locks, and which semaphores
 * are used as locks. */
struct lock_order *lock_order_create_for(const struct history *history);
void lock_order_destroy(struct lock_order *order);
/* Sees an event; `must` is the must-happen-before that has seen all before it. */
void lock_order_step(struct lock_order *order, const struct event *event, uint32_t pos,
                     struct order *must);
/* Reads the whole trace, for deadlocks under the model; ends are locks where they matter. */
struct lock_order *lock_order_read(const struct history *history, enum model model);
/* Forgets the dependencies, not what each thread holds. */
void lock_order_forget(struct lock_order *order);

/* True if the two may stand at their acquires at the same time, as far as
 * threads, common (gate) locks and must-happen-before tell. */
bool dependencies_meet(const struct lock_order *order, const struct dependency *a,
                       const struct dependency *b);
/* True if `waiting` waits for a lock that `holding` holds. */
bool dependency_waits(const struct lock_order *order, const struct dependency *waiting,
                      const struct dependency *holding);

#endif
