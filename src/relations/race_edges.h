/* SPDX-License-Identifier: MIT */
/* Races taken as edges. Once a race is reported, Sadowski (Appendix B) treats its two accesses as
 * ordered, in happens-before as well, so that the theorem speaks of the next race, too.
 *
 * Edges are pairs of positions, found and kept in the order of their second events. A walk over
 * the trace carries the clock of each first event to its second one. */
#ifndef PREPLAY_RELATIONS_RACE_EDGES_H
#define PREPLAY_RELATIONS_RACE_EDGES_H

#include "base/array.h"
#include "relations/hb_walk.h"

struct race_edge {
    uint32_t first, second;
    bool observed; /* happens-before does not order them either */
};

struct race_edges ARRAY_OF(struct race_edge);

struct race_edges_walk;

/* `edges` may be NULL: none. They must not change while they are walked. */
struct race_edges_walk *race_edges_walk_create(const struct race_edges *edges);
void race_edges_walk_destroy(struct race_edges_walk *walk);

/* After hb_walk_enter() of the event at `pos`: what the edges bring there, which has been joined
 * into the thread's clock, valid until the next call; NULL if nothing. */
const struct vclock *race_edges_enter(struct race_edges_walk *walk, struct hb_walk *hb,
                                      const struct event *event, uint32_t pos);
/* After hb_walk_leave(). */
void race_edges_leave(struct race_edges_walk *walk, struct hb_walk *hb, const struct event *event,
                      uint32_t pos);

#endif
