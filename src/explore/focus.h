/* SPDX-License-Identifier: MIT */
/* Few threads at a time: which ones.
 *
 * Most failures need two or three threads that meet in an unlucky way; which of a hundred that run
 * the same code is all one. So threads are told apart by where their own trees begin, and for each
 * way to choose two, three or four by that there is one set; at last there is every pair. */
#ifndef PREPLAY_EXPLORE_FOCUS_H
#define PREPLAY_EXPLORE_FOCUS_H

#include "explore/knowledge.h"

struct focus_set {
    bool *threads; /* of each one: is it in the set? */
};

struct focus_sets {
    struct focus_set *items;
    size_t count, capacity;
};

void focus_choose(struct focus_sets *sets, const struct knowledge *knowledge);
void focus_free(struct focus_sets *sets);

#endif
