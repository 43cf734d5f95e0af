#include "engine/stuck_table.h"

#include "base/array.h"

enum { WORDS_MAX = 1 << 24 }; /* of all sets and ways that are kept */

/* Where its events are kept, in ascending order, and the way to them. */
struct known_set {
    uint32_t events, count;
    uint32_t way, length;
};

struct stuck_table {
    struct map index; /* hash of the events -> number + 1 */
    struct known_sets ARRAY_OF(struct known_set) sets;
    struct kept_words ARRAY_OF(uint32_t) words;
    struct witness_words ARRAY_OF(uint32_t) witness, sorted;
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

static void keep(void *context, const uint32_t *events, uint32_t count, const uint32_t *way,
                 uint32_t length)
{
    struct stuck_table *table = context;
    sort(table, events, count);
    uint64_t *place = place_of(table);
    if (*place)
        return;
    if (table->words.count + count + length > WORDS_MAX) {
        table->complete = false;
        return;
    }
    struct known_set known = {(uint32_t)table->words.count, count,
                              (uint32_t)table->words.count + count, length};
    for (uint32_t i = 0; i < count; i++)
        array_push(&table->words, table->sorted.items[i]);
    for (uint32_t i = 0; i < length; i++)
        array_push(&table->words, way[i]);
    array_push(&table->sets, known);
    *place = table->sets.count;
}

struct stuck_table *stuck_table_create(struct explorer *explorer, uint64_t states)
{
    struct stuck_table *table = NEW(struct stuck_table);
    table->complete = true;
    bool all = explorer_each_deadlock(explorer, states, keep, table);
    table->complete &= all;
    return table;
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
    free(table);
}

enum search_answer stuck_table_find(struct stuck_table *table, const uint32_t *events,
                                    uint32_t count, struct search_witness *witness)
{
    sort(table, events, count);
    uint64_t number = *place_of(table);
    if (!number)
        return table->complete ? SEARCH_REFUTED : SEARCH_EXHAUSTED;
    const struct known_set *known = &table->sets.items[number - 1];
    table->witness.count = 0;
    for (uint32_t i = 0; i < known->length; i++)
        array_push(&table->witness, table->words.items[known->way + i]);
    for (uint32_t i = 0; i < count; i++)
        array_push(&table->witness, events[i]);
    *witness = (struct search_witness){table->witness.items, (uint32_t)table->witness.count};
    return SEARCH_WITNESS;
}
