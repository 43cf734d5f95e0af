/* SPDX-License-Identifier: MIT */
/* What a lattice consists of, for its own sources: lattice.c visits pairs and keeps them,
 * lattice_checks.c says where to go from one. */
#ifndef PREPLAY_TLH_LATTICE_STATE_H
#define PREPLAY_TLH_LATTICE_STATE_H

#include "base/array.h"
#include "base/map.h"
#include "search/index.h"
#include "tlh/lattice.h"

enum step { STEP_START, STEP_A, STEP_B, STEP_BOTH };

struct cell {
    uint32_t at[2];     /* events done by each thread */
    uint8_t step;       /* how it was reached */
    bool again;         /* a check that depends on the target decided here */
    bool known[2];      /* the pair after a step of this thread was visited */
    uint32_t in_row;    /* the next cell with the same at[0], + 1 */
    uint32_t in_column; /* the next cell with the same at[1], + 1 */
};

/* A cell to look at for another target; most are outside its box and stay so untouched. */
struct again {
    uint32_t at[2], cell;
};

struct lattice {
    const struct lock_histories *histories;
    const struct search_index *index;
    uint32_t threads[2], start[2], frozen;
    uint32_t ends[2];   /* the target, as numbers of events done */
    uint32_t limits[2]; /* the target's indices in its threads */
    struct cells ARRAY_OF(struct cell) cells;
    struct map known;                               /* pair -> cell + 1 */
    struct first_cells ARRAY_OF(uint32_t) lines[2]; /* by events done: first cell + 1 */
    uint32_t *frozen_held; /* by thread: locks held where it is kept; NULL under strategy I */
    struct stack ARRAY_OF(uint32_t) stack;
    struct agains ARRAY_OF(struct again) again;
    uint64_t calls, checks[CHECK_COUNT];
};

/* What a check says: where to go, and whether a later target may change it. */
struct verdict_of_check {
    enum lattice_check check;
    bool success, step_a, step_b, both; /* both: one step of each at once */
    bool depends;
};

/* The TLH event that the thread does next at this pair; POS_NONE at the target. */
uint32_t lattice_next(const struct lattice *lattice, const uint32_t at[2], int side);
/* The checks of Table III, but for the first. */
struct verdict_of_check lattice_check(const struct lattice *lattice, const uint32_t at[2]);

#endif
