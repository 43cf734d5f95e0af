/* SPDX-License-Identifier: MIT */
/* The races that causally-precedes is sound for (Sadowski, Appendix B). Its theorem promises a race
 * or a deadlock for the first race alone: the one whose second event comes first and, among
 * those, whose first event comes last. With that race taken as an edge, the next one is the first
 * of a trace all of whose reorderings are reorderings of this one; and so on. Races that the edges
 * order are left out, which is the price. */
#ifndef PREPLAY_RELATIONS_CP_FIRST_H
#define PREPLAY_RELATIONS_CP_FIRST_H

#include "relations/race_edges.h"
#include "trace/history.h"

/* Appends the races in that order, until there are none left, or `work` events have been walked
 * over (every race needs a walk over all of the trace; there is always one). True if none are left.
 * */
bool cp_first_races(const struct history *history, uint64_t work, struct race_edges *races);

#endif
