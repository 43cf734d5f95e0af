/* SPDX-License-Identifier: MIT */
/* What must come before what in a window, whatever else is reordered. A thread's clock
 * changes only where another thread's event comes in; a row is kept for each change, and
 * each event knows its row. */
#include "constraints/smt_window.h"

static const struct event *at(const struct smt_window *window, uint32_t pos)
{
    return &window->history->events[pos];
}

/* The event's row; the entry of its own thread is not meant. */
static const uint32_t *row_of(const struct smt_window *window, uint32_t pos)
{
    return window->rows.items + (size_t)window->row[pos - window->start] * window->history->threads;
}

uint32_t smt_must_count(const struct smt_window *window, uint32_t pos, uint32_t thread)
{
    return thread == at(window, pos)->thread ? window->history->index[pos] + 1
                                             : row_of(window, pos)[thread];
}

/* The clocks, while they are made. */
struct making {
    struct smt_window *window;
    uint32_t *now;      /* by thread: its row */
    uint32_t *next;     /* what becomes the row of the event that is looked at */
    bool is_open, grew; /* `next` is filled; it has more than the row before it */
    uint32_t *once_end; /* by once: the end that was seen, or POS_NONE */
};

/* `from` must come before `to`, whose clock is being made. */
static void must_follow(struct making *making, uint32_t from, uint32_t to)
{
    struct smt_window *window = making->window;
    const struct history *history = window->history;
    uint32_t threads = history->threads, thread = at(window, to)->thread, *next = making->next;
    if (from == POS_NONE || from < window->start)
        return;
    if (!making->is_open) {
        memcpy(next, window->rows.items + (size_t)making->now[thread] * threads,
               threads * sizeof *next);
        next[thread] = history->index[to];
        making->is_open = true;
    }
    uint32_t own = at(window, from)->thread;
    if (next[own] > history->index[from])
        return;
    const uint32_t *other = row_of(window, from);
    for (uint32_t i = 0; i < threads; i++)
        if (other[i] > next[i])
            next[i] = other[i];
    next[own] = history->index[from] + 1;
    making->grew = true;
    array_push(&window->edges, ((struct smt_edge){from, to}));
}

/* The only write that the read may see, POS_NONE if there are several or if it
 * is what the window starts with. */
static uint32_t only_writer(const struct smt_window *window, uint32_t read)
{
    uint32_t only = window->rules->reads_from[read];
    if (only == POS_NONE || only < window->start)
        return POS_NONE;
    if (window->rules->model != MODEL_VALUE)
        return only;
    uint32_t variable = at(window, read)->object;
    if (smt_may_see(window, read, POS_NONE))
        return POS_NONE;
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1]; i++)
        if (window->writes.items[i] != only && smt_may_see(window, read, window->writes.items[i]))
            return POS_NONE;
    return only;
}

static void follow_all_entered(struct making *making, uint32_t instance, uint32_t to)
{
    const struct smt_lists *enters = &making->window->enters;
    if (instance == POS_NONE)
        return;
    for (uint32_t i = enters->offset[instance]; i < enters->offset[instance + 1]; i++)
        must_follow(making, enters->items[i], to);
}

/* Once a branch is executed, every read before it saw what it saw. */
static void follow_reads_of_branch(struct making *making, uint32_t pos)
{
    const struct smt_window *window = making->window;
    const struct history *history = window->history;
    uint32_t thread = at(window, pos)->thread;
    for (uint32_t index = history->index[pos]; index-- > window->baseline[thread];) {
        uint32_t earlier = history_pos(history, thread, index);
        if (at(window, earlier)->op == EVENT_BRANCH)
            break;
        if (event_reads(at(window, earlier)))
            must_follow(making, only_writer(window, earlier), pos);
    }
}

/* Of a thread without events: its fork. */
static uint32_t last_event(const struct history *history, uint32_t thread)
{
    uint32_t length = history_thread_length(history, thread);
    return length ? history_pos(history, thread, length - 1) : history->fork_of[thread];
}

static void follow_sync(struct making *making, uint32_t pos)
{
    const struct smt_window *window = making->window;
    const struct event *event = at(window, pos);
    switch (event->op) {
    case EVENT_JOIN:
        must_follow(making, last_event(window->history, event->object), pos);
        break;
    case EVENT_BARRIER_EXIT:
        follow_all_entered(making, event->other, pos);
        break;
    case EVENT_BARRIER_ENTER:
        follow_all_entered(making, window->rules->previous_instance[event->other], pos);
        break;
    case EVENT_ONCE_PASS:
        must_follow(making, making->once_end[event->object], pos);
        break;
    case EVENT_ONCE_END:
        making->once_end[event->object] = pos;
        break;
    case EVENT_BRANCH:
        if (window->rules->model == MODEL_BRANCH)
            follow_reads_of_branch(making, pos);
        break;
    default:
        break;
    }
}

static void make_clock(struct making *making, uint32_t pos)
{
    struct smt_window *window = making->window;
    const struct history *history = window->history;
    const struct event *event = at(window, pos);
    uint32_t threads = history->threads;
    making->is_open = making->grew = false;
    if (history->index[pos] == 0)
        must_follow(making, history->fork_of[event->thread], pos);
    if (!op_in(event->op, OPS_ACCESS))
        follow_sync(making, pos);
    else if (event_reads(event) && smt_keeps(window, pos))
        must_follow(making, only_writer(window, pos), pos);
    if (making->grew) {
        making->now[event->thread] = (uint32_t)(window->rows.count / threads);
        array_reserve(&window->rows, window->rows.count + threads);
        memcpy(window->rows.items + window->rows.count, making->next,
               threads * sizeof *making->next);
        window->rows.count += threads;
    }
    window->row[pos - window->start] = making->now[event->thread];
}

void smt_window_make_clocks(struct smt_window *window)
{
    uint32_t threads = window->history->threads;
    uint32_t onces = trace_count(window->history->trace, CLASS_ONCE);
    struct making making = {.window = window,
                            .now = NEW_ARRAY(uint32_t, threads),
                            .next = NEW_ARRAY(uint32_t, threads),
                            .once_end = memory_alloc(onces, sizeof *making.once_end)};
    memset(making.once_end, 0xff, onces * sizeof *making.once_end);
    window->row = memory_alloc(window->end - window->start, sizeof *window->row);
    for (uint32_t thread = 0; thread < threads; thread++) /* row 0: what came before */
        array_push(&window->rows, window->baseline[thread]);
    for (uint32_t pos = window->start; pos < window->end; pos++)
        make_clock(&making, pos);
    free(making.now);
    free(making.next);
    free(making.once_end);
}

/* Is `pos` among what must have come when `by`, of the window, has? */
static bool is_covered(const struct smt_window *window, uint32_t by, uint32_t pos)
{
    return smt_must_count(window, by, at(window, pos)->thread) > window->history->index[pos];
}

bool smt_must(const struct smt_window *window, uint32_t a, uint32_t b)
{
    if (a == b)
        return false;
    if (a < window->start)
        return b >= window->start || a < b;
    return b >= window->start && is_covered(window, b, a);
}

bool smt_must_precede(const struct smt_window *window, uint32_t a, uint32_t b)
{
    const struct history *history = window->history;
    uint32_t thread = at(window, b)->thread, index = history->index[b];
    if (a < window->start)
        return true;
    if (index > window->baseline[thread])
        return is_covered(window, history_pos(history, thread, index - 1), a);
    uint32_t fork = index ? POS_NONE : history->fork_of[thread];
    return fork != POS_NONE && fork >= window->start && is_covered(window, fork, a);
}
