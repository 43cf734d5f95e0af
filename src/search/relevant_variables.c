/* SPDX-License-Identifier: MIT */
/* In the order of the trace, an access is asked whether its thread's previous event knows of all
 * earlier accesses that conflict with it. Only orders that end before it count, so by induction
 * the reads of settled variables are implied by those of the others: two variables cannot
 * vouch for each other. */
#include "search/relevant_variables.h"

#include "search/clocks.h"
#include "search/suspects.h"

/* A read since the last write, the last one of its thread. */
struct reader {
    uint32_t pos, next; /* next: 0 at the end */
};

struct accessed {
    uint32_t write;   /* the last one + 1, or 0 */
    uint32_t readers; /* since then */
};

struct settling {
    const struct search_index *index;
    const struct clocks *clocks;
    struct accessed *accessed; /* by variable */
    struct readers ARRAY_OF(struct reader) readers;
    uint32_t *row; /* by thread: the row of its last event */
};

static bool is_known(const struct settling *all, uint32_t earlier, uint32_t pos)
{
    const struct history *history = all->index->history;
    uint32_t thread = history->events[pos].thread, other = history->events[earlier].thread;
    if (other == thread)
        return true;
    if (history->index[pos] == 0)
        return suspects_ordered(all->index, earlier, pos);
    const uint32_t *past = all->clocks->ticks + (size_t)all->row[thread] * all->clocks->threads;
    return history->index[earlier] < past[other];
}

static bool knows_readers(const struct settling *all, const struct accessed *accessed, uint32_t pos)
{
    for (uint32_t i = accessed->readers; i; i = all->readers.items[i].next)
        if (!is_known(all, all->readers.items[i].pos, pos))
            return false;
    return true;
}

static void add_reader(struct settling *all, struct accessed *accessed, uint32_t pos)
{
    struct reader *items = all->readers.items;
    for (uint32_t i = accessed->readers; i; i = items[i].next)
        if (thread_at(all->index, items[i].pos) == thread_at(all->index, pos)) {
            items[i].pos = pos;
            return;
        }
    struct reader reader = {pos, accessed->readers};
    accessed->readers = (uint32_t)all->readers.count;
    array_push(&all->readers, reader);
}

/* False if the access is not settled. */
static bool settle(struct settling *all, uint32_t pos, const struct event *event)
{
    struct accessed *accessed = &all->accessed[event->object];
    if (accessed->write && !is_known(all, accessed->write - 1, pos))
        return false;
    if (!event_writes(event)) {
        add_reader(all, accessed, pos);
        return true;
    }
    bool known = knows_readers(all, accessed, pos);
    *accessed = (struct accessed){pos + 1, 0};
    return known;
}

static void settle_all(struct settling *all, uint8_t *relevance)
{
    const struct history *history = all->index->history;
    memset(relevance, RELEVANCE_SETTLED, history->variables);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS) && relevance[event->object] == RELEVANCE_SETTLED &&
            !settle(all, pos, event))
            relevance[event->object] = RELEVANCE_NONE;
        all->row[event->thread] = all->clocks->row[pos];
    }
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_READING) && relevance[event->object] == RELEVANCE_NONE &&
            index_keep(all->index, pos) != KEEP_NOT)
            relevance[event->object] = RELEVANCE_KEPT;
    }
}

static bool keeps_reads(const struct search_index *index)
{
    for (unsigned op = 0; op < EVENT_COUNT; op++)
        if (op_in(op, OPS_READING & index->history->ops) &&
            (index->keeps[op][0] != KEEP_NOT || index->keeps[op][1] != KEEP_NOT))
            return true;
    return false;
}

uint8_t *relevant_variables_find(const struct search_index *index)
{
    const struct history *history = index->history;
    if (!keeps_reads(index))
        return NEW_ARRAY(uint8_t, (size_t)history->variables + 1);
    struct settling all = {.index = index, .clocks = index_clocks(index)};
    if (!all.clocks || index->model == MODEL_BRANCH)
        return NULL;
    uint8_t *relevance = NEW_ARRAY(uint8_t, (size_t)history->variables + 1);
    all.accessed = NEW_ARRAY(struct accessed, history->variables);
    all.row = NEW_ARRAY(uint32_t, history->threads);
    array_push(&all.readers, ((struct reader){0, 0}));
    settle_all(&all, relevance);
    free(all.accessed);
    free(all.row);
    array_free(&all.readers);
    return relevance;
}
