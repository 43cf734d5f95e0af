/* SPDX-License-Identifier: MIT */
#include "atomicity/shortest_cycle.h"

#include "base/sorted.h"
#include "base/array.h"

/* A touch in its places: among those of its object, and of its thread. */
struct spot {
    const struct touch *touch;
    uint32_t component, lane;
    uint32_t run_end; /* where the spots of its object end */
};

/* The touches of one thread in one component, by their last events. */
struct lane {
    uint32_t start, end; /* in `exits` */
    uint32_t newest;     /* visit, plus one */
};

/* A way to some thread: all of its events from `start` on can follow. */
struct visit {
    uint32_t lane, start;
    uint32_t left;     /* index at which the victim was left */
    uint32_t from, to; /* spots of the last step */
    uint32_t previous; /* visit, plus one */
    uint32_t older;    /* of the same lane, plus one */
};

/* Of an object and kind, what has been followed already: all after `rank`, for victims
 * left at `left` or later. */
struct cover {
    uint32_t rank, left;
};

/* The victim's own steps do not lead to its own thread, so they cover less. */
enum starter { VICTIM, OTHERS, STARTERS };

struct cycle_finder {
    struct finder_spots ARRAY_OF(struct spot) spots; /* by component, object and time */
    struct finder_exits ARRAY_OF(uint32_t) exits;    /* spots by component, thread, last event */
    struct finder_lanes ARRAY_OF(struct lane) lanes;
    struct finder_visits ARRAY_OF(struct visit) visits;
    struct finder_covers ARRAY_OF(struct cover) covers; /* run end, kind, starter */
    struct finder_covered ARRAY_OF(uint32_t) covered;   /* those to be reset */
    struct finder_steps ARRAY_OF(struct cycle_step) steps;
    const struct touch *victim;               /* one of its touches */
    struct finder_own ARRAY_OF(uint32_t) own; /* its spots */
    uint64_t work;
    cycle_report *report;
    void *context;
};

struct cycle_finder *cycle_finder_create(void)
{
    return NEW(struct cycle_finder);
}

void cycle_finder_destroy(struct cycle_finder *finder)
{
    if (!finder)
        return;
    array_free(&finder->spots);
    array_free(&finder->exits);
    array_free(&finder->own);
    array_free(&finder->lanes);
    array_free(&finder->visits);
    array_free(&finder->covers);
    array_free(&finder->covered);
    array_free(&finder->steps);
    free(finder);
}

void cycle_finder_add(struct cycle_finder *finder, const struct touch *touch, uint32_t component)
{
    struct spot spot = {.touch = touch, .component = component};
    array_push(&finder->spots, spot);
}

/* --- the places --- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_words(const void *a, const void *b)
{
    return compare_numbers(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int compare_objects(const struct spot *x, const struct spot *y)
{
    const struct touch *a = x->touch, *b = y->touch;
    int order = compare_numbers(x->component, y->component);
    if (!order)
        order = compare_numbers(a->object_class, b->object_class);
    return order ? order : compare_numbers(a->object, b->object);
}

static int compare_spots(const void *x, const void *y)
{
    const struct spot *a = x, *b = y;
    int order = compare_objects(a, b);
    return order ? order : compare_numbers(a->touch->first.pos, b->touch->first.pos);
}

static int compare_threads(const struct spot *x, const struct spot *y)
{
    int order = compare_numbers(x->component, y->component);
    return order ? order : compare_numbers(x->touch->first.thread, y->touch->first.thread);
}

static int compare_exits(const void *x, const void *y, void *context)
{
    const struct spot *spots = context;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    int order = compare_threads(&spots[i], &spots[k]);
    if (!order)
        order = compare_numbers(spots[i].touch->last.index, spots[k].touch->last.index);
    return order ? order : compare_numbers(i, k);
}

static void prepare(struct cycle_finder *finder)
{
    struct spot *spots = finder->spots.items;
    uint32_t count = (uint32_t)finder->spots.count, start = 0;
    qsort(spots, count, sizeof *spots, compare_spots);
    for (uint32_t i = 0; i < count; i++) {
        array_push(&finder->exits, i);
        if (i + 1 < count && !compare_objects(&spots[i], &spots[i + 1]))
            continue;
        for (; start <= i; start++)
            spots[start].run_end = i + 1;
    }
    qsort_r(finder->exits.items, count, sizeof *finder->exits.items, compare_exits, spots);
    for (uint32_t i = 0; i < count; i++) {
        struct spot *spot = &spots[finder->exits.items[i]];
        if (!i || compare_threads(&spots[finder->exits.items[i - 1]], spot)) {
            struct lane lane = {.start = i};
            array_push(&finder->lanes, lane);
        }
        spot->lane = (uint32_t)finder->lanes.count - 1;
        array_last(&finder->lanes).end = i + 1;
    }
    const struct cover none = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < (count + 1) * TOUCH_KINDS * STARTERS; i++)
        array_push(&finder->covers, none);
}

/* --- the search --- */

/* Does `later`, by another thread, have to stay after `earlier`? */
static bool conflict(const struct touch *earlier, const struct touch *later)
{
    if (earlier->first.thread == later->first.thread)
        return false;
    if (earlier->object_class == CLASS_SEMAPHORE)
        return later->kind == (earlier->kind == ONE     ? OTHER
                               : earlier->kind == OTHER ? ORDERED
                                                        : ONE);
    return earlier->kind == ORDERED || later->kind == ORDERED || earlier->kind != later->kind;
}

static bool is_victim(const struct cycle_finder *finder, const struct touch *touch)
{
    return touch->node == finder->victim->node && touch->block != NO_BLOCK;
}

static struct cycle_step step_between(const struct touch *from, const struct touch *to)
{
    enum object_class class =
        from->object_class == CLASS_JOIN ? CLASS_THREAD : (enum object_class)from->object_class;
    return (struct cycle_step){from->last, to->first, class, from->object};
}

/* The cycle whose last step goes from the spot `from`, reached by visit `at` - 1, to `to`. */
static void report(struct cycle_finder *finder, uint32_t at, uint32_t from, uint32_t to)
{
    const struct spot *spots = finder->spots.items;
    uint32_t leaving = from;
    finder->steps.count = 0;
    array_push(&finder->steps, step_between(spots[from].touch, spots[to].touch));
    for (; at; at = finder->visits.items[at - 1].previous) {
        const struct visit *visit = &finder->visits.items[at - 1];
        array_push(&finder->steps, step_between(spots[visit->from].touch, spots[visit->to].touch));
        leaving = visit->from;
    }
    struct cycle_step *steps = finder->steps.items;
    for (size_t i = 0, k = finder->steps.count - 1; i < k; i++, k--) {
        struct cycle_step step = steps[i];
        steps[i] = steps[k];
        steps[k] = step;
    }
    const struct touch *out = spots[leaving].touch; /* as late as may be: a narrow window */
    steps[0].source = out->last.index < spots[to].touch->first.index ? out->last : out->first;
    struct cycle cycle = {
        .victim = finder->victim->node, .steps = steps, .count = (uint32_t)finder->steps.count};
    finder->report(finder->context, &cycle);
}

static void add_visit(struct cycle_finder *finder, uint32_t from, uint32_t to, uint32_t left,
                      uint32_t previous)
{
    const struct spot *spot = &finder->spots.items[to];
    struct lane *lane = &finder->lanes.items[spot->lane];
    const struct touch *touch = spot->touch;
    uint32_t start = touch->block != NO_BLOCK ? touch->block : touch->first.index;
    for (uint32_t i = lane->newest; i; i = finder->visits.items[i - 1].older)
        if (finder->visits.items[i - 1].start <= start && finder->visits.items[i - 1].left <= left)
            return;
    struct visit visit = {spot->lane, start, left, from, to, previous, lane->newest};
    array_push(&finder->visits, visit);
    lane->newest = (uint32_t)finder->visits.count;
}

/* Where the spots that are to be followed from this one end; remembers that they are,
 * unless only a part of its operations, from `start` on, can be followed. */
static uint32_t uncovered(struct cycle_finder *finder, uint32_t from, uint32_t left, uint32_t start,
                          enum starter starter)
{
    const struct spot *spot = &finder->spots.items[from];
    uint32_t key = (spot->run_end * TOUCH_KINDS + spot->touch->kind) * STARTERS + starter;
    struct cover *cover = &finder->covers.items[key];
    if (cover->rank != UINT32_MAX && cover->left <= left && cover->rank <= from)
        return from;
    uint32_t end = spot->run_end;
    if (cover->rank != UINT32_MAX && cover->left <= left)
        end = cover->rank + 1;
    if (spot->touch->first.index < start)
        return end;
    if (cover->rank == UINT32_MAX)
        array_push(&finder->covered, key);
    if (cover->rank == UINT32_MAX || (from <= cover->rank && left <= cover->left))
        *cover = (struct cover){from, left};
    return end;
}

/* The victim's first operation after a spot that conflicts with it; UINT32_MAX: none. */
static uint32_t way_back(const struct cycle_finder *finder, uint32_t from)
{
    const struct spot *spots = finder->spots.items;
    const uint32_t *own = finder->own.items;
    size_t low = SORTED_POINT(middle, 0, finder->own.count, own[middle] < from);
    for (; low < finder->own.count && own[low] < spots[from].run_end; low++)
        if (conflict(spots[from].touch, spots[own[low]].touch))
            return own[low];
    return UINT32_MAX;
}

/* Follows all conflicts from a spot, which visit `previous` - 1 came to (0: it is the
 * victim's); true if one leads back into the victim. */
static bool follow(struct cycle_finder *finder, uint32_t from, uint32_t left, uint32_t previous)
{
    const struct spot *spots = finder->spots.items;
    uint32_t back = way_back(finder, from);
    if (back != UINT32_MAX && spots[back].touch->first.index > left) {
        report(finder, previous, from, back);
        return true;
    }
    uint32_t start = previous ? finder->visits.items[previous - 1].start : 0;
    uint32_t end = uncovered(finder, from, left, start, previous ? OTHERS : VICTIM);
    for (uint32_t to = from + 1; to < end; to++) {
        finder->work++;
        if (!is_victim(finder, spots[to].touch) && conflict(spots[from].touch, spots[to].touch))
            add_visit(finder, from, to, left, previous);
    }
    return false;
}

/* The first of the lane's exits with an event at `index` or later. */
static uint32_t first_exit(const struct cycle_finder *finder, const struct lane *lane,
                           uint32_t index)
{
    return SORTED_POINT(middle, lane->start, lane->end,
                        finder->spots.items[finder->exits.items[middle]].touch->last.index < index);
}

/* Breadth first, so the first way back is a shortest one. exits[from .. to) are the victim's. */
static bool search(struct cycle_finder *finder, uint32_t from, uint32_t to)
{
    const struct spot *spots = finder->spots.items;
    bool found = false;
    finder->own.count = 0;
    for (uint32_t i = from; i < to; i++)
        array_push(&finder->own, finder->exits.items[i]);
    qsort(finder->own.items, finder->own.count, sizeof *finder->own.items, compare_words);
    for (uint32_t i = from; i < to; i++)
        follow(finder, finder->exits.items[i], spots[finder->exits.items[i]].touch->first.index, 0);
    for (uint32_t i = 0; i < finder->visits.count && !found; i++) {
        struct visit visit = finder->visits.items[i];
        const struct lane *lane = &finder->lanes.items[visit.lane];
        for (uint32_t k = first_exit(finder, lane, visit.start); k < lane->end && !found; k++) {
            finder->work++;
            if (!is_victim(finder, spots[finder->exits.items[k]].touch))
                found = follow(finder, finder->exits.items[k], visit.left, i + 1);
        }
    }
    return found;
}

static void reset(struct cycle_finder *finder)
{
    for (size_t i = 0; i < finder->visits.count; i++)
        finder->lanes.items[finder->visits.items[i].lane].newest = 0;
    for (size_t i = 0; i < finder->covered.count; i++)
        finder->covers.items[finder->covered.items[i]] = (struct cover){UINT32_MAX, UINT32_MAX};
    finder->visits.count = finder->covered.count = 0;
}

void cycle_finder_run(struct cycle_finder *finder, cycle_report *found, void *context)
{
    prepare(finder);
    finder->report = found;
    finder->context = context;
    finder->work = 0;
    const struct spot *spots = finder->spots.items;
    const uint32_t *exits = finder->exits.items, count = (uint32_t)finder->exits.count;
    uint32_t explained = UINT32_MAX; /* component */
    for (uint32_t from = 0, to; from < count; from = to) {
        finder->victim = spots[exits[from]].touch;
        for (to = from + 1; to < count; to++)
            if (spots[exits[to]].touch->node != finder->victim->node ||
                spots[exits[to]].touch->block != finder->victim->block)
                break;
        bool enough = finder->work > UINT64_C(64) * count;
        if (finder->victim->block == NO_BLOCK ||
            (enough && explained == spots[exits[from]].component))
            continue;
        if (search(finder, from, to))
            explained = spots[exits[from]].component;
        reset(finder);
    }
    finder->spots.count = finder->exits.count = finder->lanes.count = finder->covers.count = 0;
}
