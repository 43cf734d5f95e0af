/* SPDX-License-Identifier: MIT */
/* What a thread's transaction (its outermost atomic block) knows of the guards it acquired. */
#ifndef PREPLAY_ATOMICITY_SIDETRACK_HOLDINGS_H
#define PREPLAY_ATOMICITY_SIDETRACK_HOLDINGS_H

#include "base/map.h"
#include "atomicity/sidetrack_guards.h"

struct holding {
    uint64_t guard;
    struct access first, latest;
    struct access interfering[MODES]; /* acquires ahead that might come later; tick 0: none */
};

/* Of one thread. */
struct holdings {
    uint32_t transaction;
    struct all_holdings ARRAY_OF(struct holding) all; /* of that transaction */
    struct map places; /* guard -> (transaction, place in `all`), beyond the first few */
};

/* The holding of the guard; *first if it is new to the transaction. */
struct holding *holdings_at(struct holdings *self, uint64_t guard, uint32_t transaction,
                            bool *first);
void holdings_free(struct holdings *self);

#endif
