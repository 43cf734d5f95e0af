/* SPDX-License-Identifier: MIT */
/* An arena: many small blocks that live and die together. */
#ifndef PREPLAY_BASE_ARENA_H
#define PREPLAY_BASE_ARENA_H

#include <stddef.h>

/* A zeroed struct arena is empty. */
struct arena {
    struct arena_chunk *chunks;
    char *free;
    size_t left;
};

/* Not zeroed, aligned for any type; never NULL. */
void *arena_alloc(struct arena *arena, size_t bytes);
void arena_free(struct arena *arena);

#endif
