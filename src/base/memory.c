/* SPDX-License-Identifier: MIT */
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

#define HUGE_PAGE ((size_t)1 << 21)

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* A huge page would have to be cleared whole for a small table. */
static size_t mapped(size_t bytes)
{
    return bytes < HUGE_PAGE ? bytes : round_up(bytes, HUGE_PAGE);
}

void *memory_small_pages(size_t bytes)
{
    void *block = mmap(NULL, mapped(bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        out_of_memory(1, bytes);
    return block;
}

void *memory_pages(size_t bytes)
{
    if (bytes < HUGE_PAGE)
        return memory_small_pages(bytes);
    size_t wanted = mapped(bytes);
    char *block = memory_small_pages(wanted + HUGE_PAGE);
    /* Cut off what lies before and after the aligned part. */
    size_t before = round_up((uintptr_t)block, HUGE_PAGE) - (uintptr_t)block;
    if (before)
        munmap(block, before);
    munmap(block + before + wanted, HUGE_PAGE - before);
    madvise(block + before, wanted, MADV_HUGEPAGE);
    return block + before;
}

void memory_pages_free(void *block, size_t bytes)
{
    if (block)
        munmap(block, mapped(bytes));
}

void *memory_copy(const void *block, size_t bytes)
{
    void *copy = memory_alloc(bytes, 1);
    if (bytes)
        memcpy(copy, block, bytes);
    return copy;
}
