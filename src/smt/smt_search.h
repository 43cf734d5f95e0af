/* SPDX-License-Identifier: MIT */
/* Races of a trace by constraint solving, with witnesses (Said et al.).
 *
 * Conflicting pairs are filtered by locks held and lock acquisition histories,
 * then by the must-order; what remains goes to the solver, pair by pair, window by
 * window. A witness that auto's closures (search.h) or our own solver (smt_own.h) find spares
 * Z3; that there is none, only propagation or Z3 says. Every answer "yes" becomes a witness
 * that the checker has accepted. */
#ifndef PREPLAY_SMT_SMT_SEARCH_H
#define PREPLAY_SMT_SMT_SEARCH_H

#include "constraints/smt_encode.h"

struct smt_options {
    uint32_t window; /* events; 0: as many as the solver affords */
    uint32_t budget; /* Z3's resource units a pair; 0: the standard */
    double seconds;  /* a pair; 0: no limit but the budget, whatever the machine's speed */
    enum smt_style style;
    /* For comparison and for tests: */
    bool fresh;    /* a new encoding and a new solver for every pair */
    bool eager;    /* all constraints of a window at once, not those that plans break */
    bool z3_alone; /* neither propagation nor guesses before Z3 is asked */
};

struct smt_counts {
    uint64_t lock_pairs; /* left by locks and lock histories (Said et al.'s lsa) */
    uint64_t must_pairs; /* left by the must-order too (mhb): asked of the solver */
    uint64_t witnesses, refuted, unknown;
    uint64_t followed; /* pairs that propagation decided */
    uint64_t guessed;  /* witnesses that closures or our own solver found */
    uint64_t rounds;   /* plans of Z3 that were tried */
    uint64_t too_far;  /* not asked: no window holds both */
};

/* What to do about pairs: `wanted` may drop one before it is solved (it is not
 * counted then); `found` gets each witness, whose last two events are the pair. */
struct smt_client {
    void *self;
    bool (*wanted)(void *self, uint32_t first, uint32_t second);
    void (*found)(void *self, const uint32_t *witness, uint32_t length);
};

/* 0, or -1 if a witness is wrong: an error of ours. */
int smt_search(const struct rules *rules, const struct smt_options *options,
               const struct smt_client *client, struct smt_counts *counts, struct error *error);

#endif
