/* SPDX-License-Identifier: MIT */
/* The candidate pairs of one variable within a window, as csp asks for them: one at a
 * time, those first whose counterexamples can be shortest.
 *
 * Accesses of one thread that are alike (operation, locks held and taken) are a class. Two
 * classes have candidates if they conflict and their locks let them meet; of their pairs,
 * those that must-happen-before orders are passed over without being looked at. Both the
 * least length of a counterexample and that order only grow along a class, so a heap over
 * the rows of all pairs of classes gives pairs in order. */
#ifndef PREPLAY_CSP_CSP_PAIRS_H
#define PREPLAY_CSP_CSP_PAIRS_H

#include "base/array.h"
#include "relations/lock_profile.h"
#include "csp/must_clocks.h"

/* An access, or all accesses alike of one thread between two of its synchronisation
 * events. */
struct csp_access {
    uint32_t pos;
    uint32_t segment; /* of its thread */
    uint32_t profile; /* lock_profile.h */
};

struct csp_accesses ARRAY_OF(struct csp_access);

/* Two conflicting accesses that the cheap filters leave. */
struct csp_pair {
    uint32_t earlier, later;
    uint64_t bound; /* the least length of a counterexample */
};

struct csp_pairs;

struct csp_pairs *csp_pairs_create(const struct processes *processes,
                                   struct lock_profiles *profiles);
void csp_pairs_destroy(struct csp_pairs *pairs);

/* Looks at a variable. Its pairs make one group, or with `by_threads` one a pair of
 * threads; how many is returned. */
uint32_t csp_pairs_open(struct csp_pairs *pairs, const struct csp_accesses *accesses,
                        bool by_threads);
/* Some classes were left out: there are too many. */
bool csp_pairs_truncated(const struct csp_pairs *pairs);

/* Starts with a group's first pair. Without `by_bound`, pairs come in the order of the
 * later access, and their bounds are 0. */
void csp_pairs_begin(struct csp_pairs *pairs, uint32_t group, bool by_bound);
bool csp_pairs_next(struct csp_pairs *pairs, struct csp_pair *pair);

/* What all that has cost so far, in small steps. */
uint64_t csp_pairs_work(const struct csp_pairs *pairs);

#endif
