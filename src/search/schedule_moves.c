/* SPDX-License-Identifier: MIT */
/* One event of a schedule: what keeps it from being executed now, and what its execution changes.
 * Objects are looked up when they are first used: as the observed order up to the beginning of the
 * schedule left them. Which event comes next, schedule.c says. */
#include "base/sorted.h"
#include "search/state.h"

/* As it was when the schedule began. */
static struct lock_now lock_then(const struct search *search, uint32_t lock)
{
    const struct search_index *index = search->index;
    struct lock_now then = {search->stamp, POS_NONE, 0};
    if (!search->began)
        return then;
    for (uint32_t i = index->users.start[lock]; i < index->users.start[lock + 1]; i++) {
        uint32_t thread = index->users.items[i];
        uint32_t node = index_held_before(index, thread, search->begun[thread]);
        for (; node != HELD_NONE; node = index->nodes[node].next) {
            uint32_t acquire = index->nodes[node].acquire;
            if (event_lock(event_at(index, acquire)) != lock)
                continue;
            if (event_at(index, acquire)->op == EVENT_ACQUIRE_READ)
                then.readers++;
            else
                then.owner = acquire;
        }
    }
    return then;
}

static struct lock_now *lock_now(const struct search *search, uint32_t lock)
{
    struct lock_now *now = &search->locks[lock];
    if (now->stamp != search->stamp)
        *now = lock_then(search, lock);
    return now;
}

/* Those before the beginning were executed. */
static uint32_t count_pending(const struct search *search, const struct event_lists *lists,
                              uint32_t key)
{
    uint32_t pending = 0;
    for (uint32_t i = lists->start[key]; i < lists->start[key + 1]; i++)
        pending += lists->items[i] >= search->began && in_set(search, lists->items[i]) &&
                   is_bound(search, lists->items[i]);
    return pending;
}

static uint32_t last_write_then(const struct search *search, uint32_t variable)
{
    if (!search->began)
        return POS_NONE;
    const struct event_lists *writes = &index_with(search->index, INDEX_WRITES)->writes;
    uint32_t first = writes->start[variable];
    uint32_t after = SORTED_POINT(middle, first, writes->start[variable + 1],
                                  writes->items[middle] < search->began);
    return after > first ? writes->items[after - 1] : POS_NONE;
}

struct memory_now *schedule_memory(const struct search *search, uint32_t variable)
{
    struct memory_now *now = &search->memory[variable];
    if (now->stamp == search->stamp)
        return now;
    const struct index_parts *parts = index_with(search->index, INDEX_READERS);
    uint32_t last = last_write_then(search, variable);
    *now = (struct memory_now){search->stamp, last,
                               last == POS_NONE ? count_pending(search, &parts->initial, variable)
                                                : count_pending(search, &parts->readers, last)};
    return now;
}

static struct count_now *count_now(const struct search *search, uint32_t semaphore)
{
    struct count_now *now = &search->counts[semaphore];
    if (now->stamp != search->stamp)
        *now = (struct count_now){search->stamp,
                                  past_states_count(search->index->past, semaphore, search->began)};
    return now;
}

struct condition *schedule_condition(const struct search *search, uint32_t id)
{
    struct condition_now *now = &search->conditions[id];
    if (now->stamp != search->stamp) {
        condition_free(&now->condition);
        past_states_condition(search->index->past, id, search->began, &now->condition);
        now->stamp = search->stamp;
    }
    return &now->condition;
}

static struct count_now *entered_now(const struct search *search, uint32_t instance)
{
    struct count_now *now = &search->entered[instance];
    if (now->stamp != search->stamp) {
        const struct event_lists *enters = &search->index->enters;
        *now = (struct count_now){search->stamp, 0};
        for (uint32_t i = enters->start[instance]; i < enters->start[instance + 1]; i++)
            now->count += enters->items[i] < search->began;
    }
    return now;
}

static enum block blocked_by(uint32_t *what, uint32_t event)
{
    *what = event;
    return BLOCK_EVENT;
}

static enum block blocked_by_edge(const struct search *search, uint32_t pos, uint32_t *what)
{
    for (size_t i = 0; i < search->edges.count; i++) {
        const struct edge *edge = &search->edges.items[i];
        if (edge->after == pos && !was_executed(search, edge->before))
            return blocked_by(what, edge->before);
    }
    return BLOCK_NONE;
}

static enum block blocked_at_barrier(const struct search *search, uint32_t instance, uint32_t *what)
{
    if (instance == POS_NONE)
        return BLOCK_NONE;
    const struct event_lists *enters = &search->index->enters;
    uint32_t parties = enters->start[instance + 1] - enters->start[instance];
    if (entered_now(search, instance)->count == parties)
        return BLOCK_NONE;
    uint32_t missing = enters->start[instance];
    while (was_executed(search, enters->items[missing]))
        missing++;
    return blocked_by(what, enters->items[missing]);
}

/* An event that waits for all of S. */
static enum block blocked_as_last(const struct search *search, uint32_t pos, uint32_t *what)
{
    const struct history *history = search->index->history;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (thread != thread_at(search->index, pos) && search->done[thread] < search->cut[thread])
            return blocked_by(what, history_pos(history, thread, search->done[thread]));
    return BLOCK_NONE;
}

static enum block blocked_at_lock(const struct search *search, const struct event *event,
                                  uint32_t *what)
{
    const struct lock_now *lock = lock_now(search, event_lock(event));
    bool is_free = lock->owner == POS_NONE && (event->op == EVENT_ACQUIRE_READ || !lock->readers);
    *what = event_lock(event);
    if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END)
        return is_free ? BLOCK_TRY : BLOCK_NONE;
    return is_free ? BLOCK_NONE : BLOCK_LOCK;
}

static bool same_value(const struct search *search, uint32_t pos, const struct event *event)
{
    const struct rules *rules = search->index->rules;
    uint32_t write = schedule_memory(search, event->object)->last;
    if (write == rules->reads_from[pos])
        return true;
    if (write == POS_NONE)
        return rules->history->initial_known[event->object] &&
               rules->history->initial_value[event->object] == event->value;
    const struct event *writer = event_at(search->index, write);
    return writer->flags & EVENT_HAS_VALUE && writer->value == event->value;
}

static enum block blocked_at_memory(const struct search *search, uint32_t pos,
                                    const struct event *event, uint32_t *what)
{
    const struct search_index *index = search->index;
    bool bound = is_bound(search, pos);
    *what = event->object;
    uint32_t before = bound ? index_before(index, pos) : POS_NONE;
    if (before != POS_NONE && !was_executed(search, before))
        return blocked_by(what, before);
    if (index_keep(index, pos) == KEEP_VALUE && !is_waived(search, pos) &&
        !same_value(search, pos, event))
        return BLOCK_VALUE;
    /* A read-modify-write of S is itself one of the pending reads. */
    if (event_writes(event) &&
        schedule_memory(search, event->object)->pending > (bound && in_set(search, pos)))
        return BLOCK_READER;
    return BLOCK_NONE;
}

static enum block blocked_at_sync(const struct search *search, const struct event *event,
                                  uint32_t *what)
{
    *what = event->object;
    switch (event->op) {
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return blocked_at_lock(search, event, what);
    case EVENT_WAIT_END:
        if (!(event->flags & EVENT_FAILED) &&
            !condition_may_wake(schedule_condition(search, event->object), event->thread))
            return BLOCK_SIGNAL;
        return blocked_at_lock(search, event, what);
    case EVENT_BARRIER_ENTER:
        return blocked_at_barrier(search, search->index->rules->previous_instance[event->other],
                                  what);
    case EVENT_BARRIER_EXIT:
        return blocked_at_barrier(search, event->other, what);
    case EVENT_SEM_WAIT:
        return !count_now(search, event->object)->count == !!(event->flags & EVENT_FAILED)
                   ? BLOCK_NONE
                   : BLOCK_COUNT;
    default:
        return BLOCK_NONE;
    }
}

enum block schedule_blocked(const struct search *search, uint32_t pos, uint32_t *what)
{
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    enum block block = BLOCK_NONE;
    uint32_t fork = index->history->fork_of[event->thread];
    if (!search->done[event->thread] && fork != POS_NONE && !was_executed(search, fork))
        return blocked_by(what, fork);
    if (search->has_edge[pos] && (block = blocked_by_edge(search, pos, what)) != BLOCK_NONE)
        return block;
    if (pos == search->last && (block = blocked_as_last(search, pos, what)) != BLOCK_NONE)
        return block;
    if (op_in(event->op, OPS_ACCESS))
        return blocked_at_memory(search, pos, event, what);
    uint32_t before = index_before(index, pos);
    if (before != POS_NONE)
        return was_executed(search, before) ? BLOCK_NONE : blocked_by(what, before);
    return blocked_at_sync(search, event, what);
}

static void execute_access(struct search *search, uint32_t pos, const struct event *event)
{
    struct memory_now *memory = schedule_memory(search, event->object);
    if (is_bound(search, pos) && in_set(search, pos))
        memory->pending--;
    if (event_writes(event)) {
        memory->last = pos;
        memory->pending =
            count_pending(search, &index_with(search->index, INDEX_READERS)->readers, pos);
    }
}

static void execute_lock(struct search *search, uint32_t pos, const struct event *event)
{
    struct lock_now *lock = lock_now(search, event_lock(event));
    if (event->op == EVENT_ACQUIRE_READ)
        lock->readers++;
    else if (event->op == EVENT_RELEASE_READ)
        lock->readers--;
    else
        lock->owner = event_acquires(event) ? pos : POS_NONE;
}

void schedule_execute(struct search *search, uint32_t pos)
{
    const struct event *event = event_at(search->index, pos);
    search->order[search->executed++] = pos;
    search->done[event->thread]++;
    if (op_in(event->op, OPS_ACCESS)) {
        execute_access(search, pos, event);
        return;
    }
    if (event->op == EVENT_WAIT_END)
        condition_wake(schedule_condition(search, event->object), event->thread,
                       !(event->flags & EVENT_FAILED));
    if (event_acquires(event) || event_releases(event))
        execute_lock(search, pos, event);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        condition_wait(schedule_condition(search, event->object), event->thread);
        break;
    case EVENT_SIGNAL:
        condition_signal(schedule_condition(search, event->object));
        break;
    case EVENT_BROADCAST:
        condition_broadcast(schedule_condition(search, event->object));
        break;
    case EVENT_BARRIER_ENTER:
        entered_now(search, event->other)->count++;
        break;
    case EVENT_POST:
        count_now(search, event->object)->count++;
        break;
    case EVENT_SEM_WAIT:
        if (!(event->flags & EVENT_FAILED))
            count_now(search, event->object)->count--;
        break;
    default:
        break;
    }
}
