/* SPDX-License-Identifier: MIT */
#include "relations/access_pool.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The first chunk is small, for small traces; from then on they double. */
#define FIRST_CHUNK ((size_t)1 << 16)
#define LAST_CHUNK  ((size_t)1 << 21)

struct access_chunk {
    void *block;
    size_t bytes;
    struct access_chunk *next;
};

static unsigned logarithm(size_t bytes)
{
    return (unsigned)__builtin_ctzl(bytes);
}

static void *new_chunk(struct access_pool *pool, size_t bytes)
{
    struct access_chunk *chunk = NEW(struct access_chunk);
    *chunk = (struct access_chunk){memory_pages(bytes), bytes, pool->chunks};
    pool->chunks = chunk;
    return chunk->block;
}

void *access_pool_take(struct access_pool *pool, size_t bytes)
{
    void **list = &pool->free_lists[logarithm(bytes)];
    if (*list) {
        void *block = *list;
        memcpy(list, block, sizeof *list);
        memset(block, 0, bytes);
        return block;
    }
    if (bytes > LAST_CHUNK / 2)
        return new_chunk(pool, bytes);
    if (pool->left < bytes) {
        size_t size = FIRST_CHUNK;
        while (size < LAST_CHUNK && (size < bytes || (pool->chunks && size <= pool->chunks->bytes)))
            size *= 2;
        pool->at = new_chunk(pool, size);
        pool->left = size;
    }
    void *block = pool->at;
    pool->at += bytes;
    pool->left -= bytes;
    return block;
}

void access_pool_give(struct access_pool *pool, void *block, size_t bytes)
{
    void **list = &pool->free_lists[logarithm(bytes)];
    memcpy(block, list, sizeof *list);
    *list = block;
}

void access_pool_free(struct access_pool *pool)
{
    for (struct access_chunk *chunk = pool->chunks; chunk;) {
        struct access_chunk *next = chunk->next;
        memory_pages_free(chunk->block, chunk->bytes);
        free(chunk);
        chunk = next;
    }
    *pool = (struct access_pool){0};
}
