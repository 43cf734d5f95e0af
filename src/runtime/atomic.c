/* SPDX-License-Identifier: MIT */
/* Atomic operations. Each is performed with its address's slot locked, so that
 * stamps are in the very order of the operations (stamps.h); the operation
 * itself is the strongest one, which every weaker order allows. Unrecorded
 * threads and programs perform it directly.
 *
 * A load that sees what it saw before, with only loads between, adds nothing: spinning costs no
 * trace (spins.h). (A relaxed load that sees a flag orders nothing; the acquire that follows it
 * does.) */
#include "runtime/library_calls.h"
#include "runtime/sync.h"

typedef unsigned __int128 uint128;

/* Asked by what code that is instrumented calls, in its own frame. */
static inline __attribute__((always_inline)) bool wanted(struct recorder *self)
{
    if (!self || self->ignore_sync)
        return false;
    library_calls_returned(self, CALLER);
    return true;
}

static void write_atomic(struct recorder *self, bool entered, uint64_t clock, uint64_t stamp,
                         unsigned op, uintptr_t address, unsigned size, int order, uint64_t value,
                         uintptr_t pc)
{
    bool repeat = false;
    if (op == EVENT_ATOMIC_LOAD)
        repeat = spins_note(&self->spins, address, recorder_place(self, pc), self->sync_index,
                            clock, order);
    else
        self->sync_index++;
    struct sync_record record = {
        .stamp = stamp,
        .value = value,
        .object = address,
        .pc = pc,
        .op = (uint8_t)op,
        .size = (uint8_t)size,
        .order = (uint8_t)(order & 7),
        .flags = (uint8_t)((process.values && size <= 8 ? EVENT_HAS_VALUE : 0) |
                           (repeat ? RECORD_REPEAT : 0)),
    };
    sync_write(self, entered, &record);
}

/* True if a load now would see what the one that it repeats saw. */
static inline bool nothing_new(const struct spin *spin, struct slot *slot,
                               const struct recorder *self, uintptr_t address, int order)
{
    return spin && spin_is(spin, address, self->sync_index) && order <= spin->order &&
           atomic_load_explicit(&slot->clock, memory_order_acquire) == spin->clock << 1;
}

#define LOAD(bits, type, load)                                                                     \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order);               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order)                \
    {                                                                                              \
        struct recorder *self = recorder_self();                                                   \
        if (!wanted(self))                                                                         \
            return load(address);                                                                  \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic(self, (uintptr_t)address, bits / 8, EVENT_ATOMIC_LOAD, CALLER);         \
        struct slot *slot = stamp_slot((uintptr_t)address);                                        \
        uintptr_t place = recorder_place(self, CALLER);                                            \
        struct spin *spin = spins_find(&self->spins, (uintptr_t)address, place, self->sync_index); \
        if (nothing_new(spin, slot, self, (uintptr_t)address, order)) {                            \
            type seen = load(address);                                                             \
            if (nothing_new(spin, slot, self, (uintptr_t)address, order)) {                        \
                spins_turn(&self->spins, spin);                                                    \
                return seen;                                                                       \
            }                                                                                      \
        }                                                                                          \
        bool entered = recorder_enter(self);                                                       \
        stamp_lock_load(slot, &self->stamper);                                                     \
        type value = load(address);                                                                \
        uint64_t stamp = stamp_load(slot, &self->stamper);                                         \
        /* With the slot still locked: the clock of the store that was seen. */                    \
        uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_relaxed) >> 1;            \
        stamp_unlock(slot, &self->stamper);                                                        \
        write_atomic(self, entered, clock, stamp, EVENT_ATOMIC_LOAD, (uintptr_t)address, bits / 8, \
                     order, (uint64_t)value, CALLER);                                              \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic_made(self);                                                             \
        return value;                                                                              \
    }

/* `perform` is evaluated with the slot locked; `value` is what is left in memory. */
#define LOCKED(bits, event, perform, value)                                                        \
    struct recorder *self = recorder_self();                                                       \
    if (!wanted(self)) {                                                                           \
        perform;                                                                                   \
    } else {                                                                                       \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic(self, (uintptr_t)address, bits / 8, event, CALLER);                     \
        struct slot *slot = stamp_slot((uintptr_t)address);                                        \
        bool entered = recorder_enter(self);                                                       \
        uint64_t stamp = stamp_lock(slot, &self->stamper);                                         \
        perform;                                                                                   \
        stamp_unlock(slot, &self->stamper);                                                        \
        write_atomic(self, entered, stamp, stamp, event, (uintptr_t)address, bits / 8, order,      \
                     (uint64_t)(value), CALLER);                                                   \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic_made(self);                                                             \
    }

#define STORE(bits, type, store)                                                                   \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order);        \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order)         \
    {                                                                                              \
        LOCKED(bits, EVENT_ATOMIC_STORE, store(address, value), value)                             \
    }

#define RMW(bits, type, name, perform, result)                                                     \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);     \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)      \
    {                                                                                              \
        type old;                                                                                  \
        LOCKED(bits, EVENT_ATOMIC_RMW, old = perform, result)                                      \
        return old;                                                                                \
    }

/* A compare-and-exchange that fails is a load, with its own order. */
#define EXCHANGE(bits, type, name, weak, cas)                                                      \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *address, type *expected, type desired, int order, int failure);             \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *address, type *expected, type desired, int order, int failure)              \
    {                                                                                              \
        return exchange##bits(address, expected, desired, order, failure, CALLER);                 \
    }

#define EXCHANGES(bits, type, cas)                                                                 \
    static bool exchange##bits(volatile type *address, type *expected, type desired, int order,    \
                               int failure, uintptr_t pc)                                          \
    {                                                                                              \
        struct recorder *self = recorder_self();                                                   \
        if (!wanted(self))                                                                         \
            return cas(address, expected, desired);                                                \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic(self, (uintptr_t)address, bits / 8, EVENT_ATOMIC_RMW, pc);              \
        struct slot *slot = stamp_slot((uintptr_t)address);                                        \
        bool entered = recorder_enter(self);                                                       \
        uint64_t stamp = stamp_lock(slot, &self->stamper);                                         \
        type wished = *expected;                                                                   \
        bool done = cas(address, &wished, desired);                                                \
        stamp_unlock(slot, &self->stamper);                                                        \
        *expected = wished;                                                                        \
        write_atomic(self, entered, stamp, stamp, done ? EVENT_ATOMIC_RMW : EVENT_ATOMIC_LOAD,     \
                     (uintptr_t)address, bits / 8, done ? order : failure,                         \
                     (uint64_t)(done ? desired : wished), pc);                                     \
        if (unlikely(enforce_active))                                                              \
            enforce_atomic_made(self);                                                             \
        return done;                                                                               \
    }                                                                                              \
    EXCHANGE(bits, type, strong, false, cas)                                                       \
    EXCHANGE(bits, type, weak, true, cas)                                                          \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,  \
                                                           type desired, int order, int failure);  \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,  \
                                                           type desired, int order, int failure)   \
    {                                                                                              \
        exchange##bits(address, &expected, desired, order, failure, CALLER);                       \
        return expected;                                                                           \
    }

#define load_native(address)         __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define store_native(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)
#define cas_native(address, expected, desired)                                                     \
    __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,               \
                                __ATOMIC_SEQ_CST)
#define native(name) __atomic_##name(address, operand, __ATOMIC_SEQ_CST)

#define ATOMICS(bits, type)                                                                        \
    LOAD(bits, type, load_native)                                                                  \
    STORE(bits, type, store_native)                                                                \
    RMW(bits, type, exchange, native(exchange_n), operand)                                         \
    RMW(bits, type, fetch_add, native(fetch_add), old + operand)                                   \
    RMW(bits, type, fetch_sub, native(fetch_sub), old - operand)                                   \
    RMW(bits, type, fetch_and, native(fetch_and), old &operand)                                    \
    RMW(bits, type, fetch_or, native(fetch_or), old | operand)                                     \
    RMW(bits, type, fetch_xor, native(fetch_xor), old ^ operand)                                   \
    RMW(bits, type, fetch_nand, native(fetch_nand), ~(old & operand))                              \
    EXCHANGES(bits, type, cas_native)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* 128 bits: everything is a compare-and-exchange of two words. */
static bool cas_wide(volatile uint128 *address, uint128 *expected, uint128 desired)
{
    bool done;
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*address), "+a"(low), "+d"(high)
                     : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                     : "memory");
    *expected = (uint128)high << 64 | low;
    return done;
}

/* Writes only if it finds zero, and then zero: the memory must be writable, as
 * it must be for libatomic on these machines. */
static uint128 load_wide(const volatile uint128 *address)
{
    uint128 value = 0;
    cas_wide((volatile uint128 *)address, &value, 0);
    return value;
}

static void store_wide(volatile uint128 *address, uint128 value)
{
    uint128 old = load_wide(address);
    while (!cas_wide(address, &old, value))
        ;
}

#define WIDE(name, result)                                                                         \
    static uint128 wide_##name(volatile uint128 *address, uint128 operand)                         \
    {                                                                                              \
        uint128 old = load_wide(address);                                                          \
        while (!cas_wide(address, &old, result))                                                   \
            ;                                                                                      \
        return old;                                                                                \
    }                                                                                              \
    RMW(128, uint128, name, wide_##name(address, operand), result)

LOAD(128, uint128, load_wide)
STORE(128, uint128, store_wide)
WIDE(exchange, operand)
WIDE(fetch_add, old + operand)
WIDE(fetch_sub, old - operand)
WIDE(fetch_and, old &operand)
WIDE(fetch_or, old | operand)
WIDE(fetch_xor, old ^ operand)
WIDE(fetch_nand, ~(old &operand))
EXCHANGES(128, uint128, cas_wide)

/* One object for all fences: they are totally ordered among each other. */
EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    struct recorder *self = recorder_self();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!wanted(self))
        return;
    self->sync_index++;
    struct sync_record record = {
        .op = EVENT_FENCE, .order = (uint8_t)(order & 7), .object = 16, .pc = CALLER};
    sync_note(self, &record);
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order; /* concerns this thread and its own handlers only */
}
