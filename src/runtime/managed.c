/* SPDX-License-Identifier: MIT */
/* What the runtimes of other languages tell ThreadSanitizer about memory and locks that they
 * manage themselves (Java's, and the "external" accesses of Swift and Objective-C), and loads
 * and stores that programs announce by hand. */
#include "runtime/library.h"
#include "runtime/ranges.h"
#include "runtime/sync.h"

#include <malloc.h>

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters
#define UNUSED __attribute__((unused))

/* --- Java ------------------------------------------------------------------- */

FUNCTION(void, __tsan_java_init, (uintptr_t heap, uintptr_t size))
{
    sync_note_init(RECORD_OP_MAP, (const void *)heap, size, CALLER);
}

FUNCTION(int, __tsan_java_fini, (void))
{
    return 0; /* no race to tell of */
}

FUNCTION(void, __tsan_java_alloc, (uintptr_t start, uintptr_t size))
{
    library_block(EVENT_ALLOC, (const void *)start, size, CALLER);
}

FUNCTION(void, __tsan_java_free, (uintptr_t start, uintptr_t size))
{
    library_block(EVENT_FREE, (const void *)start, size, CALLER);
}

/* The collector moves a block, with all threads stopped: it is a new object there. */
FUNCTION(void, __tsan_java_move, (uintptr_t from UNUSED, uintptr_t to, uintptr_t size))
{
    library_block(EVENT_ALLOC, (const void *)to, size, CALLER);
}

FUNCTION(uintptr_t, __tsan_java_find, (uintptr_t * from UNUSED, uintptr_t to UNUSED))
{
    return 0;
}

FUNCTION(void, __tsan_java_finalize, (void))
{
    sync_edge(EVENT_ATOMIC_LOAD, &__tsan_java_finalize, CALLER);
}

#define JAVA_LOCK(name, event)                                                                     \
    FUNCTION(void, name, (uintptr_t lock))                                                         \
    {                                                                                              \
        struct sync sync = SYNC(event, lock);                                                      \
        sync_before(&sync);                                                                        \
        sync_after(&sync);                                                                         \
    }
JAVA_LOCK(__tsan_java_mutex_lock, EVENT_ACQUIRE_WRITE)
JAVA_LOCK(__tsan_java_mutex_unlock, EVENT_RELEASE_WRITE)
JAVA_LOCK(__tsan_java_mutex_read_lock, EVENT_ACQUIRE_READ)
JAVA_LOCK(__tsan_java_mutex_read_unlock, EVENT_RELEASE_READ)

/* A wait gives up all of a monitor's recursion, and takes it back. The reader of a trace
 * counts nested acquires itself: they are recorded one by one. */
FUNCTION(void, __tsan_java_mutex_lock_rec, (uintptr_t lock, int depth))
{
    for (; depth > 0; depth--)
        __tsan_java_mutex_lock(lock);
}

FUNCTION(int, __tsan_java_mutex_unlock_rec, (uintptr_t lock))
{
    __tsan_java_mutex_unlock(lock);
    return 1;
}

FUNCTION(void, __tsan_java_acquire, (uintptr_t address))
{
    sync_edge(EVENT_ATOMIC_LOAD, (const void *)address, CALLER);
}

FUNCTION(void, __tsan_java_release, (uintptr_t address))
{
    sync_edge(EVENT_ATOMIC_RMW, (const void *)address, CALLER);
}

FUNCTION(void, __tsan_java_release_store, (uintptr_t address))
{
    sync_edge(EVENT_ATOMIC_STORE, (const void *)address, CALLER);
}

/* --- accesses that a program announces ----------------------------------------- */

FUNCTION(void, __tsan_external_read, (void *address, void *pc, void *tag UNUSED))
{
    range_read(address, 1, (uintptr_t)pc);
}

FUNCTION(void, __tsan_external_write, (void *address, void *pc, void *tag UNUSED))
{
    range_write(address, 1, (uintptr_t)pc);
}

#define UNALIGNED(bits)                                                                            \
    FUNCTION(uint##bits##_t, __sanitizer_unaligned_load##bits, (const void *address))              \
    {                                                                                              \
        uint##bits##_t value;                                                                      \
        range_read(address, bits / 8, CALLER);                                                     \
        __builtin_memcpy(&value, address, bits / 8);                                               \
        return value;                                                                              \
    }                                                                                              \
    FUNCTION(void, __sanitizer_unaligned_store##bits, (void *address, uint##bits##_t value))       \
    {                                                                                              \
        range_write(address, bits / 8, CALLER);                                                    \
        __builtin_memcpy(address, &value, bits / 8);                                               \
    }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* --- the heap is the C library's ------------------------------------------------ */

FUNCTION(size_t, __sanitizer_get_allocated_size, (const void *block_start))
{
    return malloc_usable_size((void *)(uintptr_t)block_start);
}

FUNCTION(size_t, __sanitizer_get_allocated_size_fast, (const void *block_start))
{
    return malloc_usable_size((void *)(uintptr_t)block_start);
}

FUNCTION(const void *, __sanitizer_get_allocated_begin, (const void *block_start))
{
    return block_start;
}

FUNCTION(int, __sanitizer_get_ownership, (const volatile void *block_start))
{
    return block_start != NULL;
}

FUNCTION(size_t, __sanitizer_get_estimated_allocated_size, (size_t size))
{
    return size;
}

FUNCTION(int, __sanitizer_verify_contiguous_container,
         (const void *low UNUSED, const void *middle UNUSED, const void *high UNUSED))
{
    return 1;
}

FUNCTION(int, __sanitizer_verify_double_ended_contiguous_container,
         (const void *low UNUSED, const void *first UNUSED, const void *last UNUSED,
          const void *high UNUSED))
{
    return 1;
}
