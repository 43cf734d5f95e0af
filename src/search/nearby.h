/* SPDX-License-Identifier: MIT */
/* The first rung of search for long traces: most errors need only a little disorder.
 * For a deadlock, the observed order is kept up to the first of the acquires;
 * from there on all threads follow it as far as the rules let them, except those
 * of the cycle, which stop at their acquires. If that leaves the thread that was
 * first in the way of the others, it is held back before the locks it holds and
 * goes last.
 *
 * Linear in the events between checkpoint and last acquire, whatever the length
 * of the trace. What it finds is a witness; what it does not find proves nothing. */
#ifndef PREPLAY_SEARCH_NEARBY_H
#define PREPLAY_SEARCH_NEARBY_H

#include "model/machine.h"

struct nearby;

/* `model` as in the witness. The history must outlive the search. */
struct nearby *nearby_create(const struct history *history, enum model model);
void nearby_destroy(struct nearby *nearby);

/* True with a witness (malloc-ed, the acquires last, in their order) if the
 * acquires, in the order of their cycle, deadlock after a little disorder. */
bool nearby_deadlock(struct nearby *nearby, const uint32_t *acquires, uint32_t count,
                     uint32_t **witness, uint32_t *length);

/* The same for a strike on a window of an atomic block (SEARCH_ATOMICITY): begin, end and
 * culprit as in struct finding. A culprit that came later runs ahead of the window's
 * end, one that came earlier is held back until the window is open. `witness` may be NULL
 * if only the answer counts. Questions in the order of nearby_begin() cost the least. */
bool nearby_strike(struct nearby *nearby, const uint32_t *strike, uint32_t **witness,
                   uint32_t *length);

/* Up to where the observed order is kept for a strike. */
uint32_t nearby_begin(const uint32_t *strike);

/* Events executed by all questions so far. */
uint64_t nearby_work(const struct nearby *nearby);

#endif
