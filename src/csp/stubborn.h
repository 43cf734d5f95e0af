/* SPDX-License-Identifier: MIT */
/* Partial-order reduction: of the processes that could move in a state, enough
 * to reach the goal if it can be reached at all.
 *
 * Some process p has not yet taken a step that every way to the goal takes. The
 * set starts with p's next step. If a step in it is possible now, those who could
 * interfere with it join the set (who may want the same lock, ...); if not, some
 * who could make it possible do (the owner of the lock, the forker, ...). What
 * the processes outside the set do meanwhile commutes with every step in it, so
 * each way to the goal can be permuted to begin with a step of the set (Valmari's
 * stubborn sets, with p's step as the up-set of the goal). A permuted way is as
 * long as before, so that a shortest one is still found. */
#ifndef PREPLAY_CSP_STUBBORN_H
#define PREPLAY_CSP_STUBBORN_H

#include "csp/product.h"

struct stubborn {
    uint32_t *best, *trial; /* processes to move */
    uint32_t best_count, trial_count;
    uint32_t *members; /* work list of the closure */
    uint32_t *seen;    /* by process: the round it joined in */
    uint32_t member_count, round;
    uint64_t work; /* done so far: processes and uses looked at */
};

struct stubborn *stubborn_create(const struct processes *processes);
void stubborn_destroy(struct stubborn *stubborn);

/* Leaves in best[] the processes to move in the product's state; their steps are
 * possible. `signalled` is a condition object that must become able to wake a
 * target that stands at its place, or NO_OBJECT. */
void stubborn_choose(struct stubborn *stubborn, const struct product *product, uint32_t signalled);

#endif
