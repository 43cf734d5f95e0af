/* SPDX-License-Identifier: MIT */
/* The set S: the smallest set of events that contains the past of the question's
 * events and, with each event, what must come before it in every correct
 * reordering: the fork of its thread, all of a joined thread, the write of a kept
 * read, everybody at a barrier, the end of a once-block, and what an edge says.
 * For the locks that the stopped threads hold for good, every other section of
 * the lock in S must have ended before. */
#include "search/clocks.h"
#include "search/state.h"

static bool raise_cut(struct search *search, uint32_t thread, uint32_t count)
{
    if (count)
        cone_add(search, thread);
    if (count > search->cut[thread])
        search->cut[thread] = count;
    return count <= search->ceiling[thread];
}

bool closure_include(struct search *search, uint32_t pos)
{
    return raise_cut(search, thread_at(search->index, pos), search->index->history->index[pos] + 1);
}

bool closure_order(struct search *search, uint32_t before, uint32_t after, const struct levels *why)
{
    struct edge edge = {before, after, *why};
    array_push(&search->edges, edge);
    if (!search->has_edge[after]) {
        search->has_edge[after] = 1;
        array_push(&search->marked, after);
    }
    return !in_set(search, after) || closure_include(search, before);
}

static bool include_edges(struct search *search, uint32_t pos)
{
    for (size_t i = 0; i < search->edges.count; i++)
        if (search->edges.items[i].after == pos &&
            !closure_include(search, search->edges.items[i].before))
            return false;
    return true;
}

static bool include_instance(struct search *search, uint32_t instance)
{
    const struct event_lists *enters = &search->index->enters;
    for (uint32_t i = enters->start[instance]; i < enters->start[instance + 1]; i++)
        if (!closure_include(search, enters->items[i]))
            return false;
    return true;
}

static void raise_kept(struct search *search, uint32_t thread, uint32_t count)
{
    if (search->index->model == MODEL_BRANCH && count > search->kept[thread])
        search->kept[thread] = count;
}

/* A read that must see what it saw: the write, and under `branch` the reads that
 * the written value may depend on. */
static bool include_write(struct search *search, uint32_t pos)
{
    uint32_t write = index_before(search->index, pos);
    if (write == POS_NONE)
        return true;
    if (search->index->model == MODEL_BRANCH)
        raise_kept(search, thread_at(search->index, write), search->index->history->index[write]);
    return closure_include(search, write);
}

static bool include_needs(struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    if (search->has_edge[pos] && !include_edges(search, pos))
        return false;
    if (index_keep(index, pos) != KEEP_NOT)
        return !is_bound(search, pos) || include_write(search, pos);
    uint32_t before = index_before(index, pos);
    if (before != POS_NONE)
        return closure_include(search, before);
    if (event->op == EVENT_BRANCH && !is_waived(search, pos))
        raise_kept(search, event->thread, index->history->index[pos]);
    uint32_t instance = POS_NONE;
    if (event->op == EVENT_BARRIER_EXIT)
        instance = event->other;
    else if (event->op == EVENT_BARRIER_ENTER)
        instance = index->rules->previous_instance[event->other];
    return instance == POS_NONE || include_instance(search, instance);
}

static bool scan_thread(struct search *search, uint32_t thread)
{
    const struct history *history = search->index->history;
    const uint32_t *positions = history->positions + history->first[thread];
    while (search->scanned[thread] < search->cut[thread]) {
        search->steps++;
        if (!include_needs(search, positions[search->scanned[thread]++]))
            return false;
    }
    return true;
}

/* `branch`: reads that became kept after they were scanned. */
static bool scan_kept(struct search *search, uint32_t thread)
{
    const struct history *history = search->index->history;
    const uint32_t *positions = history->positions + history->first[thread];
    while (search->kept_scanned[thread] < search->kept[thread]) {
        uint32_t pos = positions[search->kept_scanned[thread]++];
        if (is_bound(search, pos) && !include_write(search, pos))
            return false;
    }
    return true;
}

static bool fork_included(struct search *search, uint32_t thread)
{
    uint32_t fork = search->index->history->fork_of[thread];
    bool runs = search->cut[thread] || search->stays[thread];
    return !runs || fork == POS_NONE || closure_include(search, fork);
}

/* The same for all events of the thread at once: the clock of the last one knows
 * them all, but for the edges. */
static bool join_thread(struct search *search, uint32_t thread)
{
    const struct history *history = search->index->history;
    if (search->scanned[thread] >= search->cut[thread])
        return true;
    uint32_t last = history_pos(history, thread, search->cut[thread] - 1);
    const uint32_t *past = clocks_past(
        search->with_partners ? index_with(search->index, INDEX_PARTNER_CLOCKS)->partner_clocks
                              : index_clocks(search->index),
        last);
    search->scanned[thread] = search->cut[thread];
    search->steps++;
    for (uint32_t other = 0; other < history->threads; other++)
        if (other != thread && past[other] > search->cut[other] &&
            !raise_cut(search, other, past[other]))
            return false;
    return true;
}

static bool join_all(struct search *search)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < search->cone.count; i++) { /* which grows meanwhile */
            uint32_t thread = search->cone.items[i];
            if (!fork_included(search, thread))
                return false;
            again |= search->scanned[thread] < search->cut[thread];
            if (!join_thread(search, thread))
                return false;
        }
        for (size_t i = 0; i < search->edges.count; i++) {
            const struct edge *edge = &search->edges.items[i];
            if (!in_set(search, edge->after) || in_set(search, edge->before))
                continue;
            again = true;
            if (!closure_include(search, edge->before))
                return false;
        }
    }
    return true;
}

static bool scan_all(struct search *search)
{
    if (search->by_clocks)
        return join_all(search);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < search->cone.count; i++) { /* which grows meanwhile */
            uint32_t thread = search->cone.items[i];
            if (!fork_included(search, thread))
                return false;
            again |= search->scanned[thread] < search->cut[thread] ||
                     search->kept_scanned[thread] < search->kept[thread];
            if (!scan_thread(search, thread) || !scan_kept(search, thread))
                return false;
        }
    }
    return true;
}

bool closure_has_order(const struct search *search, uint32_t before, uint32_t after)
{
    for (size_t i = 0; i < search->edges.count; i++)
        if (search->edges.items[i].before == before && search->edges.items[i].after == after)
            return true;
    return false;
}

/* The section that `acquire` begins is never left: all others of S come before. */
static bool close_others(struct search *search, uint32_t acquire)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, acquire);
    uint32_t lock = event_lock(event);
    for (uint32_t i = index->users.start[lock]; i < index->users.start[lock + 1]; i++) {
        uint32_t thread = index->users.items[i];
        if (thread == event->thread)
            continue;
        uint32_t other = index_last_section(index, lock, thread, search->cut[thread], event);
        if (other == POS_NONE)
            continue;
        uint32_t release = index->partner[other];
        if (release == POS_NONE || !closure_include(search, release))
            return false;
        if (closure_has_order(search, release, acquire))
            continue;
        struct levels why = {{0}};
        closure_why(search, other, &why);
        if (!closure_order(search, release, acquire, &why))
            return false;
    }
    return true;
}

static bool is_scanned(const struct search *search)
{
    for (size_t i = 0; i < search->cone.count; i++) {
        uint32_t thread = search->cone.items[i];
        if (search->scanned[thread] < search->cut[thread])
            return false;
    }
    return true;
}

bool closure_complete(struct search *search)
{
    do {
        if (!scan_all(search))
            return false;
        for (size_t i = 0; i < search->finals.count; i++)
            if (!close_others(search, search->finals.items[i]))
                return false;
    } while (!is_scanned(search));
    return true;
}

/* Locks that S leaves held by the thread. */
static uint32_t held_after(const struct search *search, uint32_t thread)
{
    return index_held_before(search->index, thread, search->cut[thread]);
}

/* Does S have a section of another thread that excludes this one and was
 * observed after it? */
static bool has_later_section(const struct search *search, uint32_t acquire)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, acquire);
    uint32_t lock = event_lock(event);
    for (uint32_t i = index->users.start[lock]; i < index->users.start[lock + 1]; i++) {
        uint32_t thread = index->users.items[i];
        if (thread == event->thread || !search->cut[thread])
            continue;
        uint32_t other = index_last_section(index, lock, thread, search->cut[thread], event);
        if (other != POS_NONE && other > acquire)
            return true;
    }
    return false;
}

/* A section of the thread that must be left, since another of S follows it. */
static uint32_t unfinished(const struct search *search, uint32_t thread)
{
    uint32_t node = search->cut[thread] ? held_after(search, thread) : HELD_NONE;
    for (; node != HELD_NONE; node = search->index->nodes[node].next)
        if (has_later_section(search, search->index->nodes[node].acquire))
            return search->index->nodes[node].acquire;
    return POS_NONE;
}

bool closure_preserve(struct search *search)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < search->cone.count; i++) { /* which grows meanwhile */
            uint32_t thread = search->cone.items[i];
            uint32_t acquire = unfinished(search, thread);
            if (acquire == POS_NONE)
                continue;
            uint32_t release = search->index->partner[acquire];
            if (release == POS_NONE || !closure_include(search, release))
                return false;
            again = true;
        }
        if (again && !closure_complete(search))
            return false;
    }
    return true;
}

/* Is there a way from `from` to `to`, by must-order and the edges that are not marked yet? */
static bool leads_to(const struct search *search, uint32_t from, uint32_t to, uint8_t *marked)
{
    const struct edge *edges = search->edges.items;
    if (clocks_ordered(search->index, from, to))
        return true;
    for (size_t i = 0; i < search->edges.count; i++) {
        if (marked[i] || !clocks_ordered(search->index, from, edges[i].before))
            continue;
        marked[i] = 1;
        if (leads_to(search, edges[i].after, to, marked))
            return true;
    }
    return false;
}

enum { EDGES_MAX = 256 }; /* beyond that they are not followed */

bool closure_precedes(const struct search *search, uint32_t first, uint32_t second)
{
    if (!search->by_clocks)
        return false;
    if (search->edges.count > EDGES_MAX)
        return clocks_ordered(search->index, first, second);
    uint8_t marked[EDGES_MAX] = {0};
    return leads_to(search, first, second, marked);
}

bool closure_contradicts(const struct search *search)
{
    if (!search->by_clocks || search->edges.count > EDGES_MAX)
        return false;
    for (size_t i = 0; i < search->edges.count; i++) {
        const struct edge *edge = &search->edges.items[i];
        if (in_set(search, edge->after) && closure_precedes(search, edge->after, edge->before))
            return true;
    }
    return false;
}

static const uint32_t *snapshot(const struct search *search, uint32_t level)
{
    return search->snapshots.items + (size_t)level * 4 * search->index->history->threads;
}

void closure_why(const struct search *search, uint32_t pos, struct levels *why)
{
    uint32_t thread = thread_at(search->index, pos), index = search->index->history->index[pos];
    uint32_t level = 0;
    while (level < search->level && snapshot(search, level)[thread] <= index)
        level++;
    levels_set_up_to(why, level);
}

void closure_push(struct search *search)
{
    size_t threads = search->index->history->threads;
    size_t at = search->snapshots.count;
    array_reserve(&search->snapshots, at + 4 * threads);
    search->snapshots.count += 4 * threads;
    memcpy(search->snapshots.items + at, search->cut, 4 * threads * sizeof *search->cut);
    array_push(&search->edge_counts, (uint32_t)search->edges.count);
    search->level++;
}

void closure_pop(struct search *search)
{
    size_t threads = search->index->history->threads;
    search->snapshots.count -= 4 * threads;
    memcpy(search->cut, search->snapshots.items + search->snapshots.count,
           4 * threads * sizeof *search->cut);
    search->edges.count = array_pop(&search->edge_counts);
    search->level--;
}
