/* SPDX-License-Identifier: MIT */
/* What lies near a run: the same run with one preemption more.
 *
 * At each step of the newest run, from the last to the first, another thread goes on instead, as
 * far as it can; then the one that was stopped, and the others; or that one last of all. What that
 * leads to is computed, not run, up to the first outcome that is new. Stopping a thread late,
 * between what it has checked and what it does about it, is what failures like. */
#ifndef PREPLAY_EXPLORE_NEIGHBOURS_H
#define PREPLAY_EXPLORE_NEIGHBOURS_H

#include "explore/question.h"

void neighbours_find(const struct knowledge *knowledge, const struct map *asked,
                     struct questions *questions);

#endif
