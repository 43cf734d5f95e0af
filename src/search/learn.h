/* SPDX-License-Identifier: MIT */
/* What refutations teach (walls.h). */
#ifndef PREPLAY_SEARCH_LEARN_H
#define PREPLAY_SEARCH_LEARN_H

#include "search/visit.h"

/* Forgets what earlier questions taught, but for the walls that are given (NULL: none),
 * which the search uses from now on; and what it has learned since, the caller's. */
void learn_begin(struct search *search, const struct walls *walls);
void learn_end(struct search *search, struct walls *learned);

/* Do known walls refute the question, whose closure is complete? */
bool learn_refutes(const struct search *search);
/* The question was refuted with `steps`: looks for the walls that did it. */
void learn_from(struct search *search, uint64_t steps);

#endif
