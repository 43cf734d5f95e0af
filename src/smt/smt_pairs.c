/* SPDX-License-Identifier: MIT */
#include "smt/smt_pairs.h"

#include "base/sorted.h"

/* Accesses that are alike: one variable, thread, operation and lock profile. What
 * locks say of one of them they say of all, and the must-order cuts each group
 * off from some event on, so an access is compared with groups, not accesses. */
struct group {
    uint32_t variable, thread, profile;
    uint8_t op;
    uint32_t first, end;           /* in `items` */
    uint32_t partner, partner_end; /* in `partners` */
    uint32_t next;                 /* the first item from the position on that is looked at */
};

struct smt_pairs {
    const struct history *history;
    struct lock_profiles *profiles;
    uint32_t *profile; /* by pos, of accesses */
    struct groups ARRAY_OF(struct group) groups;
    uint32_t *offset;                            /* by variable: its first group */
    uint32_t *items;                             /* positions, group by group, ascending */
    uint32_t *group;                             /* by pos, of accesses */
    struct partners ARRAY_OF(uint32_t) partners; /* groups that conflict and may meet */
};

#define RECENT 8

struct grouping {
    uint32_t *recent; /* by variable and RECENT kinds of access: the last one's group, plus one */
    struct map kinds; /* thread, operation and profile to a number */
    struct map numbers;
};

/* The access's group, by its number in the order in which groups are met. */
static uint32_t group_of(struct smt_pairs *pairs, struct grouping *grouping,
                         const struct event *event, uint32_t profile)
{
    size_t kind_of_access = (2 * event->thread + event_writes(event)) % RECENT;
    uint32_t *recent = &grouping->recent[RECENT * (size_t)event->object + kind_of_access];
    if (*recent) {
        const struct group *group = &pairs->groups.items[*recent - 1];
        if (group->thread == event->thread && group->op == event->op && group->profile == profile)
            return *recent - 1;
    }
    bool added;
    uint64_t doer = (uint64_t)event->thread << 6 | event->op; /* fewer than 2^26 threads */
    uint64_t *kind = map_at(&grouping->kinds, doer << 32 | profile, &added);
    if (added)
        *kind = grouping->kinds.count;
    uint64_t key = map_pair(event->object, (uint32_t)*kind);
    uint64_t *number = map_at(&grouping->numbers, key, &added);
    if (added) {
        *number = pairs->groups.count;
        struct group group = {event->object, event->thread, profile, event->op, 0, 0, 0, 0, 0};
        array_push(&pairs->groups, group);
    }
    *recent = (uint32_t)*number + 1;
    return (uint32_t)*number;
}

/* From the order in which they were met to the order of their variables; `number_of`
 * is by pos and follows. */
static void sort_groups(struct smt_pairs *pairs, uint32_t variables, uint32_t *number_of)
{
    size_t count = pairs->groups.count;
    struct group *sorted = memory_alloc(count, sizeof *sorted);
    uint32_t *place = memory_alloc(count, sizeof *place);
    for (size_t i = 0; i < count; i++)
        pairs->offset[pairs->groups.items[i].variable + 1]++;
    for (uint32_t i = 0; i < variables; i++)
        pairs->offset[i + 1] += pairs->offset[i];
    uint32_t *next = memory_copy(pairs->offset, (variables + 1) * sizeof *next);
    for (size_t i = 0; i < count; i++) {
        place[i] = next[pairs->groups.items[i].variable]++;
        sorted[place[i]] = pairs->groups.items[i];
    }
    free(pairs->groups.items);
    pairs->groups.items = sorted;
    pairs->groups.capacity = count;
    for (uint32_t pos = 0; pos < pairs->history->count; pos++)
        if (op_in(pairs->history->events[pos].op, OPS_ACCESS))
            number_of[pos] = place[number_of[pos]];
    free(next);
    free(place);
}

static void fill_groups(struct smt_pairs *pairs, const uint32_t *number_of)
{
    const struct history *history = pairs->history;
    uint32_t first = 0;
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACCESS))
            pairs->groups.items[number_of[pos]].end++;
    for (size_t i = 0; i < pairs->groups.count; i++) {
        struct group *group = &pairs->groups.items[i];
        uint32_t count = group->end;
        group->first = group->end = first;
        first += count;
    }
    pairs->items = memory_alloc(first, sizeof *pairs->items);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACCESS))
            pairs->items[pairs->groups.items[number_of[pos]].end++] = pos;
}

static void find_partners(struct smt_pairs *pairs, struct group *group)
{
    const struct event *event = &pairs->history->events[pairs->items[group->first]];
    group->partner = (uint32_t)pairs->partners.count;
    for (uint32_t i = pairs->offset[group->variable]; i < pairs->offset[group->variable + 1]; i++) {
        const struct group *other = &pairs->groups.items[i];
        if (other->thread != group->thread &&
            event_conflict(event, &pairs->history->events[pairs->items[other->first]]) &&
            lock_profiles_meet(pairs->profiles, group->profile, other->profile))
            array_push(&pairs->partners, i);
    }
    group->partner_end = (uint32_t)pairs->partners.count;
}

struct smt_pairs *smt_pairs_create(const struct history *history)
{
    struct smt_pairs *pairs = NEW(struct smt_pairs);
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    struct grouping grouping = {.recent = NEW_ARRAY(uint32_t, RECENT * (size_t)variables)};
    uint32_t *number_of = memory_alloc(history->count, sizeof *number_of);
    pairs->group = number_of;
    pairs->history = history;
    pairs->profiles = lock_profiles_create();
    pairs->profile = memory_alloc(history->count, sizeof *pairs->profile);
    pairs->offset = NEW_ARRAY(uint32_t, variables + 1);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            pairs->profile[pos] = lock_profile_now(pairs->profiles, event->thread);
            number_of[pos] = group_of(pairs, &grouping, event, pairs->profile[pos]);
        } else {
            lock_profiles_step(pairs->profiles, event);
        }
    }
    sort_groups(pairs, variables, number_of);
    fill_groups(pairs, number_of);
    free(grouping.recent);
    map_free(&grouping.kinds);
    map_free(&grouping.numbers);
    for (size_t i = 0; i < pairs->groups.count; i++)
        find_partners(pairs, &pairs->groups.items[i]);
    return pairs;
}

void smt_pairs_destroy(struct smt_pairs *pairs)
{
    lock_profiles_destroy(pairs->profiles);
    array_free(&pairs->groups);
    free(pairs->profile);
    free(pairs->offset);
    free(pairs->items);
    free(pairs->group);
    array_free(&pairs->partners);
    free(pairs);
}

/* The first item from `low` on whose position is at least `pos`. */
static uint32_t item_from(const struct smt_pairs *pairs, uint32_t low, uint32_t high, uint32_t pos)
{
    return SORTED_POINT(middle, low, high, pairs->items[middle] < pos);
}

/* The first item from `low` on that comes after `first` in any case; so do all that
 * follow it. (What comes later in the observed order never must come earlier.) */
static uint32_t item_forced(const struct smt_pairs *pairs, const struct smt_window *window,
                            uint32_t low, uint32_t high, uint32_t first)
{
    if (low < high && smt_must_precede(window, first, pairs->items[low]))
        return low; /* most of them */
    return SORTED_POINT(middle, low, high, !smt_must_precede(window, first, pairs->items[middle]));
}

static void find_in_group(struct smt_pairs *pairs, const struct smt_window *window, uint32_t first,
                          struct group *group, const struct smt_client *client,
                          struct smt_counts *counts, struct smt_pair_list *found)
{
    while (group->next < group->end && pairs->items[group->next] < first)
        group->next++;
    uint32_t from = group->next;
    if (from == group->end)
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
    for (size_t i = 0; i < pairs->groups.count; i++) {
        struct group *group = &pairs->groups.items[i];
        group->next = item_from(pairs, group->first, group->end, window->start);
    }
    for (uint32_t pos = window->start; pos < until; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        const struct group *own = &pairs->groups.items[pairs->group[pos]];
        for (uint32_t i = own->partner; i < own->partner_end; i++)
            find_in_group(pairs, window, pos, &pairs->groups.items[pairs->partners.items[i]],
                          client, counts, found);
    }
    if (found->count)
        qsort(found->items, found->count, sizeof *found->items, compare_pairs);
}
