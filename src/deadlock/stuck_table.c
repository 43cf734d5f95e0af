/* SPDX-License-Identifier: MIT */
#include "deadlock/stuck_table.h"

#include "base/array.h"

enum { WORDS_MAX = 1 << 24 }; /* of all sets and ways that are kept */

/* Where its events are kept, in ascending order, and the way to them, whose beginning is that of
 * the way to the set before: a walker that goes depth first comes from one to the other. */
struct known_set {
    uint32_t events, count;
    uint32_t way, shared, length;
};

struct stuck_table {
    struct map index; /* hash of the events -> number + 1 */
    struct known_sets ARRAY_OF(struct known_set) sets;
    struct kept_words ARRAY_OF(uint32_t) words;
    struct room_words ARRAY_OF(uint32_t) witness, sorted;
    struct last_words ARRAY_OF(uint32_t) last; /* the way to the last set */
    size_t room;                               /* for words */
    bool complete;
};

/* Sorts the events into table->sorted. */
static void sort(struct stuck_table *table, const uint32_t *events, uint32_t count)
{
    table->sorted.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        array_push(&table->sorted, events[i]);
        for (uint32_t at = i; at && table->sorted.items[at] < table->sorted.items[at - 1]; at--) {
            uint32_t swap = table->sorted.items[at];
            table->sorted.items[at] = table->sorted.items[at - 1];
            table->sorted.items[at - 1] = swap;
        }
    }
}

/* The place of the set in table->sorted: its number + 1, or 0 if it is new. */
static uint64_t *place_of(struct stuck_table *table)
{
    size_t size = table->sorted.count * sizeof *table->sorted.items;
    uint64_t hash = table->sorted.count;
    for (size_t i = 0; i < table->sorted.count; i++)
        hash = map_mix(hash * 31 + table->sorted.items[i] + 1);
    for (;; hash++) {
        uint64_t *place = map_at(&table->index, hash >> 1, NULL);
        const struct known_set *known = *place ? &table->sets.items[*place - 1] : NULL;
        if (!known || (known->count == table->sorted.count &&
                       !memcmp(&table->words.items[known->events], table->sorted.items, size)))
            return place;
    }
}

static uint32_t shared_with_last(const struct stuck_table *table, const uint32_t *way,
                                 uint32_t length)
{
    uint32_t shared = 0;
    while (shared < length && shared < table->last.count &&
           way[shared] == table->last.items[shared])
        shared++;
    return shared;
}

static void keep(void *context, const uint32_t *events, uint32_t count, const uint32_t *way,
                 uint32_t length)
{
    struct stuck_table *table = context;
    sort(table, events, count);
    uint64_t *place = place_of(table);
    if (*place)
        return;
    uint32_t shared = shared_with_last(table, way, length);
    if (table->words.count + count + (length - shared) > table->room) {
        table->complete = false;
        return;
    }
    struct known_set known = {(uint32_t)table->words.count, count,
                              (uint32_t)table->words.count + count, shared, length};
    for (uint32_t i = 0; i < count; i++)
        array_push(&table->words, table->sorted.items[i]);
    table->last.count = shared;
    for (uint32_t i = shared; i < length; i++) {
        array_push(&table->words, way[i]);
        array_push(&table->last, way[i]);
    }
    array_push(&table->sets, known);
    *place = table->sets.count;
}

void stuck_table_destroy(struct stuck_table *table)
{
    if (!table)
        return;
    map_free(&table->index);
    array_free(&table->sets);
    array_free(&table->words);
    array_free(&table->witness);
    array_free(&table->sorted);
    array_free(&table->last);
    free(table);
}

/* Adds what the other walker kept; of the same set, the way that is there stays. */
static void join(struct stuck_table *table, const struct stuck_table *other)
{
    struct way ARRAY_OF(uint32_t) way = {0};
    const uint32_t *words = other->words.items;
    for (size_t i = 0; i < other->sets.count; i++) {
        const struct known_set *known = &other->sets.items[i];
        way.count = known->shared;
        for (uint32_t k = 0; k < known->length - known->shared; k++)
            array_push(&way, words[known->way + k]);
        keep(table, words + known->events, known->count, way.items, known->length);
    }
    table->complete &= other->complete;
    array_free(&way);
}

struct stuck_table *stuck_table_create(struct state_visit *visit, uint64_t states)
{
    struct stuck_table *tables[WALKERS], *all = NEW(struct stuck_table);
    void *contexts[WALKERS];
    for (uint32_t i = 0; i < WALKERS; i++) {
        contexts[i] = tables[i] = NEW(struct stuck_table);
        tables[i]->complete = true;
        tables[i]->room = WORDS_MAX / WALKERS;
    }
    all->room = WORDS_MAX;
    all->complete = state_visit_each_deadlock(visit, states, keep, contexts);
    for (uint32_t i = 0; i < WALKERS; i++) {
        join(all, tables[i]);
        stuck_table_destroy(tables[i]);
    }
    return all;
}

enum search_answer stuck_table_find(struct stuck_table *table, const uint32_t *events,
                                    uint32_t count, struct search_witness *witness)
{
    sort(table, events, count);
    uint64_t number = *place_of(table);
    if (!number)
        return table->complete ? SEARCH_REFUTED : SEARCH_EXHAUSTED;
    uint32_t wanted = table->sets.items[number - 1].length;
    array_reserve(&table->witness, wanted + count);
    table->witness.count = wanted;
    for (; wanted; number--) { /* what is shared is told by the sets before */
        const struct known_set *known = &table->sets.items[number - 1];
        for (; wanted > known->shared; wanted--)
            table->witness.items[wanted - 1] =
                table->words.items[known->way + (wanted - 1 - known->shared)];
    }
    for (uint32_t i = 0; i < count; i++)
        array_push(&table->witness, events[i]);
    *witness = (struct search_witness){table->witness.items, (uint32_t)table->witness.count};
    return SEARCH_WITNESS;
}
