/* SPDX-License-Identifier: MIT */
/* Decides whether one tuple of waits is a deadlock, and reports it with its schedule: by the
 * schedule in which the set comes as late as it can, by the engine's own search for one to the
 * waits, after which everybody else goes on as far as possible, by orders of signals and
 * waits, and at last by explicit exploration (deadlock/state_visit.h), which says no as well: of
 * all deadlocks at once where there are few states (stuck_table.h). */
#ifndef PREPLAY_DEADLOCK_STUCK_DECIDE_H
#define PREPLAY_DEADLOCK_STUCK_DECIDE_H

#include "deadlock/stuck_bounds.h"
#include "deadlock/stuck_sets.h"

struct stuck_decider;

struct stuck_decider *stuck_decider_create(const struct stuck_sets *sets);
void stuck_decider_destroy(struct stuck_decider *decider);

/* The goal's events are instances of the members, in their order. */
enum search_answer stuck_decide(struct stuck_decider *decider, const struct stuck_members *members,
                                const struct stuck_goal *goal);

#endif
