/* SPDX-License-Identifier: MIT */
/* Prefixes that are closed under what must come before: for each thread a number
 * of events, such that the observed order, restricted to them, is a correct
 * reordering under `rf`. That is so if the prefix contains
 *
 *   - with an event its past in its thread, the thread's fork, what it meets
 *     (meetings.h), the write that it read, and the end of a thread it joined;
 *   - with an acquire, the releases of all sections of the prefix that it excludes
 *     and that came before;
 *   - with a try that failed, the acquire of a holder.
 *
 * Such prefixes are closed under union up to the second rule, which is restored by
 * prefix_close(). Only sections that a prefix leaves open can break it, and there
 * are at most a few: that is why nothing here walks over past sections.
 *
 * (Sync-preserving closures: Mathur, Pavlogiannis, Viswanathan, POPL 2021.) */
#ifndef PREPLAY_MODEL_PREFIX_H
#define PREPLAY_MODEL_PREFIX_H

#include "model/sections.h"

struct prefix {
    uint32_t *counts;            /* by thread */
    const struct holding **open; /* by thread: what it holds at the end of its part */
    uint32_t threads;
};

void prefix_init(struct prefix *prefix, uint32_t threads);
void prefix_free(struct prefix *prefix);
void prefix_copy(struct prefix *prefix, const struct prefix *from);

/* Each of these returns true if the prefix grew. */
bool prefix_raise(struct prefix *prefix, const struct sections *sections, uint32_t thread,
                  uint32_t count);
bool prefix_join(struct prefix *prefix, const struct sections *sections, const uint32_t *counts);
/* Adds the releases that the prefix must contain, and what they need, until it is
 * closed, or as soon as thread `stop` has more than `limit` events in it. */
bool prefix_close_until(struct prefix *prefix, const struct sections *sections, uint32_t stop,
                        uint32_t limit);

static inline bool prefix_close(struct prefix *prefix, const struct sections *sections)
{
    return prefix_close_until(prefix, sections, 0, UINT32_MAX);
}

#endif
