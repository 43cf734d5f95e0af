/* SPDX-License-Identifier: MIT */
/* Which misuse is true of a small trace under a model: by being in every state that a correct
 * reordering without misuse reaches, and asking of every next event whether it would be one
 * (model/misuse.h). It knows nothing of how the engine searches. */
#ifndef PREPLAY_ORACLE_MISUSE_TRUTH_H
#define PREPLAY_ORACLE_MISUSE_TRUTH_H

#include "base/array.h"
#include "model/misuse.h"

struct true_misuse {
    enum misuse rule;
    uint32_t events[2]; /* because of which, which */
};

struct misuse_truth {
    struct true_misuses ARRAY_OF(struct true_misuse) items;
    bool complete; /* false: the limit of states was reached, more may be true */
};

void misuse_truth_explore(struct misuse_truth *truth, const struct history *history,
                          enum model model, uint64_t state_limit);
void misuse_truth_free(struct misuse_truth *truth);
bool misuse_truth_has(const struct misuse_truth *truth, enum misuse rule, const uint32_t events[2]);

#endif
