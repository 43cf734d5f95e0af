/* SPDX-License-Identifier: MIT */
/* Time-stamped lock histories (TLH, Ganai): the acquires and releases of each thread,
 * in order. */
#ifndef PREPLAY_TLH_LOCK_HISTORIES_H
#define PREPLAY_TLH_LOCK_HISTORIES_H

#include "search/search.h"

/* The lock histories of all threads; locks that one thread alone uses are left
 * out, since nobody waits for them. */
struct lock_histories {
    const struct search_index *index;
    uint32_t *start;  /* by thread, threads + 1 entries */
    uint32_t *events; /* pos values */
};

struct lock_histories *lock_histories_create(const struct search_index *index);
void lock_histories_destroy(struct lock_histories *histories);
/* How many TLH events of the thread come before `pos`. */
uint32_t lock_histories_before(const struct lock_histories *histories, uint32_t thread,
                               uint32_t pos);

#endif
