/* SPDX-License-Identifier: MIT */
/* Stamps order the synchronisation events of all threads (encoding.h).
 *
 * A stamp is a hybrid clock: above everything the thread has stamped, above
 * everything stamped on the object before, and (but for atomics) at least the time. Objects meet in
 * a table of slots, hashed by address; two objects in one slot are ordered with each other too,
 * which is true and harmless. Only operations on the same object share a cache line (unless they
 * collide), as they do anyway.
 *
 * Most operations take their stamp while they own the object (after an acquire,
 * before a release), so that a stamp is one compare-and-swap. Atomics own
 * nothing: they are performed with the slot locked, so that the order of stamps
 * is the order of the operations themselves.
 *
 * The lowest bit of a slot's clock is its lock. The owner cannot block while it
 * holds one, but it may be preempted, interrupted by a signal handler that wants
 * the same slot, or be cancelled asynchronously. Whoever waits soon sleeps, so that
 * an owner of lower priority can run; a handler sees that its own thread is the owner;
 * and a lock that does not move is taken over in the end. */
#ifndef PREPLAY_RUNTIME_STAMPS_H
#define PREPLAY_RUNTIME_STAMPS_H

#include "runtime/process.h"
#include "runtime/system.h"

enum { STAMP_SLOTS = 4096 };

struct stamper;

struct slot {
    _Alignas(64) _Atomic uint64_t clock; /* stamp << 1 | locked */
    _Atomic uint64_t reads;              /* highest stamp of a load */
    /* Who has locked it: set right after, cleared right before the lock bit. */
    const struct stamper *_Atomic owner;
};

/* A thread's own side of it. */
struct stamper {
    uint64_t clock;               /* the last stamp taken */
    struct slot *volatile inside; /* the slot this thread has locked or is about to lock, if any */
    volatile uint32_t nested;     /* how many: a signal handler may lock one inside another */
};

#ifdef PREPLAY_HOST
extern struct slot *host_slots;
#define stamp_slots host_slots
#else
extern struct slot stamp_slots[STAMP_SLOTS];
#endif

static inline struct slot *stamp_slot(uintptr_t object)
{
    uint64_t mixed = (uint64_t)(object >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return &stamp_slots[mixed >> 52];
}

/* A fresh stamp above `floor`, safe against a signal handler that takes one in
 * the middle: the handler's thread-local store would otherwise be undone. */
static inline uint64_t stamp_next(struct stamper *own, uint64_t base)
{
    uint64_t seen = *(volatile uint64_t *)&own->clock, stamp;
    bool done;
    do {
        stamp = (seen > base ? seen : base) + 1;
        __asm__ volatile("cmpxchgq %3, %1"
                         : "=@ccz"(done), "+m"(own->clock), "+a"(seen)
                         : "r"(stamp)
                         : "memory");
    } while (unlikely(!done));
    return stamp;
}

/* The same, and not before the present time. */
static inline uint64_t stamp_above(struct stamper *own, uint64_t floor)
{
    uint64_t now = system_ticks() >> 6;
    return stamp_next(own, floor > now ? floor : now);
}

/* Waits for a locked slot; the clock's value, with the lock bit cleared if it
 * has to be taken over. */
uint64_t stamp_wait(struct slot *slot, const struct stamper *own);

static inline uint64_t slot_clock(struct slot *slot, const struct stamper *own)
{
    uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_acquire);
    return unlikely(clock & 1) ? stamp_wait(slot, own) : clock;
}

static inline uint64_t slot_floor(struct slot *slot, uint64_t clock)
{
    uint64_t reads = atomic_load_explicit(&slot->reads, memory_order_relaxed);
    return clock >> 1 > reads ? clock >> 1 : reads;
}

/* A stamp for an operation on the object of `slot`, published in it. `locked`
 * (0 or 1) leaves the slot locked. */
static inline uint64_t stamp_publish(struct slot *slot, struct stamper *own, uint64_t locked)
{
    uint64_t clock = slot_clock(slot, own), stamp;
    do {
        if (unlikely(clock & 1))
            clock = stamp_wait(slot, own);
        /* Atomics come in millions: reading the time would be a third of their cost. */
        uint64_t floor = slot_floor(slot, clock);
        stamp = locked ? stamp_next(own, floor) : stamp_above(own, floor);
    } while (!atomic_compare_exchange_weak_explicit(&slot->clock, &clock, stamp << 1 | locked,
                                                    memory_order_acq_rel, memory_order_acquire));
    return stamp;
}

static inline uint64_t stamp_take(struct stamper *own, uintptr_t object)
{
    return stamp_publish(stamp_slot(object), own, 0);
}

/* Makes a stamp taken elsewhere known to another object. */
static inline void stamp_raise(struct slot *slot, const struct stamper *own, uint64_t stamp)
{
    uint64_t clock = slot_clock(slot, own);
    while (clock >> 1 < stamp &&
           !atomic_compare_exchange_weak_explicit(&slot->clock, &clock, stamp << 1,
                                                  memory_order_acq_rel, memory_order_acquire))
        if (unlikely(clock & 1))
            clock = stamp_wait(slot, own);
}

static inline void stamp_approach(struct slot *slot, struct stamper *own)
{
    own->inside = slot;
    own->nested++;
}

static inline void stamp_own(struct slot *slot, const struct stamper *own)
{
    atomic_store_explicit(&slot->owner, own, memory_order_relaxed);
}

/* For stores and read-modify-writes: the stamp is published before the memory
 * changes, so that whoever sees the new value sees the new clock. */
static inline uint64_t stamp_lock(struct slot *slot, struct stamper *own)
{
    stamp_approach(slot, own);
    uint64_t stamp = stamp_publish(slot, own, 1);
    stamp_own(slot, own);
    return stamp;
}

/* For loads: locks without raising the clock. The caller loads, then takes its
 * stamp with stamp_load(). */
static inline void stamp_lock_load(struct slot *slot, struct stamper *own)
{
    stamp_approach(slot, own);
    uint64_t clock = slot_clock(slot, own);
    while (!atomic_compare_exchange_weak_explicit(&slot->clock, &clock, clock | 1,
                                                  memory_order_acq_rel, memory_order_acquire))
        if (clock & 1)
            clock = stamp_wait(slot, own);
    stamp_own(slot, own);
}

static inline uint64_t stamp_load(struct slot *slot, struct stamper *own)
{
    uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_relaxed);
    uint64_t stamp = stamp_next(own, clock >> 1);
    if (atomic_load_explicit(&slot->reads, memory_order_relaxed) < stamp)
        atomic_store_explicit(&slot->reads, stamp, memory_order_relaxed);
    return stamp;
}

static inline void stamp_unlock(struct slot *slot, struct stamper *own)
{
    atomic_store_explicit(&slot->owner, NULL, memory_order_relaxed);
    /* One instruction: a signal handler of this thread may have raised the clock. */
    __asm__ volatile("andq $-2, %0" : "+m"(slot->clock) : : "memory");
    own->inside = NULL;
    own->nested--;
}

#endif
