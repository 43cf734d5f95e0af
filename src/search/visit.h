/* SPDX-License-Identifier: MIT */
/* The last rung: visits the states that schedules of the question's events reach, each
 * once, until the targets are next.
 *
 * A state is how far each thread is, which kept values are in memory, and whom signals
 * may still wake; what a thread may do next depends on nothing else. Where orders of
 * single events say little (who a signal wakes, whom a failed try meets, how high a
 * semaphore counts), different orders lead to few different states. What must be in
 * every witness, and the orders that the other rungs found to be forced, cut
 * it down; so do two reductions. Events that only make more possible (reads, releases
 * nobody's failed try needs, failed tries themselves) are executed at once. And of a
 * state only a persistent set of threads is tried: those that what is still needed
 * depends on.
 *
 * Exact within the budget for all goals, under every model but `branch`. States are told apart by
 * 128-bit fingerprints. */
#ifndef PREPLAY_SEARCH_VISIT_H
#define PREPLAY_SEARCH_VISIT_H

#include "search/state.h"
#include "search/uses.h"

/* The scratch of a search for this rung. */
struct visit;

/* Is the question one for this rung? */
bool visit_can(const struct search *search);
/* The closure must be complete, and nothing decided. */
enum search_answer visit_solve(struct search *search);
/* Forgets the last witness, which later questions try to follow. */
void visit_forget(struct search *search);
/* Of the last question: the most events that the thread had executed in any state. */
uint32_t visit_furthest(const struct search *search, uint32_t thread);
void visit_destroy(struct visit *visit);

#endif
