/* SPDX-License-Identifier: MIT */
/* Executes the set S event by event, always the earliest in the observed order
 * that may be executed. Where the observed order of S is possible, this is it;
 * where it is not, threads wait for locks as they would in a real run, and a
 * write waits until the kept reads of the value it overwrites are done.
 *
 * As far as S has everything, and no edge says otherwise, that is the observed order: the
 * schedule begins after it, and what an object was then like is looked up when it is first
 * used. So its cost is that of what follows. */
#include "search/state.h"

/* Could executing `pos` let the parked thread go on? */
static bool helps(const struct parked *parked, uint32_t pos, const struct event *event)
{
    switch (parked->block) {
    case BLOCK_EVENT:
        return parked->what == pos;
    case BLOCK_LOCK:
        return event_releases(event) && event_lock(event) == parked->what;
    case BLOCK_TRY:
        return event_acquires(event) && event_lock(event) == parked->what;
    case BLOCK_READER:
    case BLOCK_VALUE:
        return op_in(event->op, OPS_ACCESS) && event->object == parked->what;
    case BLOCK_COUNT:
        return (event->op == EVENT_POST || event->op == EVENT_SEM_WAIT) &&
               event->object == parked->what;
    default:
        return event_object_class(event->op) == CLASS_CONDITION && event->object == parked->what;
    }
}

static uint32_t next_of(const struct search *search, uint32_t thread)
{
    return history_pos(search->index->history, thread, search->done[thread]);
}

static void heap_add(struct search *search, uint32_t thread)
{
    uint32_t hole = search->heap_size++, pos = next_of(search, thread);
    while (hole && next_of(search, search->heap[(hole - 1) / 2]) > pos) {
        search->heap[hole] = search->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    search->heap[hole] = thread;
}

static uint32_t heap_take(struct search *search)
{
    uint32_t top = search->heap[0], moved = search->heap[--search->heap_size], hole = 0;
    uint32_t pos = search->heap_size ? next_of(search, moved) : 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= search->heap_size)
            break;
        if (child + 1 < search->heap_size &&
            next_of(search, search->heap[child + 1]) < next_of(search, search->heap[child]))
            child++;
        if (next_of(search, search->heap[child]) >= pos)
            break;
        search->heap[hole] = search->heap[child];
        hole = child;
    }
    search->heap[hole] = moved;
    return top;
}

static void unpark(struct search *search, uint32_t pos)
{
    const struct event *event = event_at(search->index, pos);
    for (uint32_t i = 0; i < search->parked_count;) {
        if (!helps(&search->parked[i], pos, event)) {
            i++;
            continue;
        }
        uint32_t thread = search->parked[i].thread;
        search->parked[i] = search->parked[--search->parked_count];
        heap_add(search, thread);
    }
}

void schedule_clear(struct search *search)
{
    search->stamp++;
    search->began = search->listed = 0;
    search->executed = search->heap_size = search->parked_count = 0;
    memset(search->done, 0, search->index->history->threads * sizeof *search->done);
}

/* Up to where S has everything. */
static uint32_t find_gap(const struct search *search)
{
    const struct history *history = search->index->history;
    uint32_t gap = history->count;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (search->cut[thread] < history_thread_length(history, thread)) {
            uint32_t pos = history_pos(history, thread, search->cut[thread]);
            gap = pos < gap ? pos : gap;
        }
    return gap;
}

/* Up to where the schedule is the observed order. */
static uint32_t find_beginning(const struct search *search)
{
    uint32_t beginning = find_gap(search);
    for (size_t i = 0; i < search->edges.count; i++) {
        const struct edge *edge = &search->edges.items[i];
        if (edge->after < beginning && edge->before > edge->after)
            beginning = edge->after;
    }
    return search->last < beginning ? search->last : beginning;
}

static uint64_t set_size(const struct search *search)
{
    uint64_t size = 0;
    for (size_t i = 0; i < search->cone.count; i++)
        size += search->cut[search->cone.items[i]];
    return size;
}

uint64_t schedule_left(const struct search *search)
{
    return set_size(search) - find_beginning(search);
}

/* The first `count` events of the order are those of the observed one. */
static void list_observed(struct search *search, uint32_t count)
{
    for (uint32_t pos = search->listed; pos < count; pos++)
        search->order[pos] = pos;
    search->listed = search->executed = count;
}

static void reset(struct search *search)
{
    const struct history *history = search->index->history;
    uint32_t listed = search->listed;
    schedule_clear(search);
    search->listed = listed;
    search->began = find_beginning(search);
    list_observed(search, search->began);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        search->begun[thread] =
            search->began ? history_count_before(history, thread, search->began) : 0;
        search->done[thread] = search->begun[thread];
        if (search->done[thread] < search->cut[thread])
            heap_add(search, thread);
    }
}

/* Runs one thread until it blocks, ends, or another thread's turn comes. */
static void run_thread(struct search *search, uint32_t thread)
{
    uint32_t limit = search->heap_size ? next_of(search, search->heap[0]) : UINT32_MAX;
    while (search->done[thread] < search->cut[thread]) {
        uint32_t pos = next_of(search, thread), what;
        if (pos > limit) {
            heap_add(search, thread);
            return;
        }
        enum block block = schedule_blocked(search, pos, &what);
        if (block != BLOCK_NONE) {
            search->parked[search->parked_count++] = (struct parked){thread, block, what};
            return;
        }
        schedule_execute(search, pos);
        if (search->parked_count) {
            unpark(search, pos);
            limit = search->heap_size ? next_of(search, search->heap[0]) : UINT32_MAX;
        }
    }
}

bool schedule_run(struct search *search)
{
    reset(search);
    while (search->heap_size)
        run_thread(search, heap_take(search));
    search->steps += search->executed - search->began;
    return search->parked_count == 0;
}

/* Of every thread what was observed before the last of the question's events, up to where it is
 * stopped; false if that is more than a question of its own is worth. */
static bool widen(struct search *search, uint64_t most)
{
    const struct history *history = search->index->history;
    uint32_t end = 0;
    for (uint32_t i = 0; i < search->query.count; i++) {
        uint32_t pos = search->query.events[i];
        end = pos < history->count && pos > end ? pos : end;
    }
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t count = history_count_before(history, thread, end);
        if (count > search->ceiling[thread])
            count = search->ceiling[thread];
        if (count > search->cut[thread])
            search->cut[thread] = count;
    }
    return schedule_left(search) <= most;
}

static bool has_done(const struct search *search, const uint32_t *needed)
{
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++)
        if (search->done[thread] < needed[thread])
            return false;
    return true;
}

bool schedule_go_on(struct search *search)
{
    uint64_t most = search->limit > search->steps ? search->limit - search->steps : 0;
    closure_push(search);
    bool reached = false;
    if (widen(search, most)) {
        const struct snapshots *saved = &search->snapshots;
        const uint32_t *needed =
            saved->items + saved->count - 4 * (size_t)search->index->history->threads;
        reset(search);
        while (!(reached = has_done(search, needed)) && search->heap_size)
            run_thread(search, heap_take(search));
        search->steps += search->executed - search->began;
    }
    closure_pop(search);
    return reached;
}

void schedule_observed(struct search *search)
{
    uint32_t size = (uint32_t)set_size(search), gap = find_gap(search), *order = search->order;
    list_observed(search, gap);
    uint32_t executed = gap;
    for (uint32_t pos = gap; executed < size; pos++) {
        order[executed] = pos; /* whether it is in S is hard to foresee: no jump */
        executed += in_set(search, pos);
    }
    search->executed = size;
    search->steps += size - gap;
}
