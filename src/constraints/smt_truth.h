/* SPDX-License-Identifier: MIT */
/* What propagation knows of a pair so far, and what that makes true or false. */
#ifndef PREPLAY_CONSTRAINTS_SMT_TRUTH_H
#define PREPLAY_CONSTRAINTS_SMT_TRUTH_H

#include "constraints/smt_propagate.h"

/* Orders that were found, beside the must-order. More of them go unnoticed, which
 * loses conclusions and nothing else. */
#define ORDERS_MAX 64

enum truth { OPEN, TRUE, FALSE };

struct truths ARRAY_OF(uint8_t);

/* What a choice may change. */
struct state {
    uint32_t *prefix, *limit;
    uint64_t after[ORDERS_MAX];
    size_t orders;
    struct truths choices;
};

struct smt_propagation {
    const struct smt_window *window;
    const struct smt_encoding *encoding;
    struct smt_encoding *writable; /* the same, for trials */
    uint32_t *limit;               /* by thread: index of the first event that cannot be executed */
    uint64_t after[ORDERS_MAX];    /* orders that each one leads to, itself included */
    struct truths choices;
    struct smt_plan plan; /* prefixes are closed under the must-order */
    bool changed;
    bool holds;                   /* what make_true() was last asked for is true now */
    struct smt_positions settled; /* by constraint: depth at which it held, plus one; 0: not yet */
    struct smt_trial *trial;
    uint32_t pair[2];
    uint32_t choices_left;
    struct saved ARRAY_OF(struct state) saved; /* by depth */
    size_t depth;
};

enum truth smt_truth_of(const struct smt_propagation *self, smt_ref ref);
/* Makes it so, with what follows at once; false if it cannot be. Where it is not decided
 * yet which way it becomes true, `holds` turns false. */
bool smt_make_true(struct smt_propagation *self, smt_ref ref);
bool smt_make_executed(struct smt_propagation *self, uint32_t pos);

#endif
