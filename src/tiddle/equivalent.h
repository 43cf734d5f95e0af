/* SPDX-License-Identifier: MIT */
/* All traces equivalent to a trace (Sadowski, Section 24.6), one by one: the
 * linear extensions of its happens-before order. Each comes from the one before
 * by moving one event, after Varol and Rotem (Knuth, TAOCP 7.2.1.2, Algorithm V),
 * so the next one is there in constant time on most traces, and memory does not
 * grow with their number. */
#ifndef PREPLAY_TIDDLE_EQUIVALENT_H
#define PREPLAY_TIDDLE_EQUIVALENT_H

#include "trace/history.h"

struct equivalents;

struct equivalents *equivalents_create(const struct history *history);
void equivalents_destroy(struct equivalents *equivalents);

/* The next order, as pos values, valid until the next call; NULL after the last.
 * The first one is the trace's own. */
const uint32_t *equivalents_next(struct equivalents *equivalents);

#endif
