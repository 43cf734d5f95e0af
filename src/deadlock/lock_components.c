/* SPDX-License-Identifier: MIT */
#include "deadlock/lock_components.h"

#include "base/components.h"

struct edges ARRAY_OF(uint32_t); /* out of one lock */

static bool next_edge(const void *graph, uint32_t lock, uint32_t *cursor, uint32_t *to)
{
    const struct edges *edges = (const struct edges *)graph + lock;
    if (*cursor == edges->count)
        return false;
    *to = edges->items[(*cursor)++];
    return true;
}

static struct edges *find_edges(const struct lock_order *order, const bool *some)
{
    struct edges *edges = NEW_ARRAY(struct edges, order->lock_limit);
    struct map known = {0};
    for (size_t i = 0; i < order->dependencies.count; i++) {
        if (some && !some[i])
            continue;
        const struct dependency *dependency = &order->dependencies.items[i];
        const struct lock_set *set = &order->sets.items[dependency->held];
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t held = order->set_locks.items[set->begin + k].lock;
            bool added;
            map_at(&known, map_pair(held, dependency->wanted.lock), &added);
            if (added)
                array_push(&edges[held], dependency->wanted.lock);
        }
    }
    map_free(&known);
    return edges;
}

uint32_t *lock_components(const struct lock_order *order, const bool *some)
{
    struct edges *edges = find_edges(order, some);
    uint32_t *components = components_find(order->lock_limit, next_edge, edges);
    for (uint32_t lock = 0; lock < order->lock_limit; lock++)
        array_free(&edges[lock]);
    free(edges);
    return components;
}
