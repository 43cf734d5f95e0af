/* SPDX-License-Identifier: MIT */
#include "search/essence.h"

#include "base/sorted.h"
#include "search/relevant_variables.h"
#include "trace/turns.h"

struct sieve {
    const struct search_index *whole;
    const bool *asked;
    const uint8_t *relevance;
};

static bool passes(const struct sieve *sieve, uint32_t pos)
{
    const struct history *history = sieve->whole->history;
    const struct event *event = &history->events[pos];
    if (op_in(event->op, OPS_ACCESS))
        return sieve->relevance[event->object] == RELEVANCE_KEPT ||
               (sieve->relevance[event->object] == RELEVANCE_NONE && sieve->asked[pos]);
    return op_in(event->op, OPS_SYNC) || sieve->asked[pos];
}

/* Who joins a thread waits for its last event. */
static bool is_last(const struct history *history, uint32_t pos)
{
    uint32_t thread = history->events[pos].thread;
    return history->index[pos] + 1 == history_thread_length(history, thread);
}

struct sifted {
    struct essence_events ARRAY_OF(struct event) events;
    struct essence_origin ARRAY_OF(uint32_t) origin;
    struct map variables; /* number in the whole history -> number */
};

/* Variables get numbers of their own, so that tables of them are short. */
static void renumber(struct map *variables, struct event *event)
{
    bool first;
    uint64_t *number = map_at(variables, event->object, &first);
    if (first)
        *number = variables->count - 1;
    event->object = (uint32_t)*number;
}

/* False if there are more than `most`. */
static bool sift(const struct sieve *sieve, uint32_t most, struct sifted *sifted)
{
    const struct history *history = sieve->whole->history;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        if (!passes(sieve, pos) && !is_last(history, pos))
            continue;
        if (sifted->events.count == most)
            return false;
        array_push(&sifted->events, history->events[pos]);
        array_push(&sifted->origin, pos);
        if (op_in(history->events[pos].op, OPS_ACCESS))
            renumber(&sifted->variables, &array_last(&sifted->events));
    }
    return true;
}

/* What the trace said of the whole, it cannot say of variables with other numbers. */
static void keep_initial_values(const struct history *whole, const struct map *variables,
                                struct history *history)
{
    for (size_t i = map_first(variables); history->has_values && i < variables->capacity;
         i = map_following(variables, i)) {
        uint64_t from = variables->entries[i].key, to = variables->entries[i].value;
        history->initial_known[to] = whole->initial_known[from];
        history->initial_value[to] = whole->initial_value[from];
    }
}

struct essence *essence_create(const struct search_index *whole, const bool *asked, uint32_t most)
{
    struct sieve sieve = {whole, asked, index_with(whole, INDEX_RELEVANT)->relevance};
    struct sifted sifted = {0};
    struct essence *essence = NULL;
    if (sieve.relevance && sift(&sieve, most, &sifted)) {
        essence = NEW(struct essence);
        essence->whole = whole->history;
        essence->origin = sifted.origin.items;
        essence->history =
            history_create_with(whole->history->trace, sifted.events.items,
                                (uint32_t)sifted.events.count, (uint32_t)sifted.variables.count);
        keep_initial_values(whole->history, &sifted.variables, essence->history);
        essence->index = search_index_create(essence->history, whole->model);
    } else {
        array_free(&sifted.events);
        array_free(&sifted.origin);
    }
    map_free(&sifted.variables);
    return essence;
}

void essence_destroy(struct essence *essence)
{
    if (!essence)
        return;
    search_index_destroy(essence->index);
    history_destroy(essence->history);
    free(essence->origin);
    free(essence);
}

uint32_t essence_pos(const struct essence *essence, uint32_t pos)
{
    uint32_t count = essence->history->count;
    if (pos >= essence->whole->count) /* a wish */
        return pos - essence->whole->count + count;
    uint32_t at = SORTED_POINT(middle, 0, count, essence->origin[middle] < pos);
    return at < count && essence->origin[at] == pos ? at : POS_NONE;
}

uint32_t *essence_turns(const struct essence *essence, const struct search_witness *witness,
                        uint32_t ends, uint32_t *length)
{
    uint32_t *turns = memory_alloc(witness->length, sizeof *turns);
    uint32_t count = essence->history->count;
    for (uint32_t i = 0; i < witness->length; i++) {
        uint32_t pos = witness->events[i];
        turns[i] = pos < count ? essence->origin[pos] : pos - count + essence->whole->count;
    }
    *length = turns_fold(essence->whole, turns, witness->length, ends > 2 ? ends : 2);
    return memory_resize(turns, *length, sizeof *turns);
}
