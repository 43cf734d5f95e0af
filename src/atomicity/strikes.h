/* SPDX-License-Identifier: MIT */
/* Where a culprit might strike: all vulnerable windows of atomic blocks, each with
 * the operations of other threads that would break it.
 *
 *   two acquires of a lock in one block     an acquire of it (readers disturb only
 *                                           a window between two writers); the
 *                                           same for a semaphore used as a lock
 *   two accesses of a variable in a block   an access that makes the three
 *                                           unserialisable: a write before a
 *                                           read of the block, or between its
 *                                           read and its write; a read between
 *                                           two of its writes
 *
 * A window reaches back from its end to the latest read and to the latest write of
 * the object in the block: what strikes a wider one only is covered up by the block
 * itself. A write between two writes is left out as well: done before the block it
 * leaves the same behind.
 *
 * Alike are strikes on one block with the same two source locations of the window; a few
 * instances of them are kept, with culprits of as many locations as there are: those
 * observed inside their window first, then those close to it, then the earliest. */
#ifndef PREPLAY_ATOMICITY_STRIKES_H
#define PREPLAY_ATOMICITY_STRIKES_H

#include "atomicity/windows.h"
#include "search/search.h"

/* pos values, in the order in which search and findings want them. */
struct strike {
    uint32_t begin, end, culprit;
};

static inline bool strike_was_observed(const struct strike *strike)
{
    return strike->begin < strike->culprit && strike->culprit < strike->end;
}

struct strike_group {
    uint32_t label;        /* the innermost block that contains the window */
    uint32_t start, count; /* in `all` */
    enum window_kind kind;
};

struct strikes {
    struct strike_group *groups;
    size_t count;
    struct strike *all;
    bool left_out; /* with every pair wanted there were too many */
};

#define STRIKE_INSTANCES 16

/* `every_pair`: each strike is a group of its own. `window`: only culprits that many
 * events away at most; 0 for no limit. */
void strikes_find(struct strikes *strikes, const struct search_index *index, struct blocks *blocks,
                  bool every_pair, uint32_t window);
void strikes_free(struct strikes *strikes);

/* Does the culprit break a window with these ends? All three work on one object. */
bool strike_breaks(const struct event *begin, const struct event *end, const struct event *culprit);

#endif
