/* SPDX-License-Identifier: MIT */
/* The past of every event, as far as every correct reordering must have it: how
 * many events of each thread come before it, by program order, fork, join,
 * barriers, once-blocks and the writes of kept reads. With these clocks the set
 * that a question needs is found without looking at its events one by one.
 *
 * A thread's clock changes only where another thread's event comes in; a row is
 * kept for each change, and each event knows its row. */
#ifndef PREPLAY_SEARCH_CLOCKS_H
#define PREPLAY_SEARCH_CLOCKS_H

#include "search/index.h"

struct clocks {
    uint32_t threads;
    uint32_t *row;   /* by pos */
    uint32_t *ticks; /* row by row: a count of events for each thread */
};

/* NULL if the rows would take more than CLOCKS_LIMIT bytes; with very many threads, where a row is
 * long and there are few of each, not even that is worth it. `with_partners`: with what the
 * observed run had, though it need not be so (observed_partners.c). */
#define CLOCKS_LIMIT        (UINT64_C(1) << 30)
#define CLOCKS_MANY_THREADS 4096
#define CLOCKS_MANY_LIMIT   (UINT64_C(1) << 27)
struct clocks *clocks_create(const struct search_index *index, bool with_partners);
void clocks_destroy(struct clocks *clocks);

/* What must be executed once `pos` is: counts by thread. The entry of its own
 * thread is not meant; it is the event's index + 1. */
static inline const uint32_t *clocks_past(const struct clocks *clocks, uint32_t pos)
{
    return clocks->ticks + (size_t)clocks->row[pos] * clocks->threads;
}

/* Must `before` be executed before, or be, `after`? */
static inline bool clocks_ordered(const struct search_index *index, uint32_t before, uint32_t after)
{
    uint32_t thread = thread_at(index, before), count = index->history->index[before];
    if (thread == thread_at(index, after))
        return count <= index->history->index[after];
    return count < clocks_past(index_clocks(index), after)[thread];
}

#endif
