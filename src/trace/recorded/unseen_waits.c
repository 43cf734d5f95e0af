/* SPDX-License-Identifier: MIT */
#include "trace/recorded/unseen_waits.h"

#include "base/array.h"
#include "base/map.h"

#include <assert.h>

struct thread_waits {
    bool looked;  /* it has accessed something since it last took a lock */
    bool waiting; /* in such a wait */
};

struct unseen_waits {
    struct symbols *symbols;
    struct binary_places *places;
    struct map known; /* location -> whether it is in such code */
    struct thread_list ARRAY_OF(struct thread_waits) threads;
};

struct unseen_waits *unseen_waits_create(struct symbols *symbols, struct binary_places *places)
{
    struct unseen_waits *self = NEW(struct unseen_waits);
    self->symbols = symbols;
    self->places = places;
    return self;
}

void unseen_waits_destroy(struct unseen_waits *self)
{
    if (!self)
        return;
    map_free(&self->known);
    array_free(&self->threads);
    free(self);
}

/* The C++ library looks at nothing before it waits. */
static bool is_unseen_code(struct unseen_waits *self, uint32_t location)
{
    bool added;
    uint64_t *known = map_at(&self->known, location, &added);
    if (!added)
        return *known;
    uint64_t pc = binary_places_pc(self->places, location);
    bool answer = symbols_is_unseen(self->symbols, pc) && !symbols_is_library(self->symbols, pc);
    *map_at(&self->known, location, NULL) = answer;
    return answer;
}

static struct thread_waits *thread_at(struct unseen_waits *self, uint32_t thread)
{
    array_grow(&self->threads, thread + 1);
    return &self->threads.items[thread];
}

bool unseen_waits_is(struct unseen_waits *self, const struct binary_unit *unit, uint32_t thread)
{
    struct thread_waits *waits = thread_at(self, thread);
    assert(unit->is_record);
    if (unit->op == EVENT_ACQUIRE)
        waits->looked = false;
    if (unit->op == EVENT_WAIT_BEGIN)
        waits->waiting = !waits->looked && is_unseen_code(self, unit->location);
    return waits->waiting && (unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END);
}

void unseen_waits_follow(struct unseen_waits *self, const struct binary_unit *unit, uint32_t thread)
{
    bool atomic = unit->is_record && unit->op < EVENT_COUNT && op_in(unit->op, OPS_ATOMIC) &&
                  !(unit->object & RECORD_EDGE);
    if (unit->count || atomic)
        thread_at(self, thread)->looked = true;
}
