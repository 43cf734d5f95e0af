/* SPDX-License-Identifier: MIT */
/* Which reads are untimely (model/untimely.h) in some correct reordering of a small trace: by
 * being in every state that one reaches, and asking of every next event. */
#ifndef PREPLAY_ORACLE_UNTIMELY_TRUTH_H
#define PREPLAY_ORACLE_UNTIMELY_TRUTH_H

#include "model/untimely.h"
#include "trace/finding.h"

struct untimely_truth {
    struct untimely_reads items; /* in the order in which they were met */
    bool complete;               /* false: the limit of states was reached, more may be true */
};

void untimely_truth_explore(struct untimely_truth *truth, const struct history *history,
                            enum model model, uint64_t state_limit);
void untimely_truth_free(struct untimely_truth *truth);
bool untimely_truth_has(const struct untimely_truth *truth, struct untimely read);

#endif
