/* SPDX-License-Identifier: MIT */
/* Causally-precedes (Sadowski, Definition 5), exactly and without a closure
 * over events. The least relation such that a release comes before a later acquire
 * of the same mutex if
 *
 *   (a) the two sections contain clashing accesses, or
 *   (b) the first section's acquire comes before the second one's release,
 *
 * that (c) is closed under composition with happens-before on both sides, and that
 * contains the hard edges (hard_edges.h).
 *
 * So e1 comes before e2 exactly if e1 happens before (or is) a release r, and an
 * acquire a happens before (or is) e2, for an edge (r, a) of (a) or (b), or the
 * same with a hard edge. What comes before an event is therefore a vector clock:
 * the join of the happens-before clocks of those r. And since the sections of one
 * mutex follow each other, the sections before a given one are a prefix: one number
 * a section, `ordered`, is all there is to find.
 *
 * Rule (b) is why a pass is not enough: at the release of a section an edge is
 * found that ends at its acquire, in the past. Whatever is after the release gets
 * it at once; what lies within the section matters only if its thread released
 * another mutex there. Only then is the skeleton walked again. Nesting makes for a
 * few walks; without nesting there is one. */
#ifndef PREPLAY_RELATIONS_CP_H
#define PREPLAY_RELATIONS_CP_H

#include "model/vclock.h"
#include "relations/race_edges.h"
#include "trace/history.h"

struct cp;

/* Computes the relation for the whole trace. */
struct cp *cp_create(const struct history *history);
/* With these races taken as edges, which must not change meanwhile; NULL: none. */
struct cp *cp_create_with(const struct history *history, const struct race_edges *edges);
void cp_destroy(struct cp *cp);

/* How often the skeleton was walked. */
uint32_t cp_walks(const struct cp *cp);

/* Then events are entered and left in observed order; while at an event: what comes
 * before it, and what happens before it, with the event's own tick. */
void cp_enter(struct cp *cp, uint32_t pos);
const struct vclock *cp_before(const struct cp *cp, uint32_t thread);
const struct vclock *cp_happened_before(struct cp *cp, uint32_t thread);
void cp_leave(struct cp *cp, uint32_t pos);

#endif
