/* A stuck schedule, explained. Every thread that is not done waits: for an event,
 * for a lock, or (a write) for a read that must still see the old value. Follow
 * who waits for whom until a thread comes up twice. If a witness took every lock
 * and every write of that cycle in the schedule's order, each event of the cycle
 * would have to come before itself; so it takes one of them the other way round.
 * These are the options. If the walk ends at a lock whose holder never releases
 * it within S, there are two: the holder goes on to its release, or it comes
 * later.
 *
 * Semaphores, condition variables, failed tries and values have no single event
 * to wait for. For them, look at the first event of a witness that the schedule
 * has not executed: it is the next one of some thread, and what blocks it here
 * must differ there, or the witness has events beyond S that help. One option a
 * thread and reason covers all witnesses. */
#include "search/state.h"

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

/* An order of two events; none if it contradicts program order or the ceiling. */
static struct option order_option(const struct search *search, uint32_t before, uint32_t after)
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

static void add_option(struct clause *clause, struct option option)
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
        uint32_t pos = search->order[i], release = index->partner[pos];
        const struct event *other = event_at(index, pos);
        if (other->op == EVENT_ACQUIRE_READ && event_acquires(other) && other->object == lock &&
            (release == POS_NONE || !was_executed(search, release)))
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
    if (what == index->before[pos] || what == index->history->fork_of[thread_at(index, pos)])
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
    link->keep = order_option(search, release, pos);
    link->reverse = order_option(search, index->partner[pos], held);
    closure_why(search, pos, &link->why);
    closure_why(search, held, &link->why);
}

static uint32_t pending_reader(const struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    uint32_t variable = event_at(index, pos)->object, last = search->memory[variable].last;
    const struct event_lists *lists = last == POS_NONE ? &index->initial : &index->readers;
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
    link->reverse = order_option(search, pos, last);
    closure_why(search, pos, &link->why);
    closure_why(search, read, &link->why);
    if (index->model == MODEL_BRANCH)
        levels_set_up_to(&link->why, search->level);
}

static uint32_t next_event(const struct search *search, uint32_t thread)
{
    return history_pos(search->index->history, thread, search->done[thread]);
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
        add_option(clause, link.reverse);
        levels_add(&clause->why, &link.why);
    }
}

/* Follows the waiting from `thread`; false if it leads to a thread that waits for
 * no single event. */
static bool walk(const struct search *search, uint32_t thread, uint32_t *path,
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
            add_option(clause, link.reverse);
            add_option(clause, link.keep);
            levels_add(&clause->why, &link.why);
            return true;
        }
        path[length++] = thread;
        thread = link.to;
    }
}

/* Operations of the same kind as the blocked one whose other place could help:
 * for each thread but its own the last one executed. */
static void later_than(const struct search *search, uint32_t pos,
                       bool (*matters)(const struct event *blocked, const struct event *other),
                       struct clause *clause)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    bool *seen = NEW_ARRAY(bool, index->history->threads);
    seen[event->thread] = true;
    for (uint32_t i = search->executed; i-- > 0;) {
        const struct event *other = event_at(index, search->order[i]);
        if (seen[other->thread] || !matters(event, other))
            continue;
        seen[other->thread] = true;
        add_option(clause, order_option(search, pos, search->order[i]));
    }
    free(seen);
}

static bool takes_count(const struct event *blocked, const struct event *other)
{
    enum event_op op = blocked->flags & EVENT_FAILED ? EVENT_POST : EVENT_SEM_WAIT;
    return other->op == op && other->object == blocked->object && !(other->flags & EVENT_FAILED);
}

static bool frees_lock(const struct event *blocked, const struct event *other)
{
    return event_releases(other) && event_lock(other) == blocked->object;
}

static bool same_condition(const struct event *blocked, const struct event *other)
{
    return event_object_class(other->op) == CLASS_CONDITION && other->object == blocked->object;
}

static bool same_variable(const struct event *blocked, const struct event *other)
{
    return event_writes(other) && other->object == blocked->object;
}

/* Neighbours among the executed operations of one object, the other way round:
 * two different orders of one set differ in neighbours of the first. */
static void swap_neighbours(const struct search *search, const struct event *event,
                            bool (*matters)(const struct event *blocked, const struct event *other),
                            struct clause *clause)
{
    uint32_t previous = POS_NONE;
    for (uint32_t i = 0; i < search->executed; i++) {
        uint32_t pos = search->order[i];
        if (!matters(event, event_at(search->index, pos)))
            continue;
        if (previous != POS_NONE)
            add_option(clause, order_option(search, pos, previous));
        previous = pos;
    }
}

/* What must be different in a witness whose first event beyond the schedule is
 * `pos`, which is in S. */
static void options_of(const struct search *search, uint32_t pos, struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    struct link link;
    uint32_t what;
    switch (schedule_blocked(search, pos, &what)) {
    case BLOCK_LOCK:
    case BLOCK_READER:
        link = link_of(search, event->thread);
        add_option(clause, link.reverse);
        break;
    case BLOCK_COUNT:
        later_than(search, pos, takes_count, clause);
        break;
    case BLOCK_TRY:
        later_than(search, pos, frees_lock, clause);
        break;
    case BLOCK_SIGNAL:
        later_than(search, pos, same_condition, clause);
        swap_neighbours(search, event, same_condition, clause);
        break;
    case BLOCK_VALUE:
        later_than(search, pos, same_variable, clause);
        swap_neighbours(search, event, same_variable, clause);
        break;
    default:
        break;
    }
}

/* Could an event beyond S change what an event of S may do, other than by being
 * asked for by it? The release of a lock that S leaves held, and operations of
 * objects with a state. Whatever else a witness has beyond S, it can do without. */
static bool may_help(const struct search *search, uint32_t pos)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    if (event_releases(event) && index->partner[pos] != POS_NONE &&
        in_set(search, index->partner[pos]))
        return true;
    if (event_acquires(event) && index->has_failed_tries)
        return true;
    if (index->model == MODEL_VALUE && event_writes(event))
        return true;
    return event_object_class(event->op) == CLASS_CONDITION || event->op == EVENT_POST ||
           event->op == EVENT_SEM_WAIT;
}

/* For each thread, the next event beyond S that may help. */
static void extend(const struct search *search, struct clause *clause)
{
    const struct history *history = search->index->history;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t limit = history_thread_length(history, thread);
        if (limit > search->ceiling[thread])
            limit = search->ceiling[thread];
        uint32_t next = search->cut[thread];
        while (next < limit && !may_help(search, history_pos(history, thread, next)))
            next++;
        if (next < limit)
            add_option(clause,
                       (struct option){POS_NONE, POS_NONE, history_pos(history, thread, next)});
    }
}

void clause_find(struct search *search, struct clause *clause)
{
    uint32_t *path = memory_alloc(search->index->history->threads + 1, sizeof *path);
    for (uint32_t i = 0; i < search->parked_count; i++)
        if (walk(search, search->parked[i].thread, path, clause)) {
            free(path);
            return;
        }
    free(path);
    levels_set_up_to(&clause->why, search->level);
    for (uint32_t i = 0; i < search->parked_count; i++)
        options_of(search, next_event(search, search->parked[i].thread), clause);
    extend(search, clause);
}

void clause_unwoken(struct search *search, uint32_t target, struct clause *clause)
{
    levels_set_up_to(&clause->why, search->level);
    swap_neighbours(search, event_at(search->index, target), same_condition, clause);
    extend(search, clause);
}
