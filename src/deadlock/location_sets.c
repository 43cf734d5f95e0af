/* SPDX-License-Identifier: MIT */
#include "deadlock/location_sets.h"

struct location_sets *location_sets_create(const struct lock_order *order, const bool *inside)
{
    struct location_sets *sets = NEW(struct location_sets);
    for (size_t i = 0; i < order->dependencies.count; i++) {
        bool added = false;
        if (!inside[i])
            continue;
        uint64_t *number = map_at(&sets->bit_of, order->dependencies.items[i].location, &added);
        if (added)
            *number = ++sets->count;
        if (sets->count > LOCATIONS_MAX) {
            location_sets_destroy(sets);
            return NULL;
        }
    }
    memset(sets->open, true, sizeof sets->open);
    return sets;
}

void location_sets_destroy(struct location_sets *sets)
{
    if (!sets)
        return;
    map_free(&sets->bit_of);
    free(sets);
}

uint32_t location_set_of(const struct location_sets *sets, uint32_t location)
{
    return 1u << (*map_find(&sets->bit_of, location) - 1);
}

void location_set_settle(struct location_sets *sets, uint32_t set)
{
    if (sets->settled[set])
        return;
    sets->settled[set] = true;
    sets->changed = true;
    for (uint32_t at = 1u << sets->count; at-- > 0;) {
        sets->open[at] = !sets->settled[at];
        for (uint32_t bit = 0; bit < sets->count; bit++)
            if (!(at >> bit & 1))
                sets->open[at] |= sets->open[at | 1u << bit];
    }
}

bool location_set_is_largest(const struct location_sets *sets, uint32_t set)
{
    for (uint32_t bit = 0; bit < sets->count; bit++)
        if (!(set >> bit & 1) && sets->open[set | 1u << bit])
            return false;
    return !sets->settled[set];
}
