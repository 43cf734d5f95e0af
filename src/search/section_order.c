/* SPDX-License-Identifier: MIT */
/* What an edge says about critical sections. If a section of a lock begins before an event that
 * lies within another section of it, then it ends before that other one begins. The scheduler
 * would find that out as well, but one section at a time: where a thread is held back in a
 * section until another one has come far, that would take as many schedules as the other has
 * sections on its way. */
#include "search/clocks.h"
#include "search/state.h"

/* So many edges are looked at, the latest ones. */
enum { EDGES_MAX = 64 };

/* Events of the thread that come before the end of the edge, by the edge and by must-order. */
static uint32_t count_before(const struct search_index *index, const struct edge *edge,
                             uint32_t thread)
{
    if (thread == thread_at(index, edge->before))
        return index->history->index[edge->before] + 1;
    return clocks_past(index_clocks(index), edge->before)[thread];
}

/* `held` is an acquire whose section the edge ends in. */
static bool order_others(struct search *search, struct edge edge, uint32_t held, bool *grew)
{
    const struct search_index *index = search->index;
    const struct event *acquire = event_at(index, held);
    uint32_t lock = event_lock(acquire);
    closure_why(search, edge.after, &edge.why);
    for (uint32_t i = index->users.start[lock]; i < index->users.start[lock + 1]; i++) {
        uint32_t thread = index->users.items[i];
        if (thread == acquire->thread)
            continue;
        uint32_t other =
            index_last_section(index, lock, thread, count_before(index, &edge, thread), acquire);
        if (other == POS_NONE)
            continue;
        uint32_t release = index->partner[other];
        if (release == POS_NONE)
            return false;
        if (clocks_ordered(index, release, held) || closure_has_order(search, release, held))
            continue;
        *grew = true;
        if (!closure_order(search, release, held, &edge.why))
            return false;
    }
    return true;
}

static bool order_at(struct search *search, size_t number, bool *grew)
{
    const struct search_index *index = search->index;
    const struct edge edge = search->edges.items[number];
    if (!in_set(search, edge.after))
        return true;
    for (uint32_t node = index_held(index, edge.after); node != HELD_NONE;
         node = index->nodes[node].next)
        if (!order_others(search, edge, index->nodes[node].acquire, grew))
            return false;
    return true;
}

bool sections_follow(struct search *search)
{
    if (!search->by_clocks)
        return true;
    for (bool grew = true; grew;) {
        grew = false;
        size_t count = search->edges.count, from = count > EDGES_MAX ? count - EDGES_MAX : 0;
        search->steps += (count - from) / 8;
        for (size_t i = from; i < count; i++)
            if (!order_at(search, i, &grew))
                return false;
        if (grew && !closure_complete(search))
            return false;
    }
    return true;
}
