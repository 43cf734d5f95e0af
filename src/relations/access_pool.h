/* SPDX-License-Identifier: MIT */
/* Memory for the tables of access histories: there is one per variable, most are
 * tiny, and they only ever double. Sizes are powers of two; what is given back is
 * given out again. */
#ifndef PREPLAY_RELATIONS_ACCESS_POOL_H
#define PREPLAY_RELATIONS_ACCESS_POOL_H

#include <stddef.h>
#include <stdint.h>

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
