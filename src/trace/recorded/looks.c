/* SPDX-License-Identifier: MIT */
#include "trace/recorded/looks.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    VERSIONS = 1 << 12, /* addresses share a version: one more may count as changed */
    SEEN = 1 << 14,
};

/* The last load of an address at a place by a thread. */
struct seen {
    uint64_t key;
    uint32_t version;
};

struct looks {
    looks_by_code *by_code;
    void *context;
    struct map places;           /* (location, stack) -> is it a look by the code? */
    uint32_t versions[VERSIONS]; /* by address: atomic writes so far */
    struct seen seen[SEEN];
};

struct looks *looks_create(looks_by_code *by_code, void *context)
{
    struct looks *self = NEW(struct looks);
    self->by_code = by_code;
    self->context = context;
    return self;
}

void looks_destroy(struct looks *self)
{
    if (!self)
        return;
    map_free(&self->places);
    free(self);
}

static uint64_t key_of(uint64_t value)
{
    return value == UINT64_MAX ? 0 : value;
}

/* True if the thread saw the same there before, or nothing yet. */
static bool is_steady(struct looks *self, const struct binary_unit *unit, uint32_t thread)
{
    uint64_t key = map_mix(unit->object) ^ map_mix(map_pair(thread, unit->location));
    struct seen *seen = &self->seen[key & (SEEN - 1)];
    uint32_t version = self->versions[map_mix(unit->object) & (VERSIONS - 1)];
    bool steady = seen->key != key || seen->version == version;
    *seen = (struct seen){key, version};
    return steady;
}

static bool looks_at_place(struct looks *self, const struct binary_unit *unit)
{
    bool added;
    uint64_t place = key_of(map_pair(unit->location, unit->stack));
    uint64_t *known = map_at(&self->places, place, &added);
    if (!added)
        return *known;
    bool answer = self->by_code(self->context, unit->location, unit->stack);
    *map_at(&self->places, place, NULL) = answer;
    return answer;
}

uint8_t looks_op(struct looks *self, const struct binary_unit *unit, uint32_t thread)
{
    if (op_in(unit->op, OPS_WRITING)) {
        self->versions[map_mix(unit->object) & (VERSIONS - 1)]++;
        return unit->op;
    }
    if (unit->object & RECORD_EDGE)
        return unit->object & RECORD_EDGE_LOOSE ? EVENT_ATOMIC_LOOK : unit->op;
    bool steady = is_steady(self, unit, thread);
    return steady && !unit->repeat && looks_at_place(self, unit) ? EVENT_ATOMIC_LOOK : unit->op;
}
