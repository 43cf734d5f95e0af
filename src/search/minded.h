/* SPDX-License-Identifier: MIT */
/* Which variables a correct reordering has to mind.
 *
 * Not those of which no read is kept. And not the settled ones, whose accesses every correct
 * reordering has in the observed order, whatever it does elsewhere: each comes after all earlier
 * ones that conflict with it, by program order, fork, join, barriers, once-blocks and the kept
 * reads of variables that are minded. Private ones are settled, and what is handed over with a
 * pointer that somebody reads. They cannot race. Without both, a history has the same
 * reorderings of the rest. */
#ifndef PREPLAY_SEARCH_MINDED_H
#define PREPLAY_SEARCH_MINDED_H

#include "search/index.h"

enum minding {
    MIND_NOT, /* anything may become of it */
    MIND_SETTLED,
    MIND,
};

/* By variable, as enum minding, malloc-ed; NULL where there are no clocks to tell by, and under
 * `branch`, where a kept read makes others kept. */
uint8_t *minded_find(const struct search_index *index);

#endif
