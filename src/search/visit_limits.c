/* SPDX-License-Identifier: MIT */
/* Which events may help: those of S, and beyond S what could provide a signal, a post, a
 * holder for a failed try or a value; and everything up to where a thread that helped
 * holds no lock. Whatever comes later only stands in the way. */
#include "search/visit_state.h"

struct limits {
    struct visit *visit;
    uint32_t *scanned;
    bool grew;
};

static void raise_limit(struct limits *limits, uint32_t thread, uint32_t count)
{
    const struct search *search = limits->visit->search;
    const struct search_index *index = search->index;
    uint32_t most = history_thread_length(index->history, thread);
    if (most > search->ceiling[thread])
        most = search->ceiling[thread];
    while (count < most && index_held_before(index, thread, count) != HELD_NONE)
        count++;
    if (count > most)
        count = most;
    if (count <= limits->visit->limit[thread])
        return;
    limits->visit->limit[thread] = count;
    limits->grew = true;
}

static void ask(struct limits *limits, uint32_t pos)
{
    const struct search_index *index = limits->visit->search->index;
    if (pos != POS_NONE)
        raise_limit(limits, thread_at(index, pos), index->history->index[pos] + 1);
}

typedef bool relation(const struct event *event, const struct event *other);

/* The last use of the object by each other thread that may help the event. */
static void ask_users(struct limits *limits, uint32_t object, const struct event *event,
                      relation *helps)
{
    const struct search *search = limits->visit->search;
    const struct uses *uses = &limits->visit->uses;
    for (uint32_t u = uses->start[object]; u < uses->start[object + 1]; u++) {
        const struct object_user *user = &uses->users[u];
        if (user->thread == event->thread)
            continue;
        for (uint32_t i = user->end; i-- > user->begin;) {
            if (uses->items[i] < limits->visit->limit[user->thread])
                break;
            if (uses->items[i] >= search->ceiling[user->thread])
                continue;
            uint32_t pos = history_pos(search->index->history, user->thread, uses->items[i]);
            if (!helps(event, event_at(search->index, pos)))
                continue;
            ask(limits, pos);
            break;
        }
    }
}

static bool wakes(const struct event *event, const struct event *other)
{
    (void)event;
    return other->op == EVENT_SIGNAL || other->op == EVENT_BROADCAST;
}

static bool holds(const struct event *event, const struct event *other)
{
    return event_acquires(other) && sections_exclude(other, event);
}

/* For a failed take, others that lower the count; else those that raise it. */
static bool counts(const struct event *event, const struct event *other)
{
    return event->flags & EVENT_FAILED
               ? other->op == EVENT_SEM_WAIT && !(other->flags & EVENT_FAILED)
               : other->op == EVENT_POST;
}

static bool writes(const struct event *event, const struct event *other)
{
    (void)event;
    return event_writes(other);
}

static void ask_instance(struct limits *limits, uint32_t instance)
{
    const struct event_lists *enters = &limits->visit->search->index->enters;
    if (instance == POS_NONE)
        return;
    for (uint32_t i = enters->start[instance]; i < enters->start[instance + 1]; i++)
        ask(limits, enters->items[i]);
}

static void ask_for(struct limits *limits, uint32_t pos)
{
    const struct search_index *index = limits->visit->search->index;
    const struct uses *uses = &limits->visit->uses;
    const struct event *event = event_at(index, pos);
    bool failed = event->flags & EVENT_FAILED;
    ask(limits, index_before(index, pos));
    if (event->op == EVENT_WAIT_END && !failed)
        ask_users(limits, uses->conditions + event->object, event, wakes);
    else if (event->op != EVENT_WAIT_END && op_in(event->op, OPS_ACQUIRING) && failed)
        ask_users(limits, event->object, event, holds);
    else if (event->op == EVENT_SEM_WAIT)
        ask_users(limits, uses->semaphores + event->object, event, counts);
    else if (event->op == EVENT_BARRIER_EXIT)
        ask_instance(limits, event->other);
    else if (event->op == EVENT_BARRIER_ENTER)
        ask_instance(limits, index->rules->previous_instance[event->other]);
    else if (index_keep(index, pos) == KEEP_VALUE)
        ask_users(limits, uses->variables + event->object, event, writes);
}

void visit_limit(struct visit *visit)
{
    const struct search *search = visit->search;
    const struct history *history = search->index->history;
    struct limits limits = {visit, NEW_ARRAY(uint32_t, history->threads), true};
    memset(visit->limit, 0, history->threads * sizeof *visit->limit);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        raise_limit(&limits, thread, search->cut[thread]);
    for (uint32_t i = 0; i < search->query.count && search->query.goal == SEARCH_DEADLOCK; i++)
        if (event_at(search->index, search->query.events[i])->op == EVENT_WAIT_END)
            ask_for(&limits, search->query.events[i]);
    while (limits.grew) {
        limits.grew = false;
        for (uint32_t thread = 0; thread < history->threads; thread++) {
            if (visit->limit[thread])
                ask(&limits, history->fork_of[thread]);
            while (limits.scanned[thread] < visit->limit[thread])
                ask_for(&limits, history_pos(history, thread, limits.scanned[thread]++));
        }
    }
    free(limits.scanned);
}
