/* SPDX-License-Identifier: MIT */
/* Suspicious pairs: conflicting accesses that hold no common lock. One suspect
 * is one pair of source locations with a few of its dynamic instances, spread
 * over the run and the closest first; with every pair wanted, one pair of events.
 *
 * Work and memory follow the number of accesses and of location pairs, never the
 * number of pairs of accesses (unless every pair is wanted). */
#ifndef PREPLAY_SEARCH_SUSPECTS_H
#define PREPLAY_SEARCH_SUSPECTS_H

#include "base/map.h"
#include "search/search.h"

struct suspect_pair {
    uint32_t first, second; /* pos, ascending */
};

struct suspect {
    uint64_t places;       /* the two locations */
    uint32_t start, count; /* in pairs */
    bool partial;          /* there are more instances than these */
};

struct suspects {
    struct finder *finder; /* its own */
    struct suspect *items;
    size_t count;
    struct suspect_pair *pairs;
    size_t pair_count;
};

/* How many instances of a pair of locations there are at first. */
#define SUSPECT_INSTANCES 64

/* `also`: of another model, or NULL; a pair is left out only if both order it. `window`: only
 * pairs at most that many events apart; 0 for no limit. */
void suspects_find(struct suspects *suspects, const struct search_index *index,
                   const struct search_index *also, bool every_pair, uint32_t window);
/* The second round: more instances of the pairs of locations that have more, but for those
 * in `closed` (keys: places). All of them together are in proportion to the trace. A pair of
 * locations may be among them of which the first round had no instance. */
void suspects_more(struct suspects *suspects, const struct map *closed, struct suspects *more);
void suspects_free(struct suspects *suspects);

/* Must one of the two accesses come before the other? */
bool suspects_ordered(const struct search_index *index, uint32_t first, uint32_t second);

#endif
