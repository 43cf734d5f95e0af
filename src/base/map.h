/* SPDX-License-Identifier: MIT */
/* A hash map from 64-bit keys to 64-bit values: open addressing, no tombstones
 * (deletion shifts back), so that look-ups stay short for ever. */
#ifndef PREPLAY_BASE_MAP_H
#define PREPLAY_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    uint64_t key, value;
};

/* A zeroed struct map is an empty map. Key UINT64_MAX is reserved. */
struct map {
    struct map_entry *entries;
    size_t count, capacity; /* capacity is a power of two, or 0 */
};

/* The value's place, NULL if the key is not there. Valid until the next change. */
uint64_t *map_find(const struct map *map, uint64_t key);
/* The value's place, made with value 0 if it was not there (*added says so). */
uint64_t *map_at(struct map *map, uint64_t key, bool *added);
bool map_remove(struct map *map, uint64_t key);
void map_clear(struct map *map);
void map_free(struct map *map);

/* for (size_t i = map_first(m); i < m->capacity; i = map_following(m, i)) */
size_t map_following(const struct map *map, size_t slot);
static inline size_t map_first(const struct map *map)
{
    return map_following(map, (size_t)-1);
}

static inline uint64_t map_mix(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0xd6e8feb86659fd93);
    key ^= key >> 32;
    return key;
}

/* Two 32-bit ids as one key. */
static inline uint64_t map_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

#endif
