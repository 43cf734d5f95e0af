/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY UINT64_MAX

static size_t slot_of(const struct map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t slot = map_mix(key) & mask;
    while (map->entries[slot].key != key && map->entries[slot].key != EMPTY)
        slot = (slot + 1) & mask;
    return slot;
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : 16;
    map->entries = memory_alloc(map->capacity, sizeof *map->entries);
    memset(map->entries, 0xff, map->capacity * sizeof *map->entries);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entries[i].key != EMPTY)
            map->entries[slot_of(map, old.entries[i].key)] = old.entries[i];
    free(old.entries);
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
    if (!map->count)
        return NULL;
    size_t slot = slot_of(map, key);
    return map->entries[slot].key == key ? &map->entries[slot].value : NULL;
}

uint64_t *map_at(struct map *map, uint64_t key, bool *added)
{
    if ((map->count + 1) * 4 > map->capacity * 3)
        grow(map);
    struct map_entry *entry = &map->entries[slot_of(map, key)];
    bool fresh = entry->key == EMPTY;
    if (fresh) {
        *entry = (struct map_entry){key, 0};
        map->count++;
    }
    if (added)
        *added = fresh;
    return &entry->value;
}

bool map_remove(struct map *map, uint64_t key)
{
    if (!map->count)
        return false;
    size_t mask = map->capacity - 1;
    size_t hole = slot_of(map, key);
    if (map->entries[hole].key == EMPTY)
        return false;
    for (size_t next = (hole + 1) & mask; map->entries[next].key != EMPTY;
         next = (next + 1) & mask) {
        size_t home = map_mix(map->entries[next].key) & mask;
        /* An entry may fill the hole if the hole lies between its home and itself. */
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            map->entries[hole] = map->entries[next];
            hole = next;
        }
    }
    map->entries[hole].key = EMPTY;
    map->count--;
    return true;
}

/* One that was large once is cleared again and again with little in it: it becomes small. */
void map_clear(struct map *map)
{
    enum { FEW = 64 };
    if (map->count && map->count < map->capacity / FEW)
        map_free(map);
    else if (map->count)
        memset(map->entries, 0xff, map->capacity * sizeof *map->entries);
    map->count = 0;
}

void map_free(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}

size_t map_following(const struct map *map, size_t slot)
{
    do
        slot++;
    while (slot < map->capacity && map->entries[slot].key == EMPTY);
    return slot;
}
