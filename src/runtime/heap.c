/* SPDX-License-Identifier: MIT */
/* The heap: fresh memory is a new object, whatever lay there before. The C
 * library's own allocator does the work; a program that brings its own defines
 * malloc itself and never comes here. A shared library with another one (jemalloc)
 * comes behind this one and does nothing, as long as all of malloc's family is here;
 * preloaded it comes first, and then none of the family may be served from here. */
#include "runtime/enforce.h"
#include "runtime/host.h"
#include "runtime/quarantine.h"
#include "runtime/real.h"
#include "runtime/sync.h"
#include "runtime/system.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* The word before a block is its size with the one before that, and three flags; one says that
 * the block is a mapping of its own, which the next one's first word is no part of. */
static size_t usable(const void *block)
{
    enum { FLAGS = 7, MAPPED = 2, WORD = sizeof(size_t) };
    if (!block)
        return 0;
    size_t size = ((const size_t *)block)[-1];
    return (size & ~(size_t)FLAGS) - (size & MAPPED ? 2 * WORD : WORD);
}

/* Whoever frees a block writes to all of it, as far as others are concerned. */
static void stand_before_free(struct recorder *self, const void *block, uintptr_t pc)
{
    size_t size = usable(block);
    if (!recorder_enter(self))
        return;
    enforce_access(self, (uintptr_t)block, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                   EVENT_WRITE, pc);
    recorder_leave(self);
}

static void note(unsigned op, void *block, size_t size, uintptr_t pc)
{
    struct recorder *self = recorder_current;
    if (!self || !block || unlikely(self->busy))
        return;
    if (unlikely(enforce_active) && op == EVENT_FREE)
        stand_before_free(self, block, pc);
    struct sync_record record = {
        .op = (uint8_t)op, .object = (uintptr_t)block, .other = size, .pc = pc};
    if (op == EVENT_ALLOC) {
        filter_forget(self, (uintptr_t)block, size);
        host_ask(HOST_FRESH, (uintptr_t)block, size);
    }
    sync_note(self, &record);
}

static void *allocated(void *block, size_t size, uintptr_t pc)
{
    note(EVENT_ALLOC, block, size, pc);
    return block;
}

/* What the C library says, and does, when it notices. */
static void freed_twice(void)
{
    static const char text[] = "free(): double free detected in a replay\n";
    system_write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

static bool is_kept(const void *block, size_t size)
{
    return unlikely(enforce_active) && block && quarantine_accepts(block, size);
}

static void release(void *block)
{
    size_t size = usable(block);
    if (!is_kept(block, size))
        __libc_free(block);
    else if (!quarantine_take(block, size))
        freed_twice();
}

/* After the replay's own destructors, which may wait for other threads. */
__attribute__((destructor(101))) static void release_all(void)
{
    if (enforce_active)
        quarantine_empty();
}

EXPORT void *malloc(size_t size)
{
    return allocated(__libc_malloc(size), size, CALLER);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return allocated(__libc_calloc(count, size), count * size, CALLER);
}

EXPORT void free(void *block)
{
    note(EVENT_FREE, block, 0, CALLER);
    release(block);
}

EXPORT size_t malloc_usable_size(void *block)
{
    return usable(block);
}

/* What `malloc` is here, whoever else has one. */
__asm__(".globl own_malloc\n.hidden own_malloc\n.set own_malloc, malloc\n");
extern void *own_malloc(size_t) __attribute__((visibility("hidden")));

static bool is_first(void)
{
    static void *(*volatile const found)(size_t) = malloc;
    static void *(*volatile const own)(size_t) = own_malloc;
    return found == own;
}

static void *move(void *block, size_t old, size_t size)
{
    char *result = __libc_malloc(size);
    for (size_t i = 0; result && i < old && i < size; i++)
        result[i] = ((const char *)block)[i];
    if (result)
        release(block);
    return result;
}

static void *resize(void *block, size_t size, uintptr_t pc)
{
    size_t old = usable(block);
    note(EVENT_FREE, block, 0, pc);
    void *result =
        is_kept(block, old) && size ? move(block, old, size) : __libc_realloc(block, size);
    if (result)
        note(EVENT_ALLOC, result, size, pc);
    else if (size)
        note(EVENT_ALLOC, block, old, pc); /* it stays as it was */
    return result;
}

EXPORT void *realloc(void *block, size_t size)
{
    return resize(block, size, CALLER);
}

EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return is_first() ? resize(block, bytes, CALLER) : realloc(block, bytes);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, CALLER);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1)))
        return EINVAL;
    int saved = errno;
    void *block = __libc_memalign(alignment, size);
    errno = saved;
    if (!block)
        return ENOMEM;
    *result = allocated(block, size, CALLER);
    return 0;
}

EXPORT void *valloc(size_t size)
{
    return allocated(__libc_memalign(4096, size), size, CALLER);
}

EXPORT void *pvalloc(size_t size)
{
    size = (size + 4095) & ~(size_t)4095;
    if (!is_first())
        return memalign(4096, size ? size : 4096);
    return allocated(__libc_memalign(4096, size ? size : 4096), size, CALLER);
}
