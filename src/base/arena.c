/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "base/memory.h"

#include <stdlib.h>

#define CHUNK_BYTES ((size_t)1 << 18)
#define ALIGNMENT   16

struct arena_chunk {
    struct arena_chunk *next;
    _Alignas(ALIGNMENT) char bytes[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > arena->left) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct arena_chunk *chunk = memory_alloc(1, sizeof *chunk + room);
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->free = chunk->bytes;
        arena->left = room;
    }
    void *block = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return block;
}

void arena_free(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks; chunk;) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct arena){0};
}
