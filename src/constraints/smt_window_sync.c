/* SPDX-License-Identifier: MIT */
/* Critical sections and waits of a window. */
#include "base/map.h"
#include "base/sorted.h"
#include "constraints/smt_window.h"

#include <assert.h>

static const struct event *at(const struct smt_window *window, uint32_t pos)
{
    return &window->history->events[pos];
}

static uint32_t objects_of(const struct smt_window *window, enum object_class class)
{
    return trace_count(window->history->trace, class);
}

static int compare_sections(const void *left, const void *right)
{
    const struct smt_section *a = left, *b = right;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    return a->acquire < b->acquire ? -1 : a->acquire > b->acquire;
}

static void index_sections(struct smt_window *window)
{
    uint32_t locks = objects_of(window, CLASS_LOCK);
    if (window->sections.count)
        qsort(window->sections.items, window->sections.count, sizeof *window->sections.items,
              compare_sections);
    window->section_offset = NEW_ARRAY(uint32_t, locks + 1);
    window->release_of = memory_alloc(window->end - window->start, sizeof *window->release_of);
    for (size_t i = 0; i < window->sections.count; i++) {
        const struct smt_section *section = &window->sections.items[i];
        window->section_offset[section->lock + 1]++;
        if (section->acquire >= window->start)
            window->release_of[section->acquire - window->start] = section->release;
    }
    for (uint32_t i = 0; i < locks; i++)
        window->section_offset[i + 1] += window->section_offset[i];
}

/* The list without a section, which is in it. */
static uint32_t hold_without(struct smt_window *window, uint32_t node, uint32_t section)
{
    struct smt_hold hold = window->holds.items[node];
    if (hold.section == section)
        return hold.next;
    hold.next = hold_without(window, hold.next, section);
    array_push(&window->holds, hold);
    return (uint32_t)window->holds.count - 1;
}

static uint32_t hold_with(struct smt_window *window, uint32_t node, uint32_t section)
{
    array_push(&window->holds, ((struct smt_hold){section, node}));
    return (uint32_t)window->holds.count - 1;
}

/* From this event of the thread on, it holds these sections. */
static void hold_from(struct smt_window *window, uint32_t pos, uint32_t node)
{
    struct smt_held *held = &window->held[at(window, pos)->thread];
    array_push(held, ((struct smt_hold_change){window->history->index[pos], node}));
}

static uint32_t held_last(const struct smt_window *window, uint32_t thread)
{
    const struct smt_held *held = &window->held[thread];
    return held->count ? array_last(held).node : 0;
}

/* Which sections a thread holds from where on. */
static void find_holds(struct smt_window *window)
{
    const struct history *history = window->history;
    uint32_t *bound = memory_alloc(window->end - window->start, sizeof *bound);
    window->section_at = bound;
    array_push(&window->holds, ((struct smt_hold){0, 0}));
    window->held = NEW_ARRAY(struct smt_held, history->threads);
    for (uint32_t i = window->first_sync; i < window->last_sync; i++)
        bound[history->syncs[i] - window->start] = 0;
    for (uint32_t i = 0; i < window->sections.count; i++) {
        const struct smt_section *section = &window->sections.items[i];
        if (section->acquire >= window->start)
            bound[section->acquire - window->start] = i + 1;
        else
            hold_from(window, section->acquire,
                      hold_with(window, held_last(window, section->thread), i));
        if (section->release != POS_NONE)
            bound[section->release - window->start] = i + 1;
    }
    for (uint32_t i = window->first_sync; i < window->last_sync; i++) {
        uint32_t pos = history->syncs[i], section = bound[pos - window->start];
        if (!section)
            continue;
        uint32_t held = held_last(window, at(window, pos)->thread);
        hold_from(window, pos,
                  event_acquires(at(window, pos)) ? hold_with(window, held, section - 1)
                                                  : hold_without(window, held, section - 1));
    }
}

/* The first node of the sections around an access, 0: none. */
static uint32_t held_at(const struct smt_window *window, uint32_t pos)
{
    const struct smt_held *held = &window->held[at(window, pos)->thread];
    uint32_t index = window->history->index[pos];
    size_t low = SORTED_POINT(middle, 0, held->count, held->items[middle].index < index);
    return low ? held->items[low - 1].node : 0;
}

bool smt_excluded(const struct smt_window *window, uint32_t a, uint32_t b, uint32_t *a_section,
                  uint32_t *b_section)
{
    if (a < window->start || b < window->start)
        return false;
    const struct smt_hold *holds = window->holds.items;
    const struct smt_section *sections = window->sections.items;
    uint32_t held_by_a = held_at(window, a), held_by_b = held_by_a ? held_at(window, b) : 0;
    for (uint32_t i = held_by_a; i; i = holds[i].next)
        for (uint32_t k = held_by_b; k; k = holds[k].next) {
            *a_section = holds[i].section;
            *b_section = holds[k].section;
            const struct smt_section *x = &sections[*a_section], *y = &sections[*b_section];
            if (x->lock == y->lock && x->thread != y->thread && !(x->shared && y->shared))
                return true;
        }
    return false;
}

/* Sections that end before the window constrain nothing in it. */
void smt_window_find_sections(struct smt_window *window)
{
    struct map open = {0}; /* (lock, thread) to its place in all */
    struct smt_sections all = {0};
    for (uint32_t i = 0; i < window->last_sync; i++) {
        uint32_t pos = window->history->syncs[i];
        const struct event *event = at(window, pos);
        if (!op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
            continue;
        uint64_t key = map_pair(event_lock(event), event->thread);
        if (event_releases(event)) {
            uint64_t *place = map_find(&open, key);
            assert(place);
            all.items[*place].release = pos;
            map_remove(&open, key);
        } else if (event_acquires(event)) {
            struct smt_section section = {event_lock(event), event->thread, pos, POS_NONE,
                                          event->op == EVENT_ACQUIRE_READ};
            *map_at(&open, key, NULL) = all.count;
            array_push(&all, section);
        }
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].release >= window->start)
            array_push(&window->sections, all.items[i]);
    map_free(&open);
    array_free(&all);
    index_sections(window);
    find_holds(window);
}

static int compare_waits(const void *left, const void *right)
{
    const struct smt_wait *a = left, *b = right;
    if (a->condition != b->condition)
        return a->condition < b->condition ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void index_waits(struct smt_window *window)
{
    uint32_t conditions = objects_of(window, CLASS_CONDITION);
    if (window->waits.count)
        qsort(window->waits.items, window->waits.count, sizeof *window->waits.items, compare_waits);
    window->wait_offset = NEW_ARRAY(uint32_t, conditions + 1);
    for (size_t i = 0; i < window->waits.count; i++)
        window->wait_offset[window->waits.items[i].condition + 1]++;
    for (uint32_t i = 0; i < conditions; i++)
        window->wait_offset[i + 1] += window->wait_offset[i];
}

uint32_t smt_window_find_waits(struct smt_window *window)
{
    struct smt_waits all = {0};
    uint32_t threads = window->history->threads;
    uint32_t *open = NEW_ARRAY(uint32_t, threads); /* by thread: its wait, plus one */
    for (uint32_t i = 0; i < window->last_sync; i++) {
        uint32_t pos = window->history->syncs[i];
        const struct event *event = at(window, pos);
        if (event->op == EVENT_WAIT_BEGIN) {
            struct smt_wait wait = {event->object, event->thread, pos, POS_NONE, false};
            array_push(&all, wait);
            open[event->thread] = (uint32_t)all.count;
        } else if (event->op == EVENT_WAIT_END) {
            struct smt_wait *wait = &all.items[open[event->thread] - 1];
            wait->end = pos;
            wait->failed = event->flags & EVENT_FAILED;
        }
    }
    uint32_t first = window->start;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].end >= window->start && all.items[i].begin < first)
            first = all.items[i].begin;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].end >= first)
            array_push(&window->waits, all.items[i]);
    free(open);
    array_free(&all);
    index_waits(window);
    return first;
}
