#include "search/clocks.h"

#include "base/array.h"

struct rows ARRAY_OF(uint32_t);

struct building {
    const struct search_index *index;
    bool soft;
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
    if (index->before[pos] != POS_NONE && index->keep[pos] != KEEP_BRANCH)
        grew |= join(building, index->before[pos]);
    if (building->soft && index->soft[pos] != POS_NONE)
        grew |= join(building, index->soft[pos]);
    if (event->op == EVENT_BARRIER_EXIT)
        grew |= join_all(building, &index->enters, event->other);
    else if (event->op == EVENT_BARRIER_ENTER &&
             index->rules->previous_instance[event->other] != POS_NONE)
        grew |= join_all(building, &index->enters, index->rules->previous_instance[event->other]);
    return grew;
}

static bool fits(const struct rows *rows)
{
    return rows->count * sizeof *rows->items < CLOCKS_LIMIT;
}

static bool build(struct building *building)
{
    uint32_t threads = building->clocks->threads;
    struct rows *rows = &building->rows;
    array_grow(rows, threads); /* row 0: nothing */
    for (uint32_t pos = 0; pos < building->index->history->count; pos++) {
        uint32_t thread = thread_at(building->index, pos);
        const struct event *event = event_at(building->index, pos);
        bool simple = building->index->before[pos] == POS_NONE &&
                      building->index->history->index[pos] != 0 &&
                      event->op != EVENT_BARRIER_ENTER && event->op != EVENT_BARRIER_EXIT &&
                      !(building->soft && building->index->soft[pos] != POS_NONE);
        if (!simple) {
            memcpy(building->next, rows->items + (size_t)building->now[thread] * threads,
                   threads * sizeof *rows->items);
            building->next[thread] = building->index->history->index[pos];
            if (join_needs(building, pos)) {
                if (!fits(rows))
                    return false;
                building->now[thread] = (uint32_t)(rows->count / threads);
                array_reserve(rows, rows->count + threads);
                memcpy(rows->items + rows->count, building->next, threads * sizeof *rows->items);
                rows->count += threads;
            }
        }
        building->clocks->row[pos] = building->now[thread];
    }
    return true;
}

struct clocks *clocks_create(const struct search_index *index, bool soft)
{
    uint32_t threads = index->history->threads;
    struct building building = {.index = index, .soft = soft, .clocks = NEW(struct clocks)};
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
