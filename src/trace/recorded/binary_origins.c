/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_origins.h"

#include "base/array.h"

/* Blocks this large are arenas of somebody's own allocator; looking through all of
 * their pages for shared objects would take longer than it is worth. */
#define LARGEST (UINT64_C(1) << 28)

struct allocation {
    uint64_t address, length;
    uint32_t thread, location, stack;
};

struct binary_origins {
    struct allocations ARRAY_OF(struct allocation) allocations; /* with shared objects in them */
    struct by_extent ARRAY_OF(uint32_t) by_extent;              /* allocation plus one */
};

struct binary_origins *binary_origins_create(void)
{
    return NEW(struct binary_origins);
}

void binary_origins_destroy(struct binary_origins *self)
{
    if (!self)
        return;
    array_free(&self->allocations);
    array_free(&self->by_extent);
    free(self);
}

/* The allocation of the extents that `next` finds in the block; kept once if there are any. */
static void keep(struct binary_origins *self, const struct objects *objects,
                 const struct allocation *from, bool *kept,
                 uint32_t (*next)(const struct objects *, uint64_t *, uint64_t))
{
    uint64_t address = from->address;
    for (uint32_t extent;
         (extent = next(objects, &address, from->address + from->length)) != OBJECT_NONE;) {
        if (!*kept)
            array_push(&self->allocations, *from);
        *kept = true;
        array_grow(&self->by_extent, extent + 1);
        self->by_extent.items[extent] = (uint32_t)self->allocations.count;
    }
}

void binary_origins_alloc(struct binary_origins *self, const struct objects *objects,
                          const struct binary_unit *unit, uint32_t thread)
{
    struct allocation allocation = {unit->object, unit->other, thread, unit->location, unit->stack};
    bool kept = false;
    if (unit->other > LARGEST || unit->object + unit->other < unit->object)
        return;
    keep(self, objects, &allocation, &kept, objects_find_extent);
    keep(self, objects, &allocation, &kept, objects_coming);
}

static bool on_stack(const struct binary_threads *threads, uint64_t address,
                     struct trace_origin *origin)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct stream_header *header = &threads->items[i].header;
        if (address < header->stack_low || address >= header->stack_high)
            continue;
        *origin = (struct trace_origin){.kind = ORIGIN_STACK, .thread = i};
        return true;
    }
    return false;
}

bool binary_origins_find(const struct binary_origins *self, const struct objects *objects,
                         const struct binary_threads *threads, uint32_t object,
                         struct trace_origin *origin)
{
    if (object == OBJECT_NONE)
        return false;
    uint64_t address = objects_address(objects, object);
    uint32_t extent = objects_extent(objects, object);
    if (extent >= self->by_extent.count || !self->by_extent.items[extent])
        return on_stack(threads, address, origin);
    const struct allocation *from = &self->allocations.items[self->by_extent.items[extent] - 1];
    *origin = (struct trace_origin){
        .kind = ORIGIN_HEAP,
        .thread = from->thread,
        .location = from->location,
        .stack = from->stack,
        .offset = address - from->address,
        .size = from->length,
    };
    return true;
}
