#include "base/memory.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static void out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "preplay: out of memory (%zu x %zu bytes)\n", count, size);
    exit(ERROR_INTERNAL);
}

void *memory_alloc(size_t count, size_t size)
{
    size_t bytes;
    void *block = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes))
        block = malloc(bytes ? bytes : 1);
    if (!block)
        out_of_memory(count, size);
    return block;
}

void *memory_zero(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block)
        out_of_memory(count, size);
    return block;
}

void *memory_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    void *resized = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes))
        resized = realloc(block, bytes ? bytes : 1);
    if (!resized)
        out_of_memory(count, size);
    return resized;
}

void *memory_pages(size_t bytes)
{
    const size_t huge = (size_t)1 << 21;
    size_t wanted = (bytes + huge - 1) & ~(huge - 1);
    char *block = mmap(NULL, wanted + huge, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        out_of_memory(1, bytes);
    /* Cut off what lies before and after the aligned part. */
    size_t before = (huge - (uintptr_t)block % huge) % huge;
    if (before)
        munmap(block, before);
    munmap(block + before + wanted, huge - before);
    madvise(block + before, wanted, MADV_HUGEPAGE);
    return block + before;
}

void memory_pages_free(void *block, size_t bytes)
{
    const size_t huge = (size_t)1 << 21;
    if (block)
        munmap(block, (bytes + huge - 1) & ~(huge - 1));
}

void *memory_pages_grow(void *block, size_t bytes, size_t wanted)
{
    void *grown = memory_pages(wanted);
    if (bytes)
        memcpy(grown, block, bytes);
    memory_pages_free(block, bytes);
    return grown;
}

void *memory_copy(const void *block, size_t bytes)
{
    void *copy = memory_alloc(bytes, 1);
    if (bytes)
        memcpy(copy, block, bytes);
    return copy;
}
