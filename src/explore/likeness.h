/* SPDX-License-Identifier: MIT */
/* Threads of which all that is known is the same.
 *
 * If the trees of two threads are equal (knowledge.h), exchanging the threads maps the model to
 * itself, and of two states that differ in no more than which of them is where, one is enough: what
 * can be reached from the other is the same but for the names, and so is what is not known. The
 * trees are those of today: as soon as one of them has learnt something, it is no longer equal, and
 * the states of both are visited until the other has learnt it, too. So nothing is assumed of the
 * program.
 *
 * Threads are told apart by others only through joins. Those that a thread does in a row, with
 * nothing in between, come to the same in any order: it waits until all of these threads have
 * ended, and they are told apart by none of them. */
#ifndef PREPLAY_EXPLORE_LIKENESS_H
#define PREPLAY_EXPLORE_LIKENESS_H

#include "explore/state.h"

struct likeness;

/* NULL if no two threads are alike. */
struct likeness *likeness_create(const struct state_layout *layout);
void likeness_destroy(struct likeness *likeness);

/* Sets `normal`, a block of its own, to the one of these states that stands for all of them. */
void likeness_normalise(struct likeness *likeness, const struct state *state, struct state *normal);
/* The thread stands before a row of joins, and one of those threads has not ended. */
bool likeness_waits(const struct likeness *likeness, const struct state *state, uint32_t thread);

#endif
