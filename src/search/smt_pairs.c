#include "search/smt_pairs.h"

/* Accesses that are alike: one variable, thread, operation and lock profile. What
 * locks say of one of them they say of all, and the must-order cuts each group
 * off from some event on, so an access is compared with groups, not accesses. */
struct group {
    uint32_t variable, thread, profile;
    uint8_t op;
    uint32_t first, end; /* in `items` */
};

struct smt_pairs {
    const struct history *history;
    struct lock_profiles *profiles;
    uint32_t *profile; /* by pos, of accesses */
    struct groups ARRAY_OF(struct group) groups;
    uint32_t *offset; /* by variable: its first group */
    uint32_t *items;  /* positions, group by group, ascending */
};

static int compare_accesses(const void *left, const void *right, void *context)
{
    const struct smt_pairs *pairs = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct event *x = &pairs->history->events[a], *y = &pairs->history->events[b];
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    if (pairs->profile[a] != pairs->profile[b])
        return pairs->profile[a] < pairs->profile[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool in_group(const struct smt_pairs *pairs, const struct group *group, uint32_t pos)
{
    const struct event *event = &pairs->history->events[pos];
    return group->variable == event->object && group->thread == event->thread &&
           group->op == event->op && group->profile == pairs->profile[pos];
}

static void make_groups(struct smt_pairs *pairs, uint32_t count)
{
    const struct history *history = pairs->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    qsort_r(pairs->items, count, sizeof *pairs->items, compare_accesses, pairs);
    pairs->offset = NEW_ARRAY(uint32_t, variables + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pos = pairs->items[i];
        const struct event *event = &history->events[pos];
        if (!pairs->groups.count || !in_group(pairs, &array_last(&pairs->groups), pos)) {
            struct group group = {
                event->object, event->thread, pairs->profile[pos], event->op, i, i};
            array_push(&pairs->groups, group);
            pairs->offset[event->object + 1]++;
        }
        array_last(&pairs->groups).end = i + 1;
    }
    for (uint32_t i = 0; i < variables; i++)
        pairs->offset[i + 1] += pairs->offset[i];
}

struct smt_pairs *smt_pairs_create(const struct history *history)
{
    struct smt_pairs *pairs = NEW(struct smt_pairs);
    uint32_t count = 0;
    pairs->history = history;
    pairs->profiles = lock_profiles_create();
    pairs->profile = NEW_ARRAY(uint32_t, history->count);
    pairs->items = NEW_ARRAY(uint32_t, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            pairs->profile[pos] = lock_profile_now(pairs->profiles, event->thread);
            pairs->items[count++] = pos;
        }
        lock_profiles_step(pairs->profiles, event);
    }
    make_groups(pairs, count);
    return pairs;
}

void smt_pairs_destroy(struct smt_pairs *pairs)
{
    lock_profiles_destroy(pairs->profiles);
    array_free(&pairs->groups);
    free(pairs->profile);
    free(pairs->offset);
    free(pairs->items);
    free(pairs);
}

/* The first item from `low` on whose position is at least `pos`. */
static uint32_t item_from(const struct smt_pairs *pairs, uint32_t low, uint32_t high, uint32_t pos)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pairs->items[middle] < pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first item from `low` on that comes after `first` in any case; so do all that
 * follow it. (What comes later in the observed order never must come earlier.) */
static uint32_t item_forced(const struct smt_pairs *pairs, const struct smt_window *window,
                            uint32_t low, uint32_t high, uint32_t first)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (!smt_must_precede(window, first, pairs->items[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_in_group(struct smt_pairs *pairs, const struct smt_window *window, uint32_t first,
                          const struct group *group, const struct smt_client *client,
                          struct smt_counts *counts, struct smt_pair_list *found)
{
    uint32_t from = item_from(pairs, group->first, group->end, first);
    counts->conflicts += group->end - from;
    if (from == group->end ||
        !lock_profiles_meet(pairs->profiles, pairs->profile[first], group->profile))
        return;
    uint32_t far = item_from(pairs, from, group->end, window->end);
    counts->lock_pairs += group->end - from;
    counts->too_far += group->end - far;
    uint32_t forced = item_forced(pairs, window, from, far, first);
    for (uint32_t i = from; i < forced; i++) {
        if (!client->wanted(client->self, first, pairs->items[i]))
            continue;
        counts->must_pairs++;
        array_push(found, ((struct smt_pair){first, pairs->items[i], 0}));
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
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        for (uint32_t i = pairs->offset[event->object]; i < pairs->offset[event->object + 1]; i++) {
            const struct group *group = &pairs->groups.items[i];
            if (group->thread != event->thread &&
                event_conflict(event, &history->events[pairs->items[group->first]]))
                find_in_group(pairs, window, pos, group, client, counts, found);
        }
    }
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, compare_pairs);
}
