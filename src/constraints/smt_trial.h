/* SPDX-License-Identifier: MIT */
/* Trying out what a solver proposes.
 *
 * A plan says how far each thread runs and puts some events in order. The trial
 * orders the rest as it was observed, and looks which rules that breaks: the observed
 * order keeps all of them, so only what the plan stirs up can be wrong. Each broken
 * rule is added to the encoding, for the solver to plan anew. So a solver is told what
 * matters for the pairs asked about, and nothing else.
 *
 * What was added is true of every correct reordering; so if a solver finds no plan, there
 * is none. */
#ifndef PREPLAY_CONSTRAINTS_SMT_TRIAL_H
#define PREPLAY_CONSTRAINTS_SMT_TRIAL_H

#include "constraints/smt_encode.h"

struct smt_plan {
    uint32_t *prefix;                       /* by thread: index after its last event */
    struct smt_edges orders;                /* from before to, if both are executed; no cycles */
    struct smt_made ARRAY_OF(bool) choices; /* by number: made? may be shorter: not made */
};

enum smt_outcome {
    SMT_CORRECT, /* it is a witness: the machine (model/machine.h) executed it */
    SMT_BROKEN,  /* constraints were added */
    SMT_STUCK,   /* it is wrong, but all that it breaks had been said */
};

struct smt_trial;

struct smt_trial *smt_trial_create(const struct smt_window *window);
void smt_trial_destroy(struct smt_trial *trial);

/* Does the plan lead to the goal? Its prefixes grow to what must have come before. */
enum smt_outcome smt_trial_run(struct smt_trial *trial, struct smt_encoding *encoding,
                               struct smt_plan *plan, const struct smt_goal *goal);
/* An event that the last trial found broken: the first constraint about it that is still
 * open is where to begin. */
uint32_t smt_trial_broken_at(const struct smt_trial *trial);
/* The witness that the last trial found; it ends as the goal says. */
const struct smt_positions *smt_trial_witness(const struct smt_trial *trial);

#endif
