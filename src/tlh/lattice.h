/* SPDX-License-Identifier: MIT */
/* Pairwise reachability over time-stamped lock histories (Ganai).
 *
 * Two threads and their lock histories (TLH): the acquires and releases of each,
 * in order. A pair (i, j) says that the first thread has done i of its events and
 * the second j; from a pair that is known to be reachable, steps lead to others as
 * long as no lock is held twice and causal order is kept. Seventeen checks (the
 * paper's Table III) decide where to go from a pair, and all but the last go one
 * way only. What was visited is kept: a later question about the same two threads
 * starts from the pairs where the answer of a check may have changed.
 *
 * Beyond Ganai, questions may come in any order: the pairs on the border of
 * the asked-for target are looked at again, since earlier questions may have left
 * the target's box from them. */
#ifndef PREPLAY_TLH_LATTICE_H
#define PREPLAY_TLH_LATTICE_H

#include "tlh/lock_histories.h"
#include "search/search.h"

/* Table III, row by row. */
enum lattice_check {
    CHECK_VISITED,  /* 1  VC */
    CHECK_TERMINAL, /* 2  TC */
    CHECK_AFTER_A,  /* 3  HB: a before b */
    CHECK_AFTER_B,  /* 4  HB: b before a */
    CHECK_DEADLOCK, /* 5  LCC1 */
    CHECK_STALL,    /* 6  LCC2 */
    CHECK_OTHERS,   /* 7  strategy II */
    CHECK_A_WAITS,  /* 8  LCC3 */
    CHECK_B_WAITS,  /* 9  LCC4 */
    CHECK_RC1,
    CHECK_RC2,
    CHECK_RC3,
    CHECK_RC4,
    CHECK_RC5,
    CHECK_RC6,
    CHECK_RC7,
    CHECK_BOTH, /* 17 */
    CHECK_COUNT,
};

struct lattice;

/* From the reachable pair (start_a, start_b). `frozen` is the pos up to which the
 * other threads have run and where they stay (strategy II); POS_NONE leaves them
 * out of account (strategy I). */
struct lattice *lattice_create(const struct lock_histories *histories, const uint32_t threads[2],
                               const uint32_t start[2], uint32_t frozen);
void lattice_destroy(struct lattice *lattice);

/* Can the threads stand before these two events (of the two threads) at once? Gives
 * up after `limit` calls (0: never); the next question goes on from there. */
enum search_answer lattice_reach(struct lattice *lattice, const uint32_t targets[2],
                                 uint64_t limit);

/* Calls of Ganai's do_search so far, and how often each check decided. */
uint64_t lattice_calls(const struct lattice *lattice);
const uint64_t *lattice_checks(const struct lattice *lattice);

/* After a reach that succeeded: the TLH events, by pos, in the order in which the
 * two threads execute them from the start pair. The caller frees it. */
uint32_t *lattice_path(const struct lattice *lattice, const uint32_t targets[2], uint32_t *length);

#endif
