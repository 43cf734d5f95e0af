/* SPDX-License-Identifier: MIT */
/* Questions with many choices: which write of its value a read sees, whom a signal wakes,
 * which section comes first. The constraints of smt_encode.h say what a choice brings with it,
 * a conflict-driven solver makes the choices (smt_own.h), and what its plans break is added to
 * the constraints. So the solver learns where the order search would try again. */
#ifndef PREPLAY_SEARCH_BY_PLANS_H
#define PREPLAY_SEARCH_BY_PLANS_H

#include "model/machine.h"
#include "search/search.h"

/* What all searches of one index share; made when the first one needs it. */
struct plans_index;

struct plans_index *plans_index_create(const struct rules *rules);
void plans_index_destroy(struct plans_index *index);

struct by_plans;

/* NULL if its clocks would take too much memory, or if there are too many waits and signals. */
struct by_plans *by_plans_create(struct plans_index *index);
void by_plans_destroy(struct by_plans *plans);

/* Is it a question that plans can answer? Not if the witness has to leave a signal; nor about
 * blocks under `branch`, which excuses reads only in part. */
bool by_plans_can(const struct rules *rules, const struct search_query *query);
/* The witness, which ends in the query's events, is valid until the next question. Adds to
 * `steps` what it took; no more than up to `limit`. */
enum search_answer by_plans_reach(struct by_plans *plans, const struct search_query *query,
                                  const uint32_t *executed, uint32_t executed_count,
                                  uint64_t *steps, uint64_t limit, struct search_witness *witness);
/* Is there a correct reordering that executes `first`, ends in `last`, and whose happens-before
 * leaves them unordered (model/checker.h)? The model must be `rf`. */
enum search_answer by_plans_unordered(struct by_plans *plans, uint32_t first, uint32_t last,
                                      uint64_t *steps, uint64_t limit,
                                      struct search_witness *witness);
void by_plans_forget(struct by_plans *plans);

#endif
