/* SPDX-License-Identifier: MIT */
/* What of a history matters for some questions: its synchronisation, the accesses that are asked
 * for, and those that a correct reordering has to mind (relevant_variables.h). It has the same
 * answers, and a schedule of it, read as turns (trace/turns.h), is one of the whole history: what
 * was left out comes along with the next event of its thread.
 *
 * For races and deadlocks; not for atomic blocks, whose questions excuse reads. */
#ifndef PREPLAY_SEARCH_ESSENCE_H
#define PREPLAY_SEARCH_ESSENCE_H

#include "search/index.h"

struct essence {
    const struct history *whole;
    struct history *history;
    struct search_index *index; /* of that */
    uint32_t *origin;           /* by pos: the pos in the whole history */
};

/* `asked`, by pos: an event that will be asked for. NULL if the model has no essence but the
 * whole, or if it would have more than `most` events. */
struct essence *essence_create(const struct search_index *whole, const bool *asked, uint32_t most);
void essence_destroy(struct essence *essence);

/* The pos in the essence of an event asked for; POS_NONE if that is an access of a settled
 * variable, which races with nothing. */
uint32_t essence_pos(const struct essence *essence, uint32_t pos);

/* The witness as turns of the whole history, malloc-ed; the last `ends` events are not
 * performed. */
uint32_t *essence_turns(const struct essence *essence, const struct search_witness *witness,
                        uint32_t ends, uint32_t *length);

#endif
