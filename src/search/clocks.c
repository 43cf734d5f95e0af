/* SPDX-License-Identifier: MIT */
#include "search/clocks.h"

#include "base/array.h"

struct rows ARRAY_OF(uint32_t);

struct building {
    const struct search_index *index;
    bool with_partners;
    struct clocks *clocks;
    struct rows rows;
    uint32_t *now;  /* by thread: its current row */
    uint32_t *next; /* the clock being made */
};

/* Adds the past of `pos`, and the event itself; true if the clock grew. */
static bool join(struct building *building, uint32_t pos)
{
    uint32_t threads = building->clocks->threads, thread = thread_at(building->index, pos);
    const uint32_t *past = building->rows.items + (size_t)building->clocks->row[pos] * threads;
    uint32_t count = building->index->history->index[pos] + 1;
    if (building->next[thread] >= count)
        return false;
    for (uint32_t i = 0; i < threads; i++)
        if (past[i] > building->next[i])
            building->next[i] = past[i];
    building->next[thread] = count;
    return true;
}

static bool join_all(struct building *building, const struct event_lists *lists, uint32_t key)
{
    bool grew = false;
    for (uint32_t i = lists->start[key]; i < lists->start[key + 1]; i++)
        grew |= join(building, lists->items[i]);
    return grew;
}

/* Joins what must come before the event; true if something was new. */
static bool join_needs(struct building *building, uint32_t pos)
{
    const struct search_index *index = building->index;
    const struct event *event = event_at(index, pos);
    bool grew = false;
    uint32_t fork = index->history->fork_of[event->thread];
    if (index->history->index[pos] == 0 && fork != POS_NONE)
        grew |= join(building, fork);
    uint32_t before = index_before(index, pos);
    if (before != POS_NONE && index_keep(index, pos) != KEEP_BRANCH)
        grew |= join(building, before);
    uint32_t partner = building->with_partners ? index_observed_partner(index, pos) : POS_NONE;
    if (partner != POS_NONE)
        grew |= join(building, partner);
    if (event->op == EVENT_BARRIER_EXIT)
        grew |= join_all(building, &index->enters, event->other);
    else if (event->op == EVENT_BARRIER_ENTER &&
             index->rules->previous_instance[event->other] != POS_NONE)
        grew |= join_all(building, &index->enters, index->rules->previous_instance[event->other]);
    return grew;
}

static bool fits(const struct rows *rows, uint32_t threads)
{
    uint64_t limit = threads > CLOCKS_MANY_THREADS ? CLOCKS_MANY_LIMIT : CLOCKS_LIMIT;
    return rows->count * sizeof *rows->items < limit;
}

/* Which accesses follow the write they saw: reads_from says it of all that read. */
static enum follow {
    FOLLOW_ALL,
    FOLLOW_SOME,
    FOLLOW_NONE
} follow_of(const struct building *building)
{
    const struct search_index *index = building->index;
    bool all = true, none = true;
    for (unsigned op = 0; op < EVENT_COUNT; op++)
        for (int value = 0; value < 2 && op_in(op, OPS_READING & index->history->ops); value++) {
            enum keep keep = (enum keep)index->keeps[op][value];
            bool follows = keep == KEEP_WRITE || (keep == KEEP_VALUE && building->with_partners);
            all &= follows;
            none &= !follows;
        }
    return all ? FOLLOW_ALL : none ? FOLLOW_NONE : FOLLOW_SOME;
}

/* Does nothing that the thread did not know of come in with the access? Nearly always, but
 * whether it reads is hard to foresee: there is one jump at the end. */
static bool is_simple(const struct building *building, uint32_t pos, enum follow follow)
{
    const struct search_index *index = building->index;
    const struct history *history = index->history;
    if (history->index[pos] == 0)
        return false;
    if (follow == FOLLOW_NONE)
        return true;
    uint32_t write = history->reads_from[pos];
    write = write == POS_NONE ? pos : write;
    uint32_t thread = thread_at(index, pos), writer = thread_at(index, write);
    const uint32_t *row =
        building->rows.items + (size_t)building->now[thread] * building->clocks->threads;
    return (writer == thread) | (row[writer] > history->index[write]);
}

static bool add_row(struct building *building, uint32_t pos)
{
    uint32_t threads = building->clocks->threads, thread = thread_at(building->index, pos);
    struct rows *rows = &building->rows;
    memcpy(building->next, rows->items + (size_t)building->now[thread] * threads,
           threads * sizeof *rows->items);
    building->next[thread] = building->index->history->index[pos];
    if (!join_needs(building, pos))
        return true;
    if (!fits(rows, threads))
        return false;
    building->now[thread] = (uint32_t)(rows->count / threads);
    array_reserve(rows, rows->count + threads);
    memcpy(rows->items + rows->count, building->next, threads * sizeof *rows->items);
    rows->count += threads;
    return true;
}

static bool build(struct building *building)
{
    const struct history *history = building->index->history;
    uint32_t sync = 0;
    enum follow follow = follow_of(building);
    array_grow(&building->rows, building->clocks->threads); /* row 0: nothing */
    for (uint32_t pos = 0; pos < history->count; pos++) {
        bool simple = false;
        if (sync < history->sync_count && history->syncs[sync] == pos)
            sync++;
        else
            simple = is_simple(building, pos, follow);
        if (!simple && !add_row(building, pos))
            return false;
        building->clocks->row[pos] = building->now[thread_at(building->index, pos)];
    }
    return true;
}

struct clocks *clocks_create(const struct search_index *index, bool with_partners)
{
    uint32_t threads = index->history->threads;
    struct building building = {
        .index = index, .with_partners = with_partners, .clocks = NEW(struct clocks)};
    building.clocks->threads = threads;
    building.clocks->row = memory_alloc(index->history->count, sizeof *building.clocks->row);
    building.now = NEW_ARRAY(uint32_t, threads);
    building.next = NEW_ARRAY(uint32_t, threads);
    bool fit = build(&building);
    building.clocks->ticks = building.rows.items;
    free(building.now);
    free(building.next);
    if (fit)
        return building.clocks;
    clocks_destroy(building.clocks);
    return NULL;
}

void clocks_destroy(struct clocks *clocks)
{
    if (!clocks)
        return;
    free(clocks->row);
    free(clocks->ticks);
    free(clocks);
}
