/* SPDX-License-Identifier: MIT */
/* An incremental solver over one encoding. The encoding's constraints are stated
 * as it grows; every question adds assumptions that hold for that question only, so what
 * the solver learnt for one pair helps with the next (Said et al., section 5). */
#ifndef PREPLAY_SMT_SMT_SOLVER_H
#define PREPLAY_SMT_SMT_SOLVER_H

#include "constraints/smt_propagate.h"

/* What solvers may share, one after the other: making it costs more than many a
 * question. */
struct smt_context;

struct smt_context *smt_context_create(void);
void smt_context_destroy(struct smt_context *context);

struct smt_solver;

/* Of one question; 0: none. */
struct smt_limits {
    uint32_t budget; /* Z3's resource units, the same on every machine */
    double seconds;
};

struct smt_solver *smt_solver_create(struct smt_context *context, struct smt_encoding *encoding,
                                     const struct smt_limits *limits);
void smt_solver_destroy(struct smt_solver *solver);

/* Constraints added to the encoding since the last question are told to Z3 first. */
enum smt_answer smt_solver_ask(struct smt_solver *solver, const struct smt_refs *assumptions);
/* Resource units spent by all questions so far. */
uint64_t smt_solver_spent(struct smt_solver *solver);
/* What the last question, which was answered with SMT_YES, was answered with. Valid until
 * the next question. */
struct smt_plan *smt_solver_plan(struct smt_solver *solver);

#endif
