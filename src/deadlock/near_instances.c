/* SPDX-License-Identifier: MIT */
#include "deadlock/near_instances.h"

#include "base/sorted.h"

enum { KEPT = 4, PIVOTS = 512 };

struct candidate {
    uint32_t span;
    uint32_t pivot; /* instance of the pivot dependency */
};

static uint32_t nearest(const struct dependency *dependency, uint32_t pos)
{
    const uint32_t *items = dependency->instances.items;
    uint32_t low =
        SORTED_POINT(middle, 0, (uint32_t)dependency->instances.count, items[middle] < pos);
    if (low == dependency->instances.count)
        return low - 1;
    if (low > 0 && pos - items[low - 1] < items[low] - pos)
        return low - 1;
    return low;
}

/* The rarest dependency: its instances are looked at one by one. */
static uint32_t pivot_of(const struct lock_order *order, const uint32_t *cycle, uint32_t length)
{
    uint32_t pivot = 0;
    for (uint32_t i = 1; i < length; i++)
        if (order->dependencies.items[cycle[i]].instances.count <
            order->dependencies.items[cycle[pivot]].instances.count)
            pivot = i;
    return pivot;
}

static uint32_t span_around(const struct lock_order *order, const uint32_t *cycle, uint32_t length,
                            uint32_t pos)
{
    uint32_t low = pos, high = pos;
    for (uint32_t i = 0; i < length; i++) {
        const struct dependency *dependency = &order->dependencies.items[cycle[i]];
        uint32_t at = dependency->instances.items[nearest(dependency, pos)];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return high - low;
}

static void keep(struct candidate *best, uint32_t *count, struct candidate candidate)
{
    uint32_t at = *count;
    while (at > 0 && best[at - 1].span > candidate.span)
        at--;
    if (at == KEPT)
        return;
    if (*count < KEPT)
        ++*count;
    memmove(&best[at + 1], &best[at], (*count - at - 1) * sizeof *best);
    best[at] = candidate;
}

uint32_t near_instances(const struct lock_order *order, const uint32_t *cycle, uint32_t length,
                        struct instance_tuples *tuples)
{
    uint32_t pivot = pivot_of(order, cycle, length);
    const struct dependency *rare = &order->dependencies.items[cycle[pivot]];
    struct candidate best[KEPT];
    uint32_t count = 0, instances = (uint32_t)rare->instances.count;
    uint32_t stride = instances / PIVOTS + 1;
    for (uint32_t i = 0; i < instances; i += stride)
        keep(best, &count,
             (struct candidate){span_around(order, cycle, length, rare->instances.items[i]), i});
    tuples->count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < length; k++) {
            const struct dependency *dependency = &order->dependencies.items[cycle[k]];
            uint32_t chosen = k == pivot
                                  ? best[i].pivot
                                  : nearest(dependency, rare->instances.items[best[i].pivot]);
            array_push(tuples, chosen);
        }
    return count;
}
