/* SPDX-License-Identifier: MIT */
#include "base/array.h"
#include "base/intern.h"
#include "base/map.h"
#include "trace/recorded/binary_stream.h"
#include "symbols/symbols.h"

struct frame {
    uint32_t location, outer;
};

struct binary_places {
    struct pcs ARRAY_OF(uint64_t) pcs;
    struct frames ARRAY_OF(struct frame) frames; /* by stack id - 1 */
    struct map by_pc, by_frame, by_label;
    struct interner *labels;
    struct symbols *symbols; /* NULL: not asked */
    struct map homes;        /* (location, stack) -> the same of its home */
};

struct binary_places *binary_places_create(void)
{
    struct binary_places *self = NEW(struct binary_places);
    self->labels = interner_create();
    return self;
}

void binary_places_destroy(struct binary_places *self)
{
    if (!self)
        return;
    array_free(&self->pcs);
    array_free(&self->frames);
    map_free(&self->by_pc);
    map_free(&self->by_frame);
    map_free(&self->by_label);
    interner_destroy(self->labels);
    map_free(&self->homes);
    free(self);
}

uint32_t binary_places_location(struct binary_places *self, uint64_t pc)
{
    bool added;
    uint64_t *id = map_at(&self->by_pc, pc == UINT64_MAX ? 0 : pc, &added);
    if (added) {
        *id = self->pcs.count;
        array_push(&self->pcs, pc);
    }
    return (uint32_t)*id;
}

uint32_t binary_places_stack(struct binary_places *self, uint32_t parent, uint64_t pc)
{
    bool added;
    uint32_t location = binary_places_location(self, pc);
    uint64_t *id = map_at(&self->by_frame, map_pair(parent, location), &added);
    if (added) {
        struct frame frame = {.location = location, .outer = parent};
        array_push(&self->frames, frame);
        *id = self->frames.count;
    }
    return (uint32_t)*id;
}

uint64_t binary_places_pc(const struct binary_places *self, uint32_t location)
{
    return location < self->pcs.count ? self->pcs.items[location] : 0;
}

bool binary_places_frame(const struct binary_places *self, uint32_t stack, uint32_t *location,
                         uint32_t *outer)
{
    if (!stack || stack > self->frames.count)
        return false;
    *location = self->frames.items[stack - 1].location;
    *outer = self->frames.items[stack - 1].outer;
    return true;
}

void binary_places_name(struct binary_places *self, uint64_t address, const char *text,
                        size_t length)
{
    if (address != UINT64_MAX)
        *map_at(&self->by_label, address, NULL) = intern(self->labels, text, length);
}

const char *binary_places_label(const struct binary_places *self, uint64_t address)
{
    /* No map has that key, and a hostile trace may ask for it. */
    const uint64_t *label = address != UINT64_MAX ? map_find(&self->by_label, address) : NULL;
    return label ? intern_text(self->labels, (uint32_t)*label) : NULL;
}

void binary_places_use(struct binary_places *self, struct symbols *symbols)
{
    self->symbols = symbols_has_library(symbols) ? symbols : NULL;
}

void binary_places_home(struct binary_places *self, uint32_t *location, uint32_t *stack)
{
    bool added;
    if (!self->symbols)
        return;
    uint64_t *home = map_at(&self->homes, map_pair(*location, *stack), &added);
    if (added) {
        uint32_t at = *location, outer = *stack;
        bool own;
        while (!(own = !symbols_is_library(self->symbols, binary_places_pc(self, at))) &&
               binary_places_frame(self, outer, &at, &outer))
            ;
        *home = own ? map_pair(at, outer) : map_pair(*location, *stack);
    }
    *location = (uint32_t)(*home >> 32);
    *stack = (uint32_t)*home;
}
