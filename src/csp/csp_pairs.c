/* SPDX-License-Identifier: MIT */
#include "csp/csp_pairs.h"

#include "base/sorted.h"

#include <stdlib.h>

enum {
    CLASS_PAIRS_MAX = 1 << 20, /* of a variable, looked at */
    PAIR_COST = 16,            /* of a pair that passes through the heap, in small steps */
};

/* An access, and where its thread stands before it. */
struct spot {
    uint32_t thread, profile, pos;
    uint8_t op;
    struct step_place place;
};

struct class
{
    uint32_t first, count; /* in spots */
};

struct class_pair {
    uint32_t first, second; /* classes; the thread of the first is the lower one */
    uint64_t threads;       /* what makes the group */
};

/* A pair of a row: the row is a spot of the first class with those of the second that it
 * may meet. */
struct entry {
    uint64_t bound;
    uint32_t later, earlier;
    uint32_t classes; /* in class_pairs */
    uint32_t row, column;
    bool first; /* of its row */
};

struct csp_pairs {
    const struct processes *processes;
    struct must_clocks *clocks;
    struct lock_profiles *profiles;
    struct spot_list ARRAY_OF(struct spot) spots;
    struct class_list ARRAY_OF(struct class) classes;
    struct class_pair_list ARRAY_OF(struct class_pair) class_pairs;
    struct group_list ARRAY_OF(uint32_t) groups; /* first class pair; and the end */
    struct heap ARRAY_OF(struct entry) heap;
    bool by_bound, truncated;
    uint64_t work;
};

struct csp_pairs *csp_pairs_create(const struct processes *processes,
                                   struct lock_profiles *profiles)
{
    struct csp_pairs *pairs = NEW(struct csp_pairs);
    pairs->processes = processes;
    pairs->clocks = must_clocks_create(processes);
    pairs->profiles = profiles;
    return pairs;
}

void csp_pairs_destroy(struct csp_pairs *pairs)
{
    if (!pairs)
        return;
    must_clocks_destroy(pairs->clocks);
    array_free(&pairs->spots);
    array_free(&pairs->classes);
    array_free(&pairs->class_pairs);
    array_free(&pairs->groups);
    array_free(&pairs->heap);
    free(pairs);
}

static int compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->profile != y->profile)
        return x->profile < y->profile ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

static void sort_into_classes(struct csp_pairs *pairs, const struct csp_accesses *accesses)
{
    const struct event *events = pairs->processes->rules->history->events;
    pairs->spots.count = pairs->classes.count = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct csp_access *access = &accesses->items[i];
        const struct event *event = &events[access->pos];
        struct spot spot = {
            .thread = event->thread,
            .profile = access->profile,
            .pos = access->pos,
            .op = event->op,
            .place = {processes_of_thread(pairs->processes, event->thread),
                      processes_step_of(pairs->processes, access->pos)},
        };
        array_push(&pairs->spots, spot);
    }
    qsort(pairs->spots.items, pairs->spots.count, sizeof *pairs->spots.items, compare_spots);
    for (uint32_t i = 0; i < pairs->spots.count; i++) {
        const struct spot *spot = &pairs->spots.items[i];
        if (!i || spot->thread != spot[-1].thread || spot->profile != spot[-1].profile ||
            spot->op != spot[-1].op) {
            struct class fresh = {i, 0};
            array_push(&pairs->classes, fresh);
        }
        array_last(&pairs->classes).count++;
    }
}

static const struct spot *spot_of(const struct csp_pairs *pairs, uint32_t class, uint32_t at)
{
    return &pairs->spots.items[pairs->classes.items[class].first + at];
}

static int compare_class_pairs(const void *a, const void *b)
{
    const struct class_pair *x = a, *y = b;
    if (x->threads != y->threads)
        return x->threads < y->threads ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

static void pair_classes(struct csp_pairs *pairs, bool by_threads)
{
    const struct event *events = pairs->processes->rules->history->events;
    uint32_t count = (uint32_t)pairs->classes.count, looks = 0;
    pairs->class_pairs.count = 0;
    for (uint32_t a = 0; a < count && !pairs->truncated; a++)
        for (uint32_t b = a + 1; b < count; b++) {
            const struct spot *first = spot_of(pairs, a, 0), *second = spot_of(pairs, b, 0);
            if (looks++ == CLASS_PAIRS_MAX) {
                pairs->truncated = true;
                break;
            }
            if (!event_conflict(&events[first->pos], &events[second->pos]) ||
                !lock_profiles_meet(pairs->profiles, first->profile, second->profile))
                continue;
            struct class_pair pair = {a, b,
                                      by_threads ? map_pair(first->thread, second->thread) : 0};
            array_push(&pairs->class_pairs, pair);
        }
    pairs->work += looks;
    if (pairs->class_pairs.count)
        qsort(pairs->class_pairs.items, pairs->class_pairs.count, sizeof *pairs->class_pairs.items,
              compare_class_pairs);
}

uint32_t csp_pairs_open(struct csp_pairs *pairs, const struct csp_accesses *accesses,
                        bool by_threads)
{
    pairs->truncated = false;
    pairs->groups.count = 0;
    pairs->work += PAIR_COST * accesses->count;
    sort_into_classes(pairs, accesses);
    pair_classes(pairs, by_threads);
    for (uint32_t i = 0; i < pairs->class_pairs.count; i++)
        if (!i || pairs->class_pairs.items[i].threads != pairs->class_pairs.items[i - 1].threads)
            array_push(&pairs->groups, i);
    uint32_t groups = (uint32_t)pairs->groups.count;
    array_push(&pairs->groups, (uint32_t)pairs->class_pairs.count);
    return groups;
}

bool csp_pairs_truncated(const struct csp_pairs *pairs)
{
    return pairs->truncated;
}

static bool is_less(const struct entry *a, const struct entry *b)
{
    if (a->bound != b->bound)
        return a->bound < b->bound;
    if (a->later != b->later)
        return a->later < b->later;
    return a->earlier < b->earlier;
}

static void push(struct csp_pairs *pairs, struct entry entry)
{
    struct heap *heap = &pairs->heap;
    array_push(heap, entry);
    size_t at = heap->count - 1;
    for (; at && is_less(&entry, &heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = entry;
}

static struct entry pop(struct csp_pairs *pairs)
{
    struct heap *heap = &pairs->heap;
    struct entry least = heap->items[0], last = array_pop(heap);
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < heap->count; at = below) {
        if (below + 1 < heap->count && is_less(&heap->items[below + 1], &heap->items[below]))
            below++;
        if (!is_less(&heap->items[below], &last))
            break;
        heap->items[at] = heap->items[below];
    }
    if (heap->count)
        heap->items[at] = last;
    return least;
}

/* The first spot of the second class that is not over before the row's begins. */
static uint32_t row_begin(const struct csp_pairs *pairs, const struct spot *spot, uint32_t class)
{
    uint32_t must =
        must_clocks_of(pairs->clocks, spot->place, spot_of(pairs, class, 0)->place.process);
    return SORTED_POINT(middle, 0, pairs->classes.items[class].count,
                        spot_of(pairs, class, middle)->place.at < must);
}

/* Adds a pair of a row; false if the row's spot is over before the column's, as it then is
 * before all that follow. */
static bool add(struct csp_pairs *pairs, uint32_t classes, uint32_t row, uint32_t column,
                bool first)
{
    const struct class_pair *pair = &pairs->class_pairs.items[classes];
    const struct spot *a = spot_of(pairs, pair->first, row);
    const struct spot *b = spot_of(pairs, pair->second, column);
    if (must_clocks_of(pairs->clocks, b->place, a->place.process) > a->place.at)
        return false;
    pairs->work += PAIR_COST + pairs->processes->count;
    struct entry entry = {
        .bound = pairs->by_bound ? must_clocks_total(pairs->clocks, a->place, b->place) : 0,
        .earlier = a->pos < b->pos ? a->pos : b->pos,
        .later = a->pos < b->pos ? b->pos : a->pos,
        .classes = classes,
        .row = row,
        .column = column,
        .first = first,
    };
    push(pairs, entry);
    return true;
}

/* Adds the first pair of the next row that has one. */
static void add_row(struct csp_pairs *pairs, uint32_t classes, uint32_t row)
{
    const struct class_pair *pair = &pairs->class_pairs.items[classes];
    for (; row < pairs->classes.items[pair->first].count; row++) {
        uint32_t column = row_begin(pairs, spot_of(pairs, pair->first, row), pair->second);
        pairs->work += PAIR_COST;
        if (column == pairs->classes.items[pair->second].count ||
            add(pairs, classes, row, column, true))
            return;
    }
}

void csp_pairs_begin(struct csp_pairs *pairs, uint32_t group, bool by_bound)
{
    pairs->heap.count = 0;
    pairs->by_bound = by_bound;
    for (uint32_t i = pairs->groups.items[group]; i < pairs->groups.items[group + 1]; i++)
        add_row(pairs, i, 0);
}

bool csp_pairs_next(struct csp_pairs *pairs, struct csp_pair *pair)
{
    if (!pairs->heap.count)
        return false;
    struct entry entry = pop(pairs);
    *pair = (struct csp_pair){entry.earlier, entry.later, entry.bound};
    if (entry.first)
        add_row(pairs, entry.classes, entry.row + 1);
    if (entry.column + 1 <
        pairs->classes.items[pairs->class_pairs.items[entry.classes].second].count)
        add(pairs, entry.classes, entry.row, entry.column + 1, false);
    return true;
}

uint64_t csp_pairs_work(const struct csp_pairs *pairs)
{
    return pairs->work;
}
