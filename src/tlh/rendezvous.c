/* SPDX-License-Identifier: MIT */
#include "tlh/rendezvous.h"

#include "base/array.h"
#include "search/index.h"

struct meeting {
    uint32_t done[2];
    uint32_t after; /* pos */
    bool signal;    /* what follows the wait's return follows the signal */
};

struct meetings_of_pair {
    struct meetings ARRAY_OF(struct meeting) list;
};

/* What a condition variable is used for in all. */
struct condition_use {
    uint32_t waits, signals;
    uint32_t wait_begin, signal; /* one of them, pos */
    bool woken;
};

struct rendezvous {
    const struct search_index *index;
    uint32_t threads;
    struct meetings_of_pair *pairs; /* lower thread * threads + higher one */
};

static void add(struct rendezvous *rendezvous, uint32_t a, uint32_t b)
{
    const struct history *history = rendezvous->index->history;
    uint32_t threads[2] = {history->events[a].thread, history->events[b].thread};
    if (threads[0] == threads[1])
        return;
    bool swap = threads[0] > threads[1];
    uint32_t low = swap ? b : a, high = swap ? a : b;
    struct meeting meeting = {{history->index[low] + 1, history->index[high] + 1},
                              (a > b ? a : b) + 1,
                              history->events[b].op != EVENT_BARRIER_ENTER};
    array_push(&rendezvous
                    ->pairs[(size_t)history->events[low].thread * rendezvous->threads +
                            history->events[high].thread]
                    .list,
               meeting);
}

static void add_fork(struct rendezvous *rendezvous, uint32_t pos)
{
    const struct history *history = rendezvous->index->history;
    uint32_t parent = history->events[pos].thread, child = history->events[pos].object;
    bool swap = parent > child;
    struct meeting meeting = {{0, 0}, pos + 1, false};
    meeting.done[swap] = history->index[pos] + 1;
    uint32_t low = swap ? child : parent, high = swap ? parent : child;
    array_push(&rendezvous->pairs[(size_t)low * rendezvous->threads + high].list, meeting);
}

/* Everybody at the barrier meets everybody; seen when the last one enters. */
static void add_barrier(struct rendezvous *rendezvous, uint32_t pos)
{
    const struct event_lists *enters = &rendezvous->index->enters;
    uint32_t instance = event_at(rendezvous->index, pos)->other;
    uint32_t start = enters->start[instance], end = enters->start[instance + 1];
    if (enters->items[end - 1] != pos)
        return;
    for (uint32_t i = start; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++)
            add(rendezvous, enters->items[i], enters->items[j]);
}

static void note_condition(struct condition_use *uses, const struct event *event, uint32_t pos)
{
    struct condition_use *use = &uses[event->object];
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        use->waits++;
        use->wait_begin = pos;
        break;
    case EVENT_WAIT_END:
        use->woken |= !(event->flags & EVENT_FAILED);
        break;
    default:
        use->signals++;
        use->signal = pos;
    }
}

static struct condition_use *find_uses(const struct history *history)
{
    struct condition_use *uses =
        NEW_ARRAY(struct condition_use, trace_count(history->trace, CLASS_CONDITION));
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (event_object_class(history->events[pos].op) == CLASS_CONDITION)
            note_condition(uses, &history->events[pos], pos);
    return uses;
}

struct rendezvous *rendezvous_create(const struct search_index *index)
{
    const struct history *history = index->history;
    struct rendezvous *rendezvous = NEW(struct rendezvous);
    rendezvous->index = index;
    rendezvous->threads = history->threads;
    rendezvous->pairs =
        NEW_ARRAY(struct meetings_of_pair, (size_t)history->threads * history->threads);
    struct condition_use *uses = find_uses(history);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_FORK)
            add_fork(rendezvous, pos);
        else if (event->op == EVENT_BARRIER_ENTER)
            add_barrier(rendezvous, pos);
        else if (event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST) {
            const struct condition_use *use = &uses[event->object];
            if (use->waits == 1 && use->signals == 1 && use->woken)
                add(rendezvous, use->wait_begin, pos);
        }
    }
    free(uses);
    return rendezvous;
}

void rendezvous_destroy(struct rendezvous *rendezvous)
{
    if (!rendezvous)
        return;
    for (size_t i = 0; i < (size_t)rendezvous->threads * rendezvous->threads; i++)
        array_free(&rendezvous->pairs[i].list);
    free(rendezvous->pairs);
    free(rendezvous);
}

/* Is it the waiting thread that has come further? */
static bool is_past_wait(const struct rendezvous *rendezvous, const struct meeting *meeting,
                         uint32_t low, const uint32_t at[2])
{
    const struct history *history = rendezvous->index->history;
    uint32_t last = history_pos(history, low, meeting->done[0] - 1);
    bool low_waits = history->events[last].op == EVENT_WAIT_BEGIN;
    return low_waits ? at[0] > meeting->done[0] : at[1] > meeting->done[1];
}

bool rendezvous_ordered(const struct rendezvous *rendezvous, const uint32_t targets[2])
{
    const struct history *history = rendezvous->index->history;
    uint32_t threads[2] = {history->events[targets[0]].thread, history->events[targets[1]].thread};
    int low = threads[0] > threads[1];
    uint32_t at[2] = {history->index[targets[low]], history->index[targets[!low]]};
    const struct meetings_of_pair *pair =
        &rendezvous->pairs[(size_t)threads[low] * rendezvous->threads + threads[!low]];
    for (size_t i = 0; i < pair->list.count; i++) {
        const struct meeting *meeting = &pair->list.items[i];
        /* One has returned from the wait, the other has not signalled. */
        if (meeting->signal &&
            ((at[0] > meeting->done[0] && at[1] < meeting->done[1]) ||
             (at[1] > meeting->done[1] && at[0] < meeting->done[0])) &&
            is_past_wait(rendezvous, meeting, threads[low], at))
            return true;
    }
    return false;
}

uint32_t rendezvous_last(struct rendezvous *rendezvous, const uint32_t targets[2], uint32_t done[2])
{
    const struct history *history = rendezvous->index->history;
    uint32_t threads[2] = {history->events[targets[0]].thread, history->events[targets[1]].thread};
    int low = threads[0] > threads[1];
    const struct meetings_of_pair *pair =
        &rendezvous->pairs[(size_t)threads[low] * rendezvous->threads + threads[!low]];
    done[0] = done[1] = 0;
    for (size_t i = pair->list.count; i-- > 0;) {
        const struct meeting *meeting = &pair->list.items[i];
        if (meeting->done[0] > history->index[targets[low]] ||
            meeting->done[1] > history->index[targets[!low]])
            continue;
        done[low] = meeting->done[0];
        done[!low] = meeting->done[1];
        return meeting->after;
    }
    return 0;
}
