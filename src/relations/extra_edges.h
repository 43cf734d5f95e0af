/* SPDX-License-Identifier: MIT */
/* What makes vector clocks adjustable (Sadowski, section 15.1): edges that end
 * at acquires in the past, found when the clocks of the events after them are long
 * made. Every use of such a clock is adjusted: for each extra edge from r to an
 * acquire that the clock has seen, it must have seen r too.
 *
 * Edges are kept per thread of the acquire, by its tick, each with the join of all
 * edges of that thread up to it: to adjust a clock takes one look-up per thread. An
 * acquire of tick n is seen by clocks whose entry is above n: what came before the
 * acquire may have tick n itself. */
#ifndef PREPLAY_RELATIONS_EXTRA_EDGES_H
#define PREPLAY_RELATIONS_EXTRA_EDGES_H

#include "model/vclock.h"

#include <stddef.h>

struct extra_edge {
    uint32_t tick;        /* of the acquire */
    struct vclock before; /* what all edges into the thread's acquires up to it start from */
};

struct extra_edge_list {
    struct extra_edge *items; /* by tick */
    size_t count, capacity;
};

/* A zeroed one is empty. */
struct extra_edges {
    struct extra_edge_list *items; /* by thread */
    size_t count, capacity;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } raised;      /* scratch: threads to look at ... */
    bool *pending; /* ... by thread: it is among them */
};

void extra_edges_free(struct extra_edges *extra);

/* An edge from a moment (adjusted) to the thread's acquire of that tick. */
void extra_edges_add(struct extra_edges *extra, uint32_t thread, uint32_t tick,
                     const struct vclock *from);
/* What the edges into the thread's acquires that `tick` has seen start from; NULL
 * if there are none. */
const struct vclock *extra_edges_seen(const struct extra_edges *extra, uint32_t thread,
                                      uint32_t tick);

/* Joins into an adjusted clock another one, adjusted or not, and adjusts the join;
 * true if it grew. */
bool extra_edges_join(struct extra_edges *extra, struct vclock *clock, const struct vclock *other);
/* Adjusts any clock; true if it grew. */
bool extra_edges_adjust(struct extra_edges *extra, struct vclock *clock);

#endif
