/* SPDX-License-Identifier: MIT */
/* What must have happened for a process to stand where it stands: for every place of
 * every process of a window, how many steps of each other process all ways there take.
 * It is the must-part of a slice (slice.h), for all places at once, as vector clocks that
 * count steps; one pass over the window makes them.
 *
 * The slice of two targets asks for the larger of what each of them asks for. So the least
 * length of a counterexample, and whether one target rules out the other, is known without
 * computing a slice, which is what makes thousands of candidate pairs affordable. */
#ifndef PREPLAY_CSP_MUST_CLOCKS_H
#define PREPLAY_CSP_MUST_CLOCKS_H

#include "csp/process.h"

struct must_clocks;

struct must_clocks *must_clocks_create(const struct processes *processes);
void must_clocks_destroy(struct must_clocks *clocks);

/* The steps of `other` that must be taken before `place` is reached; one more than it has
 * if it must be over. */
uint32_t must_clocks_of(const struct must_clocks *clocks, struct step_place place, uint32_t other);

/* The steps that are taken, at the least, when two processes stand at these places. */
uint64_t must_clocks_total(const struct must_clocks *clocks, struct step_place a,
                           struct step_place b);

#endif
