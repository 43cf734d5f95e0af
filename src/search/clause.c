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
 * to wait for. But a witness executes the blocked event too, so there something of
 * its object comes sooner or later than here; for each thread one such option, and
 * for condition variables also the other orders of what was executed, cover all
 * witnesses. */
#include "search/clocks.h"
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
    link->keep = order_option(search, release, pos);
    link->reverse = order_option(search, index->partner[pos], held);
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

typedef bool relation(const struct event *blocked, const struct event *other);

/* For each other thread the first operation still to come, in S or not, that
 * matters: it comes before the blocked one. */
static void sooner(const struct search *search, uint32_t pos, relation *matters,
                   struct clause *clause)
{
    const struct history *history = search->index->history;
    const struct event *event = event_at(search->index, pos);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t limit = history_thread_length(history, thread);
        if (limit > search->ceiling[thread])
            limit = search->ceiling[thread];
        for (uint32_t i = search->done[thread]; thread != event->thread && i < limit; i++) {
            uint32_t other = history_pos(history, thread, i);
            if (!matters(event, event_at(search->index, other)))
                continue;
            add_option(clause, order_option(search, other, pos));
            break;
        }
    }
}

/* For each other thread the last operation executed that matters: `pos`, or what
 * is given as `before`, comes before it. */
static void later(const struct search *search, uint32_t pos, uint32_t before, relation *matters,
                  struct clause *clause)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    bool *seen = NEW_ARRAY(bool, index->history->threads);
    seen[thread_at(index, before)] = true;
    for (uint32_t i = search->executed; i-- > 0;) {
        const struct event *other = event_at(index, search->order[i]);
        if (seen[other->thread] || !matters(event, other) || search->order[i] == before)
            continue;
        seen[other->thread] = true;
        add_option(clause, order_option(search, before, search->order[i]));
    }
    free(seen);
}

static bool raises_count(const struct event *blocked, const struct event *other)
{
    return other->op == EVENT_POST && other->object == blocked->object;
}

static bool lowers_count(const struct event *blocked, const struct event *other)
{
    return other->op == EVENT_SEM_WAIT && other->object == blocked->object &&
           !(other->flags & EVENT_FAILED);
}

static bool takes_lock(const struct event *blocked, const struct event *other)
{
    return event_acquires(other) && event_lock(other) == blocked->object &&
           sections_exclude(other, blocked);
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

/* The part of the schedule after which the condition variable was last without
 * waiting threads: in whatever order its operations up to there come, it is so
 * again. */
static uint32_t quiet_part(const struct search *search, const struct event *event)
{
    uint32_t waiting = 0, quiet = 0;
    for (uint32_t i = 0; i < search->executed; i++) {
        const struct event *other = event_at(search->index, search->order[i]);
        if (!same_condition(event, other))
            continue;
        waiting += other->op == EVENT_WAIT_BEGIN;
        waiting -= other->op == EVENT_WAIT_END;
        if (!waiting)
            quiet = i + 1;
    }
    return quiet;
}

/* For each thread, its last operation of the condition before `place` of the
 * schedule, or its first one from there; POS_NONE for none. */
static uint32_t *operations_around(const struct search *search, const struct event *event,
                                   uint32_t place, bool before)
{
    uint32_t threads = search->index->history->threads;
    uint32_t *found = memory_alloc(threads, sizeof *found);
    memset(found, 0xff, threads * sizeof *found);
    for (uint32_t i = before ? 0 : place; i < (before ? place : search->executed); i++) {
        uint32_t pos = search->order[i], thread = thread_at(search->index, pos);
        if (same_condition(event, event_at(search->index, pos)) &&
            (before || found[thread] == POS_NONE))
            found[thread] = pos;
    }
    return found;
}

static void swap(const struct search *search, uint32_t first, uint32_t second,
                 struct clause *clause)
{
    if (first == POS_NONE || second == POS_NONE ||
        (search->by_clocks && clocks_ordered(search->index, first, second)))
        return;
    add_option(clause, order_option(search, second, first));
}

/* Other orders of the executed operations of a condition variable: one of the quiet
 * part comes after one of the rest, or two neighbours of the rest are the other way
 * round, for two different orders of one set differ in neighbours of the first. */
static void reorder(const struct search *search, const struct event *event, struct clause *clause)
{
    uint32_t quiet = quiet_part(search, event), threads = search->index->history->threads;
    uint32_t *last = operations_around(search, event, quiet, true);
    uint32_t *first = operations_around(search, event, quiet, false);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t j = 0; j < threads; j++)
            if (i != j)
                swap(search, last[i], first[j], clause);
    free(last);
    free(first);
    uint32_t previous = POS_NONE;
    for (uint32_t i = quiet; i < search->executed; i++) {
        if (!same_condition(event, event_at(search->index, search->order[i])))
            continue;
        swap(search, previous, search->order[i], clause);
        previous = search->order[i];
    }
}

/* The conclusion rests on what of the object is in S, and on nothing else. */
static void why_executed(const struct search *search, uint32_t pos, relation *matters,
                         struct levels *why)
{
    closure_why(search, pos, why);
    for (uint32_t i = 0; search->level && i < search->executed; i++)
        if (matters(event_at(search->index, pos), event_at(search->index, search->order[i])))
            closure_why(search, search->order[i], why);
}

/* What must be different in a witness, which executes `pos`: operations of its
 * object come sooner or later than here, or in another order. */
static void options_of(const struct search *search, uint32_t pos, struct clause *clause)
{
    const struct event *event = event_at(search->index, pos);
    bool failed = event->flags & EVENT_FAILED;
    uint32_t what, last;
    switch (schedule_blocked(search, pos, &what)) {
    case BLOCK_COUNT:
        sooner(search, pos, failed ? lowers_count : raises_count, clause);
        later(search, pos, pos, failed ? raises_count : lowers_count, clause);
        why_executed(search, pos, failed ? raises_count : lowers_count, &clause->why);
        break;
    case BLOCK_TRY:
        sooner(search, pos, takes_lock, clause);
        later(search, pos, pos, frees_lock, clause);
        why_executed(search, pos, frees_lock, &clause->why);
        break;
    case BLOCK_SIGNAL:
        sooner(search, pos, same_condition, clause);
        later(search, pos, pos, same_condition, clause);
        reorder(search, event, clause);
        why_executed(search, pos, same_condition, &clause->why);
        break;
    case BLOCK_VALUE:
        last = search->memory[event->object].last;
        sooner(search, pos, same_variable, clause);
        add_option(clause, order_option(search, pos, last));
        if (last != POS_NONE)
            later(search, pos, last, same_variable, clause);
        why_executed(search, pos, same_variable, &clause->why);
        break;
    default:
        break;
    }
}

/* For each thread, the next operation of the condition variable beyond S. */
static void extend(const struct search *search, const struct event *event, struct clause *clause)
{
    const struct history *history = search->index->history;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t limit = history_thread_length(history, thread);
        if (limit > search->ceiling[thread])
            limit = search->ceiling[thread];
        for (uint32_t i = search->cut[thread]; i < limit; i++) {
            uint32_t pos = history_pos(history, thread, i);
            if (!same_condition(event, event_at(search->index, pos)))
                continue;
            add_option(clause, (struct option){POS_NONE, POS_NONE, pos});
            break;
        }
    }
}

/* Any thread that waits for no single event will do; the one with the fewest ways
 * out is the best. */
static void find_fewest(const struct search *search, struct clause *clause)
{
    struct clause other = {{0}, {{0}}};
    bool found = false;
    for (uint32_t i = 0; i < search->parked_count; i++) {
        enum block block = search->parked[i].block;
        if (block == BLOCK_EVENT || block == BLOCK_LOCK || block == BLOCK_READER)
            continue;
        other.options.count = 0;
        other.why = (struct levels){{0}};
        options_of(search, next_event(search, search->parked[i].thread), &other);
        if (found && other.options.count >= clause->options.count)
            continue;
        found = true;
        clause->options.count = 0;
        clause->why = other.why;
        for (size_t k = 0; k < other.options.count; k++)
            array_push(&clause->options, other.options.items[k]);
    }
    array_free(&other.options);
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
    find_fewest(search, clause);
}

void clause_unwoken(struct search *search, uint32_t target, struct clause *clause)
{
    levels_set_up_to(&clause->why, search->level);
    reorder(search, event_at(search->index, target), clause);
    extend(search, event_at(search->index, target), clause);
}
