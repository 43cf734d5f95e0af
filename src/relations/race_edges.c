/* SPDX-License-Identifier: MIT */
#include "relations/race_edges.h"

#include "base/map.h"

#include <assert.h>

struct race_edges_walk {
    const struct race_edges *edges;
    struct map clock_of; /* position of a first event -> its clock */
    struct kept_clocks ARRAY_OF(struct vclock) clocks;
    size_t next; /* edge, by second events */
    struct vclock arriving;
};

struct race_edges_walk *race_edges_walk_create(const struct race_edges *edges)
{
    struct race_edges_walk *self = NEW(struct race_edges_walk);
    self->edges = edges;
    for (size_t i = 0; edges && i < edges->count; i++) {
        bool added;
        assert(edges->items[i].first < edges->items[i].second);
        assert(!i || edges->items[i - 1].second <= edges->items[i].second);
        uint64_t *clock = map_at(&self->clock_of, edges->items[i].first, &added);
        if (added) {
            *clock = self->clocks.count;
            array_grow(&self->clocks, self->clocks.count + 1);
        }
    }
    return self;
}

void race_edges_walk_destroy(struct race_edges_walk *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->clocks.count; i++)
        vclock_free(&self->clocks.items[i]);
    array_free(&self->clocks);
    map_free(&self->clock_of);
    vclock_free(&self->arriving);
    free(self);
}

const struct vclock *race_edges_enter(struct race_edges_walk *self, struct hb_walk *hb,
                                      const struct event *event, uint32_t pos)
{
    const struct race_edges *edges = self->edges;
    if (!edges || self->next == edges->count || edges->items[self->next].second != pos)
        return NULL;
    vclock_clear(&self->arriving);
    for (; self->next < edges->count && edges->items[self->next].second == pos; self->next++) {
        const uint64_t *clock = map_find(&self->clock_of, edges->items[self->next].first);
        vclock_join(&self->arriving, &self->clocks.items[*clock]);
    }
    hb_walk_join(hb, event->thread, &self->arriving);
    return &self->arriving;
}

void race_edges_leave(struct race_edges_walk *self, struct hb_walk *hb, const struct event *event,
                      uint32_t pos)
{
    const uint64_t *clock = self->clocks.count ? map_find(&self->clock_of, pos) : NULL;
    if (!clock)
        return;
    vclock_copy(&self->clocks.items[*clock], hb_walk_clock(hb, event->thread));
    hb_walk_tick(hb, event->thread); /* what the thread does next is not part of the edge */
}
