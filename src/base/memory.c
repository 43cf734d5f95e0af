#include "base/memory.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void *memory_copy(const void *block, size_t bytes)
{
    void *copy = memory_alloc(bytes, 1);
    if (bytes)
        memcpy(copy, block, bytes);
    return copy;
}
