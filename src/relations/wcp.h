/* SPDX-License-Identifier: MIT */
/* Weak-causally-precedes as vector clocks, in one pass (Kini, Mathur, Viswanathan,
 * PLDI 2017). The least relation such that
 *
 *   (a) a release comes before an access in a later section of the same mutex that
 *       conflicts with one in its own section;
 *   (b) the release of a section comes before that of a later section of the same
 *       mutex if an event of the one comes before an event of the other;
 *   (c) it is closed under composition with happens-before on both sides;
 *
 * and hard edges (hard_edges.h) are in it.
 *
 * Rule (b) asks for the sections of a mutex that begin before the release at hand.
 * They are a prefix of the mutex's sections, since those follow each other in
 * happens-before, and the prefix only grows from section to section: so each mutex
 * has one queue of sections that are not in it yet, whichever thread they are of,
 * and nothing else is remembered of the past. */
#ifndef PREPLAY_RELATIONS_WCP_H
#define PREPLAY_RELATIONS_WCP_H

#include "model/vclock.h"
#include "trace/event.h"

struct wcp;

struct wcp *wcp_create(void);
void wcp_destroy(struct wcp *wcp);

/* Moves the thread to its next event; call it for every event. */
void wcp_enter(struct wcp *wcp, const struct event *event);
/* While at the event: what is before it, and what happens before it. The own entry
 * of the latter is the tick of the event. Valid until the next call. */
const struct vclock *wcp_before(struct wcp *wcp, uint32_t thread);
const struct vclock *wcp_happened_before(struct wcp *wcp, uint32_t thread);
/* Completes the event. */
void wcp_leave(struct wcp *wcp, const struct event *event);

#endif
