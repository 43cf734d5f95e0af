/* SPDX-License-Identifier: MIT */
/* The relevant variables: those that a correct reordering has to mind.
 *
 * Not those of which no read is kept. And not the settled ones, whose accesses every correct
 * reordering has in the observed order, whatever it does elsewhere: each comes after all earlier
 * ones that conflict with it, by program order, fork, join, barriers, once-blocks and the kept
 * reads of relevant variables. Private ones are settled, and what is handed over with a
 * pointer that somebody reads. They cannot race. Without both, a history has the same
 * reorderings of the rest. */
#ifndef PREPLAY_SEARCH_RELEVANT_VARIABLES_H
#define PREPLAY_SEARCH_RELEVANT_VARIABLES_H

#include "search/index.h"

enum relevance {
    RELEVANCE_NONE, /* anything may become of it */
    RELEVANCE_SETTLED,
    RELEVANCE_KEPT,
};

/* By variable, as enum relevance, malloc-ed; NULL where there are no clocks to tell by, and under
 * `branch`, where a kept read makes others kept. */
uint8_t *relevant_variables_find(const struct search_index *index);

#endif
