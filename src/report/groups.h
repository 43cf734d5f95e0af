/* SPDX-License-Identifier: MIT */
/* Findings by root cause. One unprotected variable shows as a race for every place that touches
 * it, one lock order as a deadlock for every pair of calls: a reader wants to see each once.
 *
 * Two findings have one root cause if they are of one kind and
 *   races       are on one object (a variable, a heap block by where it was allocated) and the
 *               same section of a thread takes part in both: a critical section by where its
 *               outermost lock was taken or, without a lock, a function; or a replay of one showed
 *               the other too, in such a section, on whatever object
 *   deadlocks   are about the same objects
 *   atomicity   are on one object in one block
 * or if a third one joins them. */
#ifndef PREPLAY_REPORT_GROUPS_H
#define PREPLAY_REPORT_GROUPS_H

#include "trace/finding.h"
#include "trace/history.h"

struct groups;

/* The strongest finding of each group leads it: the first of `items`, which are sorted so. */
struct groups *groups_create(const struct history *history, const struct finding *const *items,
                             size_t count);
void groups_destroy(struct groups *groups);

/* The leader of a finding's group: itself, if it leads; NULL if it was not among the items. */
const struct finding *groups_leader(const struct groups *groups, const struct finding *finding);
/* How many its group has. */
size_t groups_size(const struct groups *groups, const struct finding *leader);

#endif
