/* SPDX-License-Identifier: MIT */
/* What follows from the constraints with few choices or none, and without Z3.
 *
 * Starting from "both accesses are next", a constraint with one way left makes that way
 * happen: an event is executed, or comes before another one. If no way is left, there is no
 * witness: this is the must-order again, with the pair in it (Said et al., section 5). Where that
 * does not decide, the ways of a broken constraint are tried one after the other, a few times.
 * Most pairs end here; making a context for Z3 alone takes longer than that. */
#ifndef PREPLAY_CONSTRAINTS_SMT_PROPAGATE_H
#define PREPLAY_CONSTRAINTS_SMT_PROPAGATE_H

#include "constraints/smt_trial.h"

struct smt_propagation;

struct smt_propagation *smt_propagation_create(const struct smt_window *window);
void smt_propagation_destroy(struct smt_propagation *propagation);

enum smt_answer { SMT_NO, SMT_YES, SMT_UNKNOWN };

/* Can the two events both be next? If so, the trial has a witness. SMT_UNKNOWN: that
 * takes more than `choices` choices. */
enum smt_answer smt_propagate(struct smt_propagation *propagation, struct smt_trial *trial,
                              struct smt_encoding *encoding, uint32_t first, uint32_t second,
                              uint32_t choices);

#endif
