/* SPDX-License-Identifier: MIT */
/* Who can still end a wait: a signal that comes after the wait's begin and before its return. What
 * comes before the begin by must-order and by the edges so far is too early, what a ceiling cuts
 * off or the return itself precedes is too late. If nobody is left, there is no witness; if only
 * one thread is, its first signal that is left comes before the return, and its last one after the
 * begin. Such orders make other signals too early in turn. */
#include "base/sorted.h"
#include "search/clocks.h"
#include "search/state.h"

enum {
    RETURNS = 4,    /* of a thread that are looked at, the last ones */
    ROUNDS = 8,     /* in each of which there was a new order */
    EDGES_MAX = 64, /* beyond that, edges are not followed */
};

/* Signals of one thread that may end a wait. */
struct wakers {
    uint32_t first, last; /* POS_NONE: there are none */
};

struct waiting {
    struct search *search;
    uint32_t begin, end;
    uint32_t *past; /* by thread: events that must come before the begin, itself included */
};

static bool in_past(const struct waiting *waiting, uint32_t pos)
{
    const struct search_index *index = waiting->search->index;
    return index->history->index[pos] < waiting->past[thread_at(index, pos)];
}

static void join_past(struct waiting *waiting, uint32_t pos)
{
    const struct search_index *index = waiting->search->index;
    const uint32_t *past = clocks_past(index_clocks(index), pos);
    uint32_t own = thread_at(index, pos), count = index->history->index[pos] + 1;
    for (uint32_t thread = 0; thread < index->history->threads; thread++) {
        uint32_t known = thread == own ? count : past[thread];
        if (known > waiting->past[thread])
            waiting->past[thread] = known;
    }
}

/* False if the begin would have to come before itself. */
static bool find_past(struct waiting *waiting)
{
    const struct search *search = waiting->search;
    const struct search_index *index = search->index;
    size_t edges = search->edges.count <= EDGES_MAX ? search->edges.count : 0;
    memset(waiting->past, 0, index->history->threads * sizeof *waiting->past);
    join_past(waiting, waiting->begin);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < edges; i++) {
            const struct edge *edge = &search->edges.items[i];
            if (!in_past(waiting, edge->after) || in_past(waiting, edge->before))
                continue;
            join_past(waiting, edge->before);
            again = true;
        }
    }
    return waiting->past[thread_at(index, waiting->begin)] ==
           index->history->index[waiting->begin] + 1;
}

static bool wakes(const struct waiting *waiting, uint32_t pos)
{
    const struct event *event = event_at(waiting->search->index, pos);
    return (event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST) &&
           event->object == event_at(waiting->search->index, waiting->begin)->object;
}

static struct wakers wakers_of(const struct waiting *waiting, uint32_t thread)
{
    const struct search *search = waiting->search;
    const struct search_index *index = search->index;
    const uint32_t *number = index->history->index, *items = index->stateful.items;
    uint32_t low = index->stateful.start[thread], high = index->stateful.start[thread + 1];
    low = SORTED_POINT(middle, low, high, number[items[middle]] < waiting->past[thread]);
    high = SORTED_POINT(middle, low, high,
                        number[items[middle]] < search->ceiling[thread] &&
                            !clocks_ordered(index, waiting->end, items[middle]));
    while (low < high && !wakes(waiting, items[low]))
        low++;
    while (low < high && !wakes(waiting, items[high - 1]))
        high--;
    return low < high ? (struct wakers){items[low], items[high - 1]}
                      : (struct wakers){POS_NONE, POS_NONE};
}

/* False if S would contain what no witness has. */
static bool put_in_order(struct search *search, uint32_t before, uint32_t after, bool *grew)
{
    struct levels why = {{0}};
    if (closure_has_order(search, before, after))
        return true;
    levels_set_up_to(&why, search->level);
    *grew = true;
    return closure_order(search, before, after, &why);
}

static bool oblige_waker(struct waiting *waiting, bool *grew)
{
    struct search *search = waiting->search;
    struct wakers found = {POS_NONE, POS_NONE};
    if (!find_past(waiting))
        return false;
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++) {
        struct wakers wakers = {POS_NONE, POS_NONE};
        if (thread != thread_at(search->index, waiting->end))
            wakers = wakers_of(waiting, thread);
        if (wakers.first == POS_NONE)
            continue;
        if (found.first != POS_NONE)
            return true;
        found = wakers;
    }
    return found.first != POS_NONE && put_in_order(search, found.first, waiting->end, grew) &&
           put_in_order(search, waiting->begin, found.last, grew);
}

/* The last returns of the thread in S. */
static bool oblige_wakers(struct waiting *waiting, uint32_t thread, bool *grew)
{
    struct search *search = waiting->search;
    const struct search_index *index = search->index;
    const struct history *history = index->history;
    const uint32_t *items = index->stateful.items;
    uint32_t first = index->stateful.start[thread], returns = 0;
    uint32_t after = SORTED_POINT(middle, first, index->stateful.start[thread + 1],
                                  history->index[items[middle]] < search->cut[thread]);
    while (after-- > first && returns < RETURNS) {
        const struct event *event = event_at(index, items[after]);
        if (event->op != EVENT_WAIT_END || event->flags & EVENT_FAILED)
            continue;
        returns++;
        search->steps++;
        waiting->end = items[after];
        waiting->begin = history_pos(history, thread, history->index[waiting->end] - 1);
        if (!oblige_waker(waiting, grew))
            return false;
    }
    return true;
}

bool wakers_suffice(struct search *search)
{
    uint32_t threads = search->index->history->threads;
    if (!trace_count(search->index->history->trace, CLASS_CONDITION))
        return true;
    struct waiting waiting = {.search = search, .past = memory_alloc(threads, sizeof(uint32_t))};
    bool enough = true, grew = true;
    for (int round = 0; round < ROUNDS && grew && enough; round++) {
        grew = false;
        for (uint32_t thread = 0; thread < threads && enough; thread++)
            enough = oblige_wakers(&waiting, thread, &grew);
        enough = enough && (!grew || closure_complete(search));
    }
    free(waiting.past);
    return enough;
}
