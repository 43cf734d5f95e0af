/* SPDX-License-Identifier: MIT */
/* The variables that may race at all: two threads access them, somebody writes, somebody not
 * atomically, and no lock is held exclusively at every access. Few are, and only their accesses
 * are grouped by variable. */
#ifndef PREPLAY_SEARCH_EXPOSED_H
#define PREPLAY_SEARCH_EXPOSED_H

#include "search/index.h"

struct exposed {
    uint32_t *start;    /* by variable, in accesses; one more than there are */
    uint32_t *accesses; /* pos, ascending for each variable */
};

void exposed_find(struct exposed *exposed, const struct search_index *index);
void exposed_free(struct exposed *exposed);

/* None of a variable that cannot race. */
static inline const uint32_t *exposed_accesses(const struct exposed *exposed, uint32_t variable,
                                               uint32_t *count)
{
    *count = exposed->start[variable + 1] - exposed->start[variable];
    return exposed->accesses + exposed->start[variable];
}

#endif
