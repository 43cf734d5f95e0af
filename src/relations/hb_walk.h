/* SPDX-License-Identifier: MIT */
/* Happens-before of mutexes and hard edges (hard_edges.h), event by event: the
 * relation that causally-precedes and must-before are made of and embedded in. */
#ifndef PREPLAY_RELATIONS_HB_WALK_H
#define PREPLAY_RELATIONS_HB_WALK_H

#include "model/vclock.h"
#include "trace/event.h"

struct hb_walk;

struct hb_walk *hb_walk_create(void);
void hb_walk_destroy(struct hb_walk *walk);

/* Moves the thread to its next event. Returns the join of the hard edges that end
 * there, valid until the next call, or NULL if there are none. */
const struct vclock *hb_walk_enter(struct hb_walk *walk, const struct event *event);
/* What happens before the thread's event; the own entry is the event's tick. */
const struct vclock *hb_walk_clock(struct hb_walk *walk, uint32_t thread);
/* An edge from elsewhere ends at the thread's event. */
void hb_walk_join(struct hb_walk *walk, uint32_t thread, const struct vclock *clock);
/* One started at the event that was completed: the thread's next one has a tick of its own. */
void hb_walk_tick(struct hb_walk *walk, uint32_t thread);
/* Completes the event. */
void hb_walk_leave(struct hb_walk *walk, const struct event *event);

#endif
