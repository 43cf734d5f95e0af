/* SPDX-License-Identifier: MIT */
/* A conflict-driven solver for clauses over truth values and orders of events.
 *
 * Some variables say "node a comes before node b"; false, they say the reverse. What is
 * true of them never closes a cycle, together with edges that are there in any case. A
 * cycle is a conflict like a clause without a true literal: it is traced back to the
 * decisions behind it, and what is learnt keeps the solver from making them again. So
 * "no" is a proof.
 *
 * Variables are tried as false first: whoever makes them chooses what that is. The same
 * clauses and questions in the same order give the same answers. */
#ifndef PREPLAY_CONSTRAINTS_CDCL_H
#define PREPLAY_CONSTRAINTS_CDCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A variable, or its negation: twice its number, plus one if negated. */
typedef uint32_t cdcl_literal;

static inline cdcl_literal cdcl_positive(uint32_t variable)
{
    return 2 * variable;
}

static inline cdcl_literal cdcl_not(cdcl_literal literal)
{
    return literal ^ 1;
}

enum cdcl_answer { CDCL_NO, CDCL_YES, CDCL_UNKNOWN };

struct cdcl;

struct cdcl *cdcl_create(void);
void cdcl_destroy(struct cdcl *cdcl);

uint32_t cdcl_variable(struct cdcl *cdcl);
/* One that nobody decides: it is false unless that breaks a clause. */
uint32_t cdcl_lazy_variable(struct cdcl *cdcl);
/* Something to be ordered; `place`, another one for every node, is where it tends to be. */
uint32_t cdcl_node(struct cdcl *cdcl, uint32_t place);
/* The node does not matter unless the variable is true. */
void cdcl_guard(struct cdcl *cdcl, uint32_t node, uint32_t variable);
/* True: `a` is before `b`; false: after it. */
uint32_t cdcl_order(struct cdcl *cdcl, uint32_t a, uint32_t b);

/* What holds in all questions to come. Together they may be contradictory. */
void cdcl_clause(struct cdcl *cdcl, const cdcl_literal *literals, size_t count);
void cdcl_edge(struct cdcl *cdcl, uint32_t from, uint32_t to);

/* Can the literals all be true? CDCL_UNKNOWN: that takes more than so many steps. */
enum cdcl_answer cdcl_solve(struct cdcl *cdcl, const cdcl_literal *literals, size_t count,
                            uint64_t steps);
/* In the last answer, which was CDCL_YES. An order that does not matter may be neither true
 * nor false. */
bool cdcl_is_true(const struct cdcl *cdcl, uint32_t variable);
bool cdcl_is_false(const struct cdcl *cdcl, uint32_t variable);
/* By all questions so far: assignments, and clauses and nodes looked at. */
uint64_t cdcl_steps(const struct cdcl *cdcl);
/* Literals of all clauses. */
size_t cdcl_size(const struct cdcl *cdcl);

#endif
