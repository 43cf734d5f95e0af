/* SPDX-License-Identifier: MIT */
/* Which sets of source locations still need cycles: of a trace whose cycles go through few
 * locations, one cycle a set of them may be all that is wanted. Then a path need not go on
 * once every set that it could end in is settled, and of the lock graph only that part
 * matters which lies in a set that is not.
 *
 * Only for few locations (LOCATIONS_MAX): sets are bits of a word. */
#ifndef PREPLAY_DEADLOCK_LOCATION_SETS_H
#define PREPLAY_DEADLOCK_LOCATION_SETS_H

#include "deadlock/lock_order.h"

enum { LOCATIONS_MAX = 8 };

struct location_sets {
    struct map bit_of; /* location -> its number + 1 */
    uint32_t count;
    bool settled[1u << LOCATIONS_MAX]; /* by set */
    bool open[1u << LOCATIONS_MAX];    /* by set: it, or one that it is part of, is not */
    bool changed;                      /* since somebody set it to false */
};

/* The locations of the dependencies that `inside` names; NULL if they are too many. */
struct location_sets *location_sets_create(const struct lock_order *order, const bool *inside);
void location_sets_destroy(struct location_sets *sets);

/* The set of one location. */
uint32_t location_set_of(const struct location_sets *sets, uint32_t location);
void location_set_settle(struct location_sets *sets, uint32_t set);
/* Is it a largest one of those that are not settled? */
bool location_set_is_largest(const struct location_sets *sets, uint32_t set);

#endif
