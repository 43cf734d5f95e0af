/* SPDX-License-Identifier: MIT */
/* Objects whose bytes are not used yet: the first pass dates them by their page's first use, which
 * may be long after the memory was allocated. */
#include "base/sorted.h"
#include "trace/recorded/binary_objects_state.h"

static int by_address(const void *a, const void *b, void *extents)
{
    const struct extent *left = (const struct extent *)extents + *(const uint32_t *)a;
    const struct extent *right = (const struct extent *)extents + *(const uint32_t *)b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return (left->life > right->life) - (left->life < right->life);
}

static void list_by_address(struct objects *self)
{
    for (uint32_t i = 0; i < self->extents.count; i++)
        array_push(&self->by_address, i);
    qsort_r(self->by_address.items, self->by_address.count, sizeof(uint32_t), by_address,
            self->extents.items);
}

static bool is_before(const struct extent *extent, uint64_t address, uint32_t life)
{
    return extent->address < address || (extent->address == address && extent->life < life);
}

uint32_t objects_coming(const struct objects *const_self, uint64_t *address, uint64_t end)
{
    struct objects *self = (struct objects *)const_self; /* the list is made when it is asked for */
    if (self->by_address.count != self->extents.count)
        list_by_address(self);
    uint32_t count = (uint32_t)self->by_address.count;
    while (*address < end) {
        uint32_t at = SORTED_POINT(middle, 0, count,
                                   is_before(&self->extents.items[self->by_address.items[middle]],
                                             *address, self->lives + 1));
        if (at == count)
            break;
        uint32_t number = self->by_address.items[at];
        const struct extent *extent = &self->extents.items[number];
        if (extent->address >= end)
            break;
        *address = extent->address + (extent->life > self->lives);
        if (extent->life > self->lives)
            return number;
    }
    *address = end;
    return OBJECT_NONE;
}
