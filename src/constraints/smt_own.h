/* SPDX-License-Identifier: MIT */
/* The same questions as smt_solver.h answers with Z3, answered by a solver of our own
 * (cdcl.h) that knows orders by heart: without Z3's overhead, and deterministic in the
 * smallest detail. */
#ifndef PREPLAY_CONSTRAINTS_SMT_OWN_H
#define PREPLAY_CONSTRAINTS_SMT_OWN_H

#include "constraints/smt_propagate.h"

struct smt_own;

struct smt_own *smt_own_create(const struct smt_window *window);
void smt_own_destroy(struct smt_own *own);

/* Can the goal be reached? If so, the trial has a witness. SMT_UNKNOWN: that takes more than
 * so many steps. What was learnt for one goal helps with the next. */
enum smt_answer smt_own_decide(struct smt_own *own, struct smt_trial *trial,
                               const struct smt_goal *goal, uint64_t steps);
/* The same for two events that shall both be next. */
enum smt_answer smt_own_decide_pair(struct smt_own *own, struct smt_trial *trial, uint32_t first,
                                    uint32_t second, uint64_t steps);
/* Forgets what was learnt. Which witness is found, and what is left open, depends on the goals
 * since then, and on nothing else. */
void smt_own_forget(struct smt_own *own);
/* The constraints that were said since then, for another solver; this one forgets. NULL if
 * there are none. */
struct smt_encoding *smt_own_take_encoding(struct smt_own *own);
/* Of all questions so far. */
uint64_t smt_own_steps(const struct smt_own *own);

#endif
