/* SPDX-License-Identifier: MIT */
/* The closed prefix (prefix.h) of each thread's past, event by event: the least that
 * any reordering which keeps the order of each lock's sections must run before the
 * thread can be where it is. */
#ifndef PREPLAY_MODEL_CLOSED_PAST_H
#define PREPLAY_MODEL_CLOSED_PAST_H

#include "model/prefix.h"
#include "trace/history.h"

struct closed_pasts;

struct closed_pasts *closed_pasts_create(const struct history *history);
void closed_pasts_destroy(struct closed_pasts *pasts);

/* Moves past the event; in observed order, each event once. */
void closed_pasts_step(struct closed_pasts *pasts, uint32_t pos);

/* Before the thread's next event. */
const struct prefix *closed_pasts_of(const struct closed_pasts *pasts, uint32_t thread);
/* The counts of that, to be kept; the thread's own count may be that of an earlier
 * event. The same array as long as the thread learns nothing of others. */
const uint32_t *closed_pasts_stamp(struct closed_pasts *pasts, uint32_t thread);
/* All sections so far. */
const struct sections *closed_pasts_sections(const struct closed_pasts *pasts);

#endif
