#include "search/smt_pairs.h"

struct smt_pairs {
    const struct history *history;
    struct lock_profiles *profiles;
    uint32_t *profile; /* by pos, of accesses */
    /* Accesses by variable, ascending: items from offset[v] to offset[v + 1]. */
    uint32_t *offset, *items;
};

static void group_accesses(struct smt_pairs *pairs)
{
    const struct history *history = pairs->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    pairs->offset = NEW_ARRAY(uint32_t, variables + 2);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACCESS))
            pairs->offset[history->events[pos].object + 2]++;
    for (uint32_t i = 2; i < variables + 2; i++)
        pairs->offset[i] += pairs->offset[i - 1];
    pairs->items = NEW_ARRAY(uint32_t, pairs->offset[variables + 1]);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACCESS))
            pairs->items[pairs->offset[history->events[pos].object + 1]++] = pos;
}

struct smt_pairs *smt_pairs_create(const struct history *history)
{
    struct smt_pairs *pairs = NEW(struct smt_pairs);
    pairs->history = history;
    pairs->profiles = lock_profiles_create();
    pairs->profile = NEW_ARRAY(uint32_t, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            pairs->profile[pos] = lock_profile_now(pairs->profiles, event->thread);
        lock_profiles_step(pairs->profiles, event);
    }
    group_accesses(pairs);
    return pairs;
}

void smt_pairs_destroy(struct smt_pairs *pairs)
{
    lock_profiles_destroy(pairs->profiles);
    free(pairs->profile);
    free(pairs->offset);
    free(pairs->items);
    free(pairs);
}

static bool survives(struct smt_pairs *pairs, const struct smt_window *window, uint32_t first,
                     uint32_t second, struct smt_counts *counts)
{
    counts->conflicts++;
    if (!lock_profiles_meet(pairs->profiles, pairs->profile[first], pairs->profile[second]))
        return false;
    counts->lock_pairs++;
    if (second >= window->end) {
        counts->too_far++;
        return false;
    }
    return !smt_must_precede(window, first, second) && !smt_must_precede(window, second, first);
}

static void find_partners(struct smt_pairs *pairs, const struct smt_window *window, uint32_t place,
                          uint32_t last, const struct smt_client *client, struct smt_counts *counts,
                          struct smt_pair_list *found)
{
    const struct event *events = pairs->history->events;
    uint32_t first = pairs->items[place];
    for (uint32_t i = place + 1; i < last; i++) {
        uint32_t second = pairs->items[i];
        if (!event_conflict(&events[first], &events[second]) ||
            !client->wanted(client->self, first, second) ||
            !survives(pairs, window, first, second, counts))
            continue;
        counts->must_pairs++;
        array_push(found, ((struct smt_pair){first, second, 0}));
    }
}

static int compare_pairs(const void *left, const void *right)
{
    const struct smt_pair *a = left, *b = right;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

void smt_pairs_find(struct smt_pairs *pairs, const struct smt_window *window, uint32_t until,
                    const struct smt_client *client, struct smt_counts *counts,
                    struct smt_pair_list *found)
{
    const struct history *history = pairs->history;
    found->count = 0;
    for (uint32_t pos = window->start; pos < until; pos++) {
        if (!op_in(history->events[pos].op, OPS_ACCESS))
            continue;
        uint32_t variable = history->events[pos].object;
        uint32_t low = pairs->offset[variable], last = pairs->offset[variable + 1], high = last;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (pairs->items[middle] < pos)
                low = middle + 1;
            else
                high = middle;
        }
        find_partners(pairs, window, low, last, client, counts, found);
    }
    qsort(found->items, found->count, sizeof *found->items, compare_pairs);
}
