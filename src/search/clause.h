/* SPDX-License-Identifier: MIT */
/* The two halves of an explanation: threads that wait for each other's events and locks
 * (clause_waits.c), and objects that have no single event to wait for (clause.c). */
#ifndef PREPLAY_SEARCH_CLAUSE_H
#define PREPLAY_SEARCH_CLAUSE_H

#include "search/state.h"

static inline uint32_t next_event(const struct search *search, uint32_t thread)
{
    return history_pos(search->index->history, thread, search->done[thread]);
}

/* An order of two events; none if it contradicts program order or the ceiling. */
struct option clause_order(const struct search *search, uint32_t before, uint32_t after);
/* Unless it is none. */
void clause_add(struct clause *clause, struct option option);

/* Follows the waiting from `thread` to a cycle, or to a lock that stays; false if it leads to a
 * thread that waits for no single event. `path` has room for all threads. */
bool clause_follow(const struct search *search, uint32_t thread, uint32_t *path,
                   struct clause *clause);

#endif
