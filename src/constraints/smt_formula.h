/* SPDX-License-Identifier: MIT */
/* The constraints of the SMT engine as data, before any solver sees them.
 *
 * Atoms are of three kinds: an event comes before another one, an event is
 * executed, and free choices (which signal woke whom). Formulas are trees of
 * and, or, and negated atoms over them. Back ends walk the trees: one hands them
 * to Z3, one writes SMT-LIB text, so that both say the same.
 *
 * Order atoms only ever occur positively. A model's ties between events are
 * therefore harmless: any way to break them keeps true atoms true. */
#ifndef PREPLAY_CONSTRAINTS_SMT_FORMULA_H
#define PREPLAY_CONSTRAINTS_SMT_FORMULA_H

#include "base/array.h"
#include "base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum smt_kind {
    SMT_FALSE,
    SMT_TRUE,
    SMT_BEFORE,   /* event a comes before event b */
    SMT_EXECUTED, /* event a is executed */
    SMT_CHOICE,   /* free choice number a */
    SMT_NOT,      /* of node a, an atom */
    SMT_AND,      /* of the b nodes from children[a] */
    SMT_OR,
};

/* A formula, by its place in `nodes`. The first two are the constants. */
typedef uint32_t smt_ref;
#define SMT_REF_FALSE ((smt_ref)0)
#define SMT_REF_TRUE  ((smt_ref)1)

struct smt_node {
    enum smt_kind kind;
    uint32_t a, b;
};

struct smt_refs ARRAY_OF(smt_ref);

struct smt_formula {
    struct smt_nodes ARRAY_OF(struct smt_node) nodes;
    struct smt_refs children;
    struct map before, executed; /* atoms made so far */
    uint32_t choices;
};

void smt_formula_init(struct smt_formula *formula);
void smt_formula_free(struct smt_formula *formula);

smt_ref smt_before(struct smt_formula *formula, uint32_t a, uint32_t b);
smt_ref smt_executed(struct smt_formula *formula, uint32_t event);
smt_ref smt_choice(struct smt_formula *formula);
/* Of an atom, a negated atom or a constant. */
smt_ref smt_not(struct smt_formula *formula, smt_ref of);
/* Constants are folded and nested nodes of the same kind flattened away. */
smt_ref smt_and(struct smt_formula *formula, const smt_ref *refs, size_t count);
smt_ref smt_or(struct smt_formula *formula, const smt_ref *refs, size_t count);

#define SMT_OR_OF(formula, ...)                                                                    \
    smt_or((formula), (const smt_ref[]){__VA_ARGS__},                                              \
           sizeof((const smt_ref[]){__VA_ARGS__}) / sizeof(smt_ref))
#define SMT_AND_OF(formula, ...)                                                                   \
    smt_and((formula), (const smt_ref[]){__VA_ARGS__},                                             \
            sizeof((const smt_ref[]){__VA_ARGS__}) / sizeof(smt_ref))

#endif
