/* SPDX-License-Identifier: MIT */
/* Follow who waits for whom until a thread comes up twice. If a witness took every lock
 * and every write of that cycle in the schedule's order, each event of the cycle
 * would have to come before itself; so it takes one of them the other way round.
 * These are the options. If the walk ends at a lock whose holder never releases
 * it within S, there are two: the holder goes on to its release, or it comes
 * later. */
#include "search/clause.h"

struct link {
    uint32_t to; /* the thread that is waited for; UINT32_MAX if there is no single one */
    bool open;   /* the holder's release is not in S */
    struct option keep, reverse;
    struct levels why;
};

static const struct option NO_OPTION = {POS_NONE, POS_NONE, POS_NONE};

static bool is_option(const struct option *option)
{
    return option->before != POS_NONE || option->include != POS_NONE;
}

struct option clause_order(const struct search *search, uint32_t before, uint32_t after)
{
    const struct history *history = search->index->history;
    if (before == POS_NONE || after == POS_NONE)
        return NO_OPTION;
    uint32_t thread = thread_at(search->index, before);
    if (history->index[before] >= search->ceiling[thread])
        return NO_OPTION;
    if (thread == thread_at(search->index, after) &&
        history->index[before] >= history->index[after])
        return NO_OPTION;
    return (struct option){before, after, POS_NONE};
}

void clause_add(struct clause *clause, struct option option)
{
    if (is_option(&option))
        array_push(&clause->options, option);
}

/* An open section of the lock that excludes `event`. */
static uint32_t holder(const struct search *search, const struct event *event)
{
    const struct search_index *index = search->index;
    uint32_t lock = event_lock(event);
    if (search->locks[lock].owner != POS_NONE)
        return search->locks[lock].owner;
    for (uint32_t i = search->executed; i-- > 0;) {
        uint32_t pos = search->order[i];
        const struct event *other = event_at(index, pos);
        if (other->op != EVENT_ACQUIRE_READ || !event_acquires(other) || other->object != lock)
            continue;
        uint32_t release = index->partner[pos];
        if (release == POS_NONE || !was_executed(search, release))
            return pos;
    }
    return POS_NONE;
}

static void link_event(const struct search *search, uint32_t pos, uint32_t what, struct link *link)
{
    const struct search_index *index = search->index;
    link->to = thread_at(index, what);
    closure_why(search, pos, &link->why);
    if (pos == search->last)
        closure_why(search, what, &link->why);
    if (index->model == MODEL_BRANCH)
        levels_set_up_to(&link->why, search->level);
    if (what == index_before(index, pos) || what == index->history->fork_of[thread_at(index, pos)])
        return;
    for (size_t i = 0; i < search->edges.count; i++) {
        const struct edge *edge = &search->edges.items[i];
        if (edge->before == what && edge->after == pos) {
            levels_add(&link->why, &edge->why);
            return;
        }
    }
}

static void link_lock(const struct search *search, uint32_t pos, struct link *link)
{
    const struct search_index *index = search->index;
    uint32_t held = holder(search, event_at(index, pos));
    uint32_t release = index->partner[held];
    link->to = thread_at(index, held);
    link->open = release == POS_NONE || !in_set(search, release);
    link->keep = clause_order(search, release, pos);
    link->reverse = clause_order(search, index->partner[pos], held);
    closure_why(search, pos, &link->why);
    closure_why(search, held, &link->why);
}

static uint32_t pending_reader(const struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    uint32_t variable = event_at(index, pos)->object, last = search->memory[variable].last;
    const struct index_parts *parts = index_with(index, INDEX_READERS);
    const struct event_lists *lists = last == POS_NONE ? &parts->initial : &parts->readers;
    uint32_t key = last == POS_NONE ? variable : last;
    for (uint32_t i = lists->start[key]; i < lists->start[key + 1]; i++) {
        uint32_t read = lists->items[i];
        if (read != pos && in_set(search, read) && !was_executed(search, read) &&
            is_bound(search, read))
            return read;
    }
    return POS_NONE;
}

static void link_reader(const struct search *search, uint32_t pos, struct link *link)
{
    const struct search_index *index = search->index;
    uint32_t read = pending_reader(search, pos);
    uint32_t last = search->memory[event_at(index, pos)->object].last;
    link->to = thread_at(index, read);
    link->reverse = clause_order(search, pos, last);
    closure_why(search, pos, &link->why);
    closure_why(search, read, &link->why);
    if (index->model == MODEL_BRANCH)
        levels_set_up_to(&link->why, search->level);
}

static struct link link_of(const struct search *search, uint32_t thread)
{
    struct link link = {UINT32_MAX, false, NO_OPTION, NO_OPTION, {{0}}};
    uint32_t pos = next_event(search, thread), what;
    switch (schedule_blocked(search, pos, &what)) {
    case BLOCK_EVENT:
        link_event(search, pos, what, &link);
        break;
    case BLOCK_LOCK:
        link_lock(search, pos, &link);
        break;
    case BLOCK_READER:
        link_reader(search, pos, &link);
        break;
    default:
        break;
    }
    return link;
}

/* The options of the cycle that path[from .. length) closes. */
static void close_cycle(const struct search *search, const uint32_t *path, uint32_t from,
                        uint32_t length, struct clause *clause)
{
    for (uint32_t i = from; i < length; i++) {
        struct link link = link_of(search, path[i]);
        clause_add(clause, link.reverse);
        levels_add(&clause->why, &link.why);
    }
}

bool clause_follow(const struct search *search, uint32_t thread, uint32_t *path,
                   struct clause *clause)
{
    uint32_t length = 0;
    for (;;) {
        for (uint32_t i = 0; i < length; i++)
            if (path[i] == thread) {
                close_cycle(search, path, i, length, clause);
                return true;
            }
        struct link link = link_of(search, thread);
        if (link.to == UINT32_MAX)
            return false;
        if (link.open) {
            clause_add(clause, link.reverse);
            clause_add(clause, link.keep);
            levels_add(&clause->why, &link.why);
            return true;
        }
        path[length++] = thread;
        thread = link.to;
    }
}
