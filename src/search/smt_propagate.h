/* What follows from the constraints without a choice, and without Z3.
 *
 * Starting from "both accesses are next", a constraint with one way left makes that way
 * happen: an event is executed, or comes before another one. If no way is left, there is no
 * witness: this is the must-order again, with the pair in it (seed 003, section 5). Most
 * pairs that have no witness end here; those that are left are asked of Z3. */
#ifndef PREPLAY_SEARCH_SMT_PROPAGATE_H
#define PREPLAY_SEARCH_SMT_PROPAGATE_H

#include "search/smt_trial.h"

struct smt_propagation;

struct smt_propagation *smt_propagation_create(const struct smt_window *window);
void smt_propagation_destroy(struct smt_propagation *propagation);

/* False if the two events can never both be next. Otherwise the plan that follows is
 * in *plan, valid until the next call. */
bool smt_propagate(struct smt_propagation *propagation, const struct smt_encoding *encoding,
                   uint32_t first, uint32_t second, struct smt_plan **plan);

#endif
