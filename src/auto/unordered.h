/* SPDX-License-Identifier: MIT */
/* Races that are no matter of order: both accesses are performed one after the other, and it may
 * be that no other order is possible, but nothing makes the second wait for what the first did. A
 * relaxed atomic is seen by another thread without making visible what was written before it; the
 * processor and the compiler may do the two in any order.
 *
 * Happens-before by locks, signals, atomics as far as their memory orders go, and plain reads of
 * what was written (so that one race does not bring others with it) finds them in the observed
 * order, which is their witness. Where locks or signals order them there, plans (by_plans.h) look
 * for another order under `rf` that does not: exact, but for what the budget left open and, by
 * location, for the instances tried. */
#ifndef PREPLAY_AUTO_UNORDERED_H
#define PREPLAY_AUTO_UNORDERED_H

#include "engine/engine.h"
#include "search/search.h"

/* Adds those races that the run's findings do not have yet, or only as candidates. */
void unordered_find(struct engine_run *run, const struct search_index *strongest);

#endif
