/* SPDX-License-Identifier: MIT */
/* All deadlocks of a trace, or of a window, that is small enough to visit every state of it once:
 * then each set of waits is looked up instead of searched for. What a set needs, and what rules
 * it out, is the same for thousands of them; the states say it of all at once. */
#ifndef PREPLAY_DEADLOCK_STUCK_TABLE_H
#define PREPLAY_DEADLOCK_STUCK_TABLE_H

#include "deadlock/state_visit.h"

struct stuck_table;

/* Visits so many states at most. */
struct stuck_table *stuck_table_create(struct state_visit *visit, uint64_t states);
void stuck_table_destroy(struct stuck_table *table);

/* The events in any order; the witness ends in them, and is valid until the next question.
 * SEARCH_EXHAUSTED if they were not found, and not all states were visited. */
enum search_answer stuck_table_find(struct stuck_table *table, const uint32_t *events,
                                    uint32_t count, struct search_witness *witness);

#endif
