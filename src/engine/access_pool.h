/* Memory for the tables of access histories: there is one per variable, most are
 * tiny, and they only ever double. Sizes are powers of two; what is given back is
 * given out again. */
#ifndef PREPLAY_ENGINE_ACCESS_POOL_H
#define PREPLAY_ENGINE_ACCESS_POOL_H

#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

/* Grows a zeroed array in large pages, so that items[index] is there: an engine's
 * variables, which are looked up at random. */
#define access_pages_reach(array, index)                                                           \
    do {                                                                                           \
        if ((index) >= (array)->count) {                                                           \
            size_t pages_room = (array)->count ? (array)->count : 4096;                            \
            while (pages_room <= (index))                                                          \
                pages_room *= 2;                                                                   \
            (array)->items =                                                                       \
                memory_pages_grow((array)->items, (array)->count * sizeof *(array)->items,         \
                                  pages_room * sizeof *(array)->items);                            \
            (array)->count = pages_room;                                                           \
        }                                                                                          \
    } while (0)
#define access_pages_free(array)                                                                   \
    memory_pages_free((array)->items, (array)->count * sizeof *(array)->items)

#define ACCESS_POOL_SIZES 40

/* A zeroed struct access_pool is empty. */
struct access_pool {
    void *free_lists[ACCESS_POOL_SIZES]; /* by the logarithm of the size */
    char *at;                            /* unused part of the last chunk */
    size_t left;
    struct access_chunk *chunks;
};

/* Zeroed; `bytes` is a power of two, at least 8. */
void *access_pool_take(struct access_pool *pool, size_t bytes);
void access_pool_give(struct access_pool *pool, void *block, size_t bytes);
void access_pool_free(struct access_pool *pool);

#endif
