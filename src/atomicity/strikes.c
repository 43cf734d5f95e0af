/* SPDX-License-Identifier: MIT */
#include "atomicity/strikes.h"

#include "base/sorted.h"
#include "base/array.h"
#include "base/map.h"
#include "atomicity/carried.h"
#include "atomicity/windows.h"
#include "search/index.h"

#include <stdlib.h>

enum {
    WINDOW_PICKS = 6,     /* windows tried of those that are alike */
    CULPRIT_PICKS = 3,    /* strikes kept of one window's and one culprit's locations */
    STRIKES_MAX = 1 << 18 /* with every pair wanted */
};

/* Strikes that are alike, the earliest. */
struct alike {
    uint32_t label, count;
    enum window_kind kind;
    struct strike strikes[STRIKE_INSTANCES];
};

/* Operations on one object that are alike, `count` from `start` on in `culprits`. */
struct class
{
    uint32_t start, count;
};

struct finder {
    const struct history *history;
    const struct search_index *index;
    bool every_pair;
    uint32_t distance;
    uint32_t objects;
    struct windows windows;
    uint32_t *start, *culprits; /* by object: operations on it */
    struct classes ARRAY_OF(struct class) classes;
    struct map groups; /* hash of label and locations of the window -> group */
    struct finder_groups ARRAY_OF(struct alike) found;
};

bool strike_breaks(const struct event *begin, const struct event *end, const struct event *culprit)
{
    if (!op_in(begin->op, OPS_ACCESS))
        return culprit->op != EVENT_ACQUIRE_READ ||
               (begin->op != EVENT_ACQUIRE_READ && end->op != EVENT_ACQUIRE_READ);
    if (event_writes(culprit) && (event_reads(end) || (event_reads(begin) && event_writes(end))))
        return true;
    return event_reads(culprit) && event_writes(begin) && event_writes(end);
}

static void group_culprits(struct finder *finder)
{
    const struct history *history = finder->history;
    finder->start = NEW_ARRAY(uint32_t, (size_t)finder->objects + 2);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t object = windows_object(history, &history->events[pos]);
        if (object != UINT32_MAX)
            finder->start[object + 2]++;
    }
    for (uint32_t i = 0; i < finder->objects; i++)
        finder->start[i + 2] += finder->start[i + 1];
    finder->culprits = memory_alloc(finder->start[finder->objects + 1], sizeof *finder->culprits);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t object = windows_object(history, &history->events[pos]);
        if (object != UINT32_MAX)
            finder->culprits[finder->start[object + 1]++] = pos;
    }
}

/* --- what is alike --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_events(const struct event *a, const struct event *b)
{
    int by_thread = compare_numbers(a->thread, b->thread);
    int by_location = compare_numbers(a->location, b->location);
    return by_thread ? by_thread : by_location ? by_location : compare_numbers(a->op, b->op);
}

static int compare_culprits(const void *a, const void *b, void *context)
{
    const struct event *events = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int by_kind = compare_events(&events[x], &events[y]);
    return by_kind ? by_kind : compare_numbers(x, y);
}

/* Zero if two windows are alike. */
static int compare_kinds(const struct window *x, const struct window *y, const struct event *events)
{
    int order = compare_numbers(x->object, y->object);
    if (!order)
        order = compare_numbers(x->label, y->label);
    if (!order)
        order = compare_events(&events[x->begin], &events[y->begin]);
    return order ? order : compare_events(&events[x->end], &events[y->end]);
}

static int compare_windows(const void *a, const void *b, void *context)
{
    const struct window *x = a, *y = b;
    int by_kind = compare_kinds(x, y, context);
    return by_kind ? by_kind : compare_numbers(x->end, y->end);
}

/* Sorts the operations on an object into classes. */
static void classify(struct finder *finder, uint32_t object)
{
    struct event *events = finder->history->events;
    uint32_t from = finder->start[object], to = finder->start[object + 1];
    qsort_r(finder->culprits + from, to - from, sizeof *finder->culprits, compare_culprits, events);
    finder->classes.count = 0;
    for (uint32_t i = from; i < to; i++) {
        if (i == from ||
            compare_events(&events[finder->culprits[i - 1]], &events[finder->culprits[i]])) {
            struct class class = {i, 0};
            array_push(&finder->classes, class);
        }
        array_last(&finder->classes).count++;
    }
}

/* --- strikes --- */

/* A lock held from before the window to after it, that the culprit needs as well. */
static bool is_guarded(const struct search_index *index, const struct strike *strike)
{
    for (uint32_t a = index_held(index, strike->end); a != HELD_NONE; a = index->nodes[a].next) {
        const struct event *outer = event_at(index, index->nodes[a].acquire);
        if (index->nodes[a].acquire > strike->begin)
            continue;
        for (uint32_t b = index_held(index, strike->culprit); b != HELD_NONE;
             b = index->nodes[b].next) {
            const struct event *inner = event_at(index, index->nodes[b].acquire);
            if (event_lock(outer) == event_lock(inner) && sections_exclude(outer, inner))
                return true;
        }
    }
    return false;
}

/* Events between culprit and window. */
static uint32_t distance_of(const struct strike *strike)
{
    return strike->culprit > strike->end     ? strike->culprit - strike->end
           : strike->culprit < strike->begin ? strike->begin - strike->culprit
                                             : 0;
}

static bool is_near(const struct finder *finder, const struct strike *strike)
{
    return !finder->distance || distance_of(strike) <= finder->distance;
}

/* A check is only known to be outdated by who acts on the same check: somebody else may change the
 * variable in a way that the check allows for. */
static bool is_same_act(const struct finder *finder, const struct strike *strike)
{
    const struct trace *trace = finder->history->trace;
    const struct event *events = finder->history->events;
    uint32_t mine = events[strike->end].location, other = events[strike->culprit].location;
    return mine == other || strcmp(trace_location(trace, mine), trace_location(trace, other)) == 0;
}

static struct alike *group_at(struct finder *finder, const struct window *window,
                              const struct strike *strike)
{
    const struct event *events = finder->history->events;
    bool added = true;
    uint64_t *group = NULL;
    if (!finder->every_pair) {
        uint64_t ends = map_pair(events[strike->begin].location, events[strike->end].location);
        uint64_t key = map_mix(ends) * UINT64_C(0x9e3779b97f4a7c15) ^ map_mix(window->label);
        group = map_at(&finder->groups, key >> 1, &added);
    }
    if (added) {
        array_grow(&finder->found, finder->found.count + 1);
        array_last(&finder->found).label = window->label;
        array_last(&finder->found).kind = window->kind;
        if (group)
            *group = finder->found.count - 1;
    }
    return group ? &finder->found.items[*group] : &array_last(&finder->found);
}

/* How much of the run a witness has to contain. */
static uint32_t reach(const struct strike *strike)
{
    return strike->culprit > strike->end ? strike->culprit : strike->end;
}

/* How far away, by and large: 0 up to 255 events, then one more each time they double. */
static uint32_t remoteness(const struct strike *strike)
{
    uint32_t remoteness = 0;
    for (uint32_t distance = distance_of(strike) >> 8; distance; distance >>= 1)
        remoteness++;
    return remoteness;
}

/* What was observed comes first, then what needs little disorder, then what comes
 * early: it has the short witness. */
static bool is_better(const struct strike *a, const struct strike *b)
{
    bool observed = strike_was_observed(a);
    if (observed != strike_was_observed(b))
        return observed;
    uint32_t remote = remoteness(a), than = remoteness(b);
    return remote != than ? remote < than : reach(a) < reach(b);
}

/* The place for one more strike: a free one, or that of the worst of all or, if there
 * are enough with a culprit from the same place, of the worst of them. */
static struct strike *place_for(const struct finder *finder, struct alike *group,
                                const struct strike *strike)
{
    const struct event *events = finder->history->events;
    struct strike *worst = NULL, *worst_alike = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        struct strike *other = &group->strikes[i];
        if (!worst || is_better(worst, other))
            worst = other;
        if (events[other->culprit].location != events[strike->culprit].location)
            continue;
        count++;
        if (!worst_alike || is_better(worst_alike, other))
            worst_alike = other;
    }
    if (count == CULPRIT_PICKS)
        return is_better(strike, worst_alike) ? worst_alike : NULL;
    if (group->count < STRIKE_INSTANCES)
        return &group->strikes[group->count++];
    return is_better(strike, worst) ? worst : NULL;
}

static void add_strike(struct finder *finder, const struct window *window, uint32_t culprit)
{
    struct strike strike = {window->begin, window->end, culprit};
    if (!is_near(finder, &strike) || is_guarded(finder->index, &strike) ||
        (window->kind == WINDOW_CHECKED && !is_same_act(finder, &strike)))
        return;
    struct strike *place = place_for(finder, group_at(finder, window, &strike), &strike);
    if (place)
        *place = strike;
}

/* How many of the class's operations lie before `pos`. */
static uint32_t count_before(const struct finder *finder, const struct class *class, uint32_t pos)
{
    return SORTED_POINT(middle, 0, class->count, finder->culprits[class->start + middle] < pos);
}

/* The next culprits inside, after and before the window. */
static void add_nearest(struct finder *finder, const struct window *window,
                        const struct class *class)
{
    const uint32_t *culprits = finder->culprits + class->start;
    uint32_t before = count_before(finder, class, window->begin);
    uint32_t up_to = count_before(finder, class, window->end);
    if (before < up_to)
        add_strike(finder, window, culprits[before]);
    if (up_to < class->count)
        add_strike(finder, window, culprits[up_to]);
    if (before)
        add_strike(finder, window, culprits[before - 1]);
}

/* `windows` are alike. */
static void strike(struct finder *finder, const struct window *windows, size_t count)
{
    const struct event *events = finder->history->events;
    const struct event *begin = &events[windows->begin], *end = &events[windows->end];
    for (size_t i = 0; i < finder->classes.count; i++) {
        const struct class *class = &finder->classes.items[i];
        const struct event *culprit = &events[finder->culprits[class->start]];
        if (culprit->thread == end->thread || !strike_breaks(begin, end, culprit))
            continue;
        size_t picks = finder->every_pair || count < WINDOW_PICKS ? count : WINDOW_PICKS;
        for (size_t k = 0; k < picks; k++) {
            const struct window *window =
                &windows[picks == count ? k : k * (count - 1) / (picks - 1)];
            if (!finder->every_pair)
                add_nearest(finder, window, class);
            for (uint32_t c = 0; finder->every_pair && c < class->count; c++)
                if (finder->found.count < STRIKES_MAX)
                    add_strike(finder, window, finder->culprits[class->start + c]);
        }
    }
}

static void find_strikes(struct finder *finder)
{
    struct event *events = finder->history->events;
    struct window *windows = finder->windows.items;
    size_t count = finder->windows.count;
    if (count)
        qsort_r(windows, count, sizeof *windows, compare_windows, events);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && !compare_kinds(&windows[from], &windows[to], events);)
            to++;
        if (!from || windows[from - 1].object != windows[from].object)
            classify(finder, windows[from].object);
        strike(finder, windows + from, to - from);
    }
}

static int compare_strikes(const void *a, const void *b)
{
    const struct strike *x = a, *y = b;
    if (is_better(x, y) || is_better(y, x))
        return is_better(x, y) ? -1 : 1;
    return memcmp(x, y, sizeof *x);
}

/* Short witnesses first: there is room for many of them. */
static int compare_groups(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;
    int by_reach = compare_numbers(reach(&x->strikes[0]), reach(&y->strikes[0]));
    int by_strike = memcmp(&x->strikes[0], &y->strikes[0], sizeof x->strikes[0]);
    return by_reach ? by_reach : by_strike ? by_strike : compare_numbers(x->label, y->label);
}

static void gather(struct finder *finder, struct strikes *strikes)
{
    size_t count = finder->found.count, total = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        struct alike *alike = &finder->found.items[i];
        qsort(alike->strikes, alike->count, sizeof *alike->strikes, compare_strikes);
        total += alike->count;
    }
    if (count)
        qsort(finder->found.items, count, sizeof *finder->found.items, compare_groups);
    *strikes = (struct strikes){
        .groups = NEW_ARRAY(struct strike_group, count),
        .count = count,
        .all = NEW_ARRAY(struct strike, total),
        .left_out = finder->every_pair && count >= STRIKES_MAX,
    };
    for (size_t i = 0; i < count; i++) {
        const struct alike *alike = &finder->found.items[i];
        strikes->groups[i] =
            (struct strike_group){alike->label, (uint32_t)at, alike->count, alike->kind};
        memcpy(&strikes->all[at], alike->strikes, alike->count * sizeof *alike->strikes);
        at += alike->count;
    }
}

void strikes_find(struct strikes *strikes, const struct search_index *index, struct blocks *blocks,
                  bool every_pair, uint32_t window)
{
    const struct history *history = index->history;
    struct finder finder = {.history = history, .index = index};
    finder.every_pair = every_pair;
    finder.distance = window;
    finder.objects = windows_objects(history);
    windows_find(&finder.windows, history, blocks);
    if (!blocks_are_named(blocks))
        carried_find(&finder.windows, history);
    if (finder.windows.count) {
        group_culprits(&finder);
        find_strikes(&finder);
    }
    gather(&finder, strikes);
    array_free(&finder.windows);
    array_free(&finder.classes);
    array_free(&finder.found);
    map_free(&finder.groups);
    free(finder.start);
    free(finder.culprits);
}

void strikes_free(struct strikes *strikes)
{
    free(strikes->groups);
    free(strikes->all);
    *strikes = (struct strikes){0};
}
