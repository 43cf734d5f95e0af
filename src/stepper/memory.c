/* SPDX-License-Identifier: MIT */
/* The accesses that compilers tell under -fsanitize=thread. The program performs plain ones itself,
 * right after it was let go; atomic ones are performed here. */
#include "stepper/heap.h"
#include "stepper/steps.h"

#include <stddef.h>
#include <string.h>

static struct step_event word_event(enum step_op op, uintptr_t address, uint32_t size, uintptr_t pc)
{
    return (struct step_event){.op = (uint8_t)op,
                               .offset = (uint8_t)(address & 7),
                               .size = (uint8_t)size,
                               .object = address & ~(uintptr_t)7,
                               .pc = pc};
}

static void one_word(struct stepped *self, enum step_op op, uintptr_t address, uint32_t size,
                     uintptr_t pc)
{
    struct step_event event = word_event(op, address, size, pc);
    step_before(self, &event);
    heap_check(address, pc);
    event.seen = event.made = *(const volatile uint64_t *)event.object;
    struct step_event *told = step_tell(self, event);
    if (op == STEP_WRITE)
        self->late = told;
}

void memory_access(enum step_op op, uintptr_t address, size_t size, uintptr_t pc)
{
    struct stepped *self = stepped_current();
    if (step_is_library(pc))
        return;
    while (self && size) {
        size_t here = 8 - (address & 7);
        if (here > size)
            here = size;
        one_word(self, op, address, (uint32_t)here, pc);
        address += here;
        size -= here;
    }
}

#define ACCESS(name, op, size)                                                                     \
    EXPORT void name(void *address);                                                               \
    EXPORT void name(void *address)                                                                \
    {                                                                                              \
        memory_access(op, (uintptr_t)address, size, CALLER);                                       \
    }
#define BOTH(name, size)                                                                           \
    EXPORT void name(void *address);                                                               \
    EXPORT void name(void *address)                                                                \
    {                                                                                              \
        memory_access(STEP_READ, (uintptr_t)address, size, CALLER);                                \
        memory_access(STEP_WRITE, (uintptr_t)address, size, CALLER);                               \
    }
#define SIZES(size)                                                                                \
    ACCESS(__tsan_read##size, STEP_READ, size)                                                     \
    ACCESS(__tsan_write##size, STEP_WRITE, size)                                                   \
    ACCESS(__tsan_unaligned_read##size, STEP_READ, size)                                           \
    ACCESS(__tsan_unaligned_write##size, STEP_WRITE, size)                                         \
    ACCESS(__tsan_volatile_read##size, STEP_READ, size)                                            \
    ACCESS(__tsan_volatile_write##size, STEP_WRITE, size)                                          \
    BOTH(__tsan_read_write##size, size)                                                            \
    BOTH(__tsan_unaligned_read_write##size, size)

SIZES(1)
SIZES(2)
SIZES(4)
SIZES(8)
SIZES(16)

ACCESS(__tsan_vptr_read, STEP_READ, 8)

EXPORT void __tsan_vptr_update(void **address, void *value);
EXPORT void __tsan_vptr_update(void **address, void *value)
{
    if (*address != value)
        memory_access(STEP_WRITE, (uintptr_t)address, 8, CALLER);
}

EXPORT void __tsan_read_range(void *start, size_t length);
EXPORT void __tsan_read_range(void *start, size_t length)
{
    memory_access(STEP_READ, (uintptr_t)start, length, CALLER);
}

EXPORT void __tsan_write_range(void *start, size_t length);
EXPORT void __tsan_write_range(void *start, size_t length)
{
    memory_access(STEP_WRITE, (uintptr_t)start, length, CALLER);
}

/* --- atomics ------------------------------------------------------------------------------------
 */

/* `perform` is evaluated when it is this thread's turn. */
#define ATOMICALLY(kind, bits, pc, perform)                                                        \
    struct stepped *self = stepped_current();                                                      \
    if (!self) {                                                                                   \
        perform;                                                                                   \
    } else {                                                                                       \
        struct step_event event = word_event(kind, (uintptr_t)address, bits / 8, pc);              \
        event.flags = STEP_ATOMIC;                                                                 \
        step_before(self, &event);                                                                 \
        heap_check((uintptr_t)address, pc);                                                        \
        event.seen = *(const volatile uint64_t *)event.object;                                     \
        perform;                                                                                   \
        event.made = *(const volatile uint64_t *)event.object;                                     \
        step_tell(self, event);                                                                    \
    }

#define RMW(bits, type, name, perform)                                                             \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);     \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)      \
    {                                                                                              \
        type old;                                                                                  \
        (void)order;                                                                               \
        ATOMICALLY(STEP_UPDATE, bits, CALLER,                                                      \
                   old = __atomic_##perform(address, operand, __ATOMIC_SEQ_CST))                   \
        return old;                                                                                \
    }

#define EXCHANGE(bits, type, name)                                                                 \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *address, type *expected, type desired, int order, int failure);             \
    EXPORT int __tsan_atomic##bits##_compare_exchange_##name(                                      \
        volatile type *address, type *expected, type desired, int order, int failure)              \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        return exchange##bits(address, expected, desired, CALLER);                                 \
    }

#define ATOMICS(bits, type)                                                                        \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order);               \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *address, int order)                \
    {                                                                                              \
        type value;                                                                                \
        (void)order;                                                                               \
        ATOMICALLY(STEP_READ, bits, CALLER, value = __atomic_load_n(address, __ATOMIC_SEQ_CST))    \
        return value;                                                                              \
    }                                                                                              \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order);        \
    EXPORT void __tsan_atomic##bits##_store(volatile type *address, type value, int order)         \
    {                                                                                              \
        (void)order;                                                                               \
        ATOMICALLY(STEP_WRITE, bits, CALLER, __atomic_store_n(address, value, __ATOMIC_SEQ_CST))   \
    }                                                                                              \
    RMW(bits, type, exchange, exchange_n)                                                          \
    RMW(bits, type, fetch_add, fetch_add)                                                          \
    RMW(bits, type, fetch_sub, fetch_sub)                                                          \
    RMW(bits, type, fetch_and, fetch_and)                                                          \
    RMW(bits, type, fetch_or, fetch_or)                                                            \
    RMW(bits, type, fetch_xor, fetch_xor)                                                          \
    RMW(bits, type, fetch_nand, fetch_nand)                                                        \
    static bool exchange##bits(volatile type *address, type *expected, type desired, uintptr_t pc) \
    {                                                                                              \
        bool done;                                                                                 \
        ATOMICALLY(STEP_UPDATE, bits, pc,                                                          \
                   done = __atomic_compare_exchange_n(address, expected, desired, false,           \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))         \
        return done;                                                                               \
    }                                                                                              \
    EXCHANGE(bits, type, strong)                                                                   \
    EXCHANGE(bits, type, weak)                                                                     \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,  \
                                                           type desired, int order, int failure);  \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected,  \
                                                           type desired, int order, int failure)   \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        exchange##bits(address, &expected, desired, CALLER);                                       \
        return expected;                                                                           \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* One thread runs at a time: there is nothing to fence. */
EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    (void)order;
}

/* --- the C library's functions over memory ------------------------------------------------------
 */

EXPORT void *memcpy(void *to, const void *from, size_t size)
{
    memory_access(STEP_READ, (uintptr_t)from, size, CALLER);
    memory_access(STEP_WRITE, (uintptr_t)to, size, CALLER);
    unsigned char *target = to;
    const unsigned char *source = from;
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(size) : : "memory");
    return to;
}

EXPORT void *memset(void *to, int byte, size_t size)
{
    memory_access(STEP_WRITE, (uintptr_t)to, size, CALLER);
    unsigned char *target = to;
    __asm__ volatile("rep stosb" : "+D"(target), "+c"(size) : "a"(byte) : "memory");
    return to;
}
