/* SPDX-License-Identifier: MIT */
/* Which pairs of conflicting accesses are worth a solver's time. */
#ifndef PREPLAY_SMT_SMT_PAIRS_H
#define PREPLAY_SMT_SMT_PAIRS_H

#include "relations/lock_profile.h"
#include "smt/smt_search.h"
#include "constraints/smt_window.h"

struct smt_pair {
    uint32_t first, second; /* in observed order */
    uint32_t cone_size;     /* for whoever finds cones */
};
struct smt_pair_list ARRAY_OF(struct smt_pair);

struct smt_pairs;

struct smt_pairs *smt_pairs_create(const struct history *history);
void smt_pairs_destroy(struct smt_pairs *pairs);

/* The pairs of the window whose first event lies before `until`, unless locks, lock
 * histories or the must-order keep them apart, or the client does not want them. */
void smt_pairs_find(struct smt_pairs *pairs, const struct smt_window *window, uint32_t until,
                    const struct smt_client *client, struct smt_counts *counts,
                    struct smt_pair_list *found);

#endif
