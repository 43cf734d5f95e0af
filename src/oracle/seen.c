/* SPDX-License-Identifier: MIT */
#include "oracle/seen.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 4096 };

static void allocate(struct seen *seen, size_t slots)
{
    seen->slots = slots;
    seen->keys = memory_alloc(slots * seen->words, sizeof *seen->keys);
    seen->stamps = memory_zero(slots, sizeof *seen->stamps);
    seen->stamp = 1;
}

void seen_reset(struct seen *seen, uint32_t words)
{
    seen->count = 0;
    /* One huge trace must not make all later ones pay. */
    if (words == seen->words && seen->slots == FIRST_SLOTS && ++seen->stamp)
        return;
    seen_free(seen);
    seen->words = words;
    allocate(seen, FIRST_SLOTS);
}

void seen_free(struct seen *seen)
{
    free(seen->keys);
    free(seen->stamps);
    *seen = (struct seen){0};
}

/* The slot of the key, or the free one where it belongs. */
static size_t slot_of(const struct seen *seen, const uint64_t *key)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < seen->words; i++)
        hash = map_mix(hash * 31 + key[i]);
    size_t slot = hash & (seen->slots - 1);
    while (seen->stamps[slot] == seen->stamp &&
           memcmp(&seen->keys[slot * seen->words], key, seen->words * sizeof *key) != 0)
        slot = (slot + 1) & (seen->slots - 1);
    return slot;
}

static void put(struct seen *seen, size_t slot, const uint64_t *key)
{
    memcpy(&seen->keys[slot * seen->words], key, seen->words * sizeof *key);
    seen->stamps[slot] = seen->stamp;
    seen->count++;
}

static void grow(struct seen *seen)
{
    struct seen old = *seen;
    seen->count = 0;
    allocate(seen, old.slots * 4);
    for (size_t slot = 0; slot < old.slots; slot++)
        if (old.stamps[slot] == old.stamp) {
            const uint64_t *key = &old.keys[slot * old.words];
            put(seen, slot_of(seen, key), key);
        }
    seen_free(&old);
}

bool seen_add(struct seen *seen, const uint64_t *key)
{
    size_t slot = slot_of(seen, key);
    if (seen->stamps[slot] == seen->stamp)
        return false;
    if (seen->count >= seen->slots / 2) {
        grow(seen);
        slot = slot_of(seen, key);
    }
    put(seen, slot, key);
    return true;
}
