/* SPDX-License-Identifier: MIT */
#include "atomicity/sidetrack_holdings.h"

/* A transaction rarely acquires more locks than these: looking through them all beats
 * a map, which would be spread over memory. */
enum { FEW = 12 };

static struct holding *find(const struct holdings *self, uint64_t guard)
{
    size_t few = self->all.count < FEW ? self->all.count : FEW;
    for (size_t i = 0; i < few; i++)
        if (self->all.items[i].guard == guard)
            return &self->all.items[i];
    if (self->all.count <= FEW)
        return NULL;
    const uint64_t *place = map_find(&self->places, guard);
    return place && *place >> 32 == self->transaction ? &self->all.items[(uint32_t)*place] : NULL;
}

struct holding *holdings_at(struct holdings *self, uint64_t guard, uint32_t transaction,
                            bool *first)
{
    if (self->transaction != transaction) {
        self->transaction = transaction;
        self->all.count = 0;
    }
    struct holding *known = find(self, guard);
    *first = !known;
    if (known)
        return known;
    if (self->all.count >= FEW)
        *map_at(&self->places, guard, NULL) = map_pair(transaction, (uint32_t)self->all.count);
    array_reserve(&self->all, self->all.count + 1);
    self->all.count++;
    array_last(&self->all).guard = guard;
    return &array_last(&self->all);
}

void holdings_free(struct holdings *self)
{
    map_free(&self->places);
    array_free(&self->all);
}
