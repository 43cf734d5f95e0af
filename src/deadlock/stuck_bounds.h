/* SPDX-License-Identifier: MIT */
/* What is known of a set of waits without any search, from what every correct reordering
 * that stands there must have executed (search/clocks.h), and from counting:
 *
 *   helpers     A thread outside the set that could give the signal or the post has done so
 *               for the last time. What that takes may lie behind the waits of the set.
 *   posts       Then all posts but those of the set were done, and at most all waits: the
 *               count is zero only if the set still owes as many posts as the observed run
 *               had left over at its end.
 *   signals     Each signal that must come while a thread waits, and leaves it waiting, was
 *               taken by another wait of that time; if there are fewer, it was not.
 *
 * All of it holds under every model, and says no for all instances of a class at once or in
 * logarithmic time for one tuple. */
#ifndef PREPLAY_DEADLOCK_STUCK_BOUNDS_H
#define PREPLAY_DEADLOCK_STUCK_BOUNDS_H

#include "deadlock/wait_classes.h"
#include "search/search.h"

struct stuck_bounds;

/* `index` may lack clocks; then only counting is left. */
struct stuck_bounds *stuck_bounds_create(const struct blocking *blocking,
                                         const struct search_index *index);
void stuck_bounds_destroy(struct stuck_bounds *bounds);

/* A set in the making: one class a thread. */
struct stuck_members {
    const struct wait_class *const *classes;
    uint32_t count;
};

/* The last helps of threads outside the set: what must have been executed. False if one of
 * them lies at or behind `to`, where nothing is executed. */
bool stuck_bounds_helps(struct stuck_bounds *bounds, const struct stuck_members *members,
                        uint32_t to, const uint32_t **helps, uint32_t *count);

/* No instances of these classes can be stuck for lack of posts. */
bool stuck_bounds_enough_posts(struct stuck_bounds *bounds, const struct stuck_members *members);

/* Steps through the tuples of instances (positions, in the order of the classes) that
 * clocks and counting leave, after stuck_bounds_helps(). Visiting stops when `visit` says
 * so; false if `steps` did not suffice. */
typedef bool stuck_visit(void *context, const uint32_t *events);
bool stuck_bounds_each(struct stuck_bounds *bounds, const struct stuck_members *members,
                       uint64_t *steps, stuck_visit *visit, void *context);

#endif
