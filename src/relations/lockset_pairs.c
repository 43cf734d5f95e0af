/* SPDX-License-Identifier: MIT */
#include "relations/lockset_pairs.h"

/* All of so many instances are kept; of more, those whose number is a power of two. */
enum { FIRST_INSTANCES = 16 };

static uint64_t places_of(const struct access *a, const struct access *b)
{
    return a->location < b->location ? map_pair(a->location, b->location)
                                     : map_pair(b->location, a->location);
}

static uint32_t number_of(struct lockset_pairs *pairs, uint64_t places)
{
    bool added;
    if (places == pairs->last_places && pairs->list.count)
        return pairs->last;
    uint64_t *number = map_at(&pairs->numbers, places, &added);
    if (added) {
        *number = pairs->list.count;
        array_push(&pairs->list, ((struct lockset_pair){.distance = UINT32_MAX}));
    }
    pairs->last_places = places;
    return pairs->last = (uint32_t)*number;
}

bool lockset_pairs_meet(struct lockset_pairs *pairs, uint32_t object, const struct access *earlier,
                        const struct access *later)
{
    uint32_t number = number_of(pairs, places_of(earlier, later));
    struct lockset_pair *pair = &pairs->list.items[number];
    uint64_t met = ++pair->met;
    uint32_t distance = later->pos - earlier->pos;
    bool keep = met <= FIRST_INSTANCES || (met & (met - 1)) == 0,
         closest = distance < pair->distance;
    if (!keep && !closest)
        return false;
    struct lockset_instance instance = {object, *earlier, *later};
    if (closest && met > 1) {
        struct lockset_instance further = pair->instances.items[0];
        pair->instances.items[0] = instance;
        instance = further;
    }
    if (closest)
        pair->distance = distance;
    if (keep)
        array_push(&pair->instances, instance);
    return met == 1;
}

void lockset_pairs_free(struct lockset_pairs *pairs)
{
    for (size_t i = 0; i < pairs->list.count; i++)
        array_free(&pairs->list.items[i].instances);
    array_free(&pairs->list);
    map_free(&pairs->numbers);
    map_free(&pairs->passed_over);
}
