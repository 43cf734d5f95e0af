/* SPDX-License-Identifier: MIT */
/* What sift.h remembers of each variable: its last accesses, by segment and place of code. Many
 * variables were accessed alike (the elements of an array, the bytes of a buffer) and share one
 * state, so that a variable costs the number of its state and little more. */
#ifndef PREPLAY_MODEL_SIFT_STATES_H
#define PREPLAY_MODEL_SIFT_STATES_H

#include "base/array.h"
#include "base/map.h"

enum { SIFT_RECENT = 14 }; /* accesses that are remembered of a variable, at most */

enum sift_role {
    SIFT_OLD,        /* something else was written since */
    SIFT_LAST_WRITE, /* of the variable */
    SIFT_SINCE,      /* a read since then */
};

struct sift_access {
    uint32_t segment, location;
    uint32_t lane, locks; /* of the segment; locks as a hash */
    bool write;
    uint8_t role;
};

struct sift_state {
    uint32_t references; /* variables in this state */
    uint32_t next;       /* with the same hash; 0: none */
    uint64_t hash;
    bool open;     /* its accesses can come in another order: only the last write is listed */
    uint8_t count; /* of `recent`, by segment and location: their order within a segment would
                    * make many states of one */
    struct sift_access recent[SIFT_RECENT];
};

/* Number 0 is the state of a variable that nobody has accessed. */
struct sift_states {
    struct sift_state_list ARRAY_OF(struct sift_state *) list;
    struct sift_serials ARRAY_OF(uint32_t) serials; /* of what has this number now */
    struct sift_unused ARRAY_OF(uint32_t) unused;
    struct map by_hash;
    uint32_t serial;
};

void sift_states_create(struct sift_states *states);
void sift_states_free(struct sift_states *states);

/* The number of the state that looks like this one, for one more variable. */
uint32_t sift_states_use(struct sift_states *states, const struct sift_state *like);
void sift_states_leave(struct sift_states *states, uint32_t state);

static inline const struct sift_state *sift_state(const struct sift_states *states, uint32_t number)
{
    return states->list.items[number];
}

/* The last write, or NULL. */
const struct sift_access *sift_state_written(const struct sift_state *state);

/* Adds an access as the latest. An earlier one like it is forgotten for it; false if there is no
 * room for what must not be forgotten: the last write, and since then the last read of each
 * lane. */
bool sift_state_add(struct sift_state *state, struct sift_access access);

#endif
