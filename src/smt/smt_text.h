/* SPDX-License-Identifier: MIT */
/* Constraints as SMT-LIB 2 text, the same that Z3 is given through its API. */
#ifndef PREPLAY_SMT_SMT_TEXT_H
#define PREPLAY_SMT_SMT_TEXT_H

#include "constraints/smt_encode.h"

#include <stdio.h>

/* One formula: o7 is the place of event 7, x7 whether it is executed, c7 a choice. */
void smt_text_formula(FILE *out, const struct smt_formula *formula, smt_ref ref);

/* A whole query: declarations, constraints, assumptions, (check-sat). */
void smt_text_query(FILE *out, const struct smt_encoding *encoding,
                    const struct smt_refs *assumptions);

/* The query for one pair of a trace, under the rules' model. `which` is "A,B", two
 * positions, or the id of a finding ("r-1f3a9c20b7"); NULL is the first pair that locks
 * and the must-order do not rule out. 0, or -1 if there is no such pair. */
int smt_text_write(FILE *out, const struct rules *rules, const char *which, struct error *error);

#endif
