/* SPDX-License-Identifier: MIT */
/* Cycles of locks (cycle_search.h) decided under one model: by a little disorder
 * (search/nearby.h) and by the witness search (search/search.h), each with a budget for the
 * whole run. What `deadlock` reports, and what `auto` has to find at least. */
#ifndef PREPLAY_DEADLOCK_CYCLE_PROOFS_H
#define PREPLAY_DEADLOCK_CYCLE_PROOFS_H

#include "engine/engine.h"
#include "deadlock/lock_order.h"
#include "search/search.h"

struct cycle_proofs {
    struct engine_run *run;
    enum model model;
    /* Made when a cycle first needs them, unless they are there. */
    struct search_index *index;
    struct search *search;
    struct nearby *nearby;
};

void cycle_proofs_prepare(struct cycle_proofs *proofs);

/* Adds findings, and counts candidates, refuted and undecided ones in the run; or, with
 * `only_found`, counts what it finds and leaves the others to somebody else. */
void cycle_proofs_run(struct cycle_proofs *proofs, const struct lock_order *order, bool only_found);

/* All but the index. */
void cycle_proofs_free(struct cycle_proofs *proofs);

#endif
