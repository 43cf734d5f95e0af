/* Executes the set S event by event, always the earliest in the observed order
 * that may be executed. Where the observed order of S is possible, this is it;
 * where it is not, threads wait for locks as they would in a real run, and a
 * write waits until the kept reads of the value it overwrites are done.
 *
 * As far as S has everything, and no edge says otherwise, that is the observed order: the
 * schedule begins after it, and what an object was then like is looked up when it is first
 * used. So its cost is that of what follows. */
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
        *now = (struct count_now){
            search->stamp, trace_semaphore_initial(search->index->history->trace, semaphore)};
    return now;
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
            !condition_may_wake(&search->conditions[event->object], event->thread))
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

static struct condition *condition_touch(struct search *search, uint32_t id)
{
    if (!search->conditions[id].clock)
        array_push(&search->touched, id);
    return &search->conditions[id];
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
        condition_wake(condition_touch(search, event->object), event->thread,
                       !(event->flags & EVENT_FAILED));
    if (event_acquires(event) || event_releases(event))
        execute_lock(search, pos, event);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        condition_wait(condition_touch(search, event->object), event->thread);
        break;
    case EVENT_SIGNAL:
        condition_signal(condition_touch(search, event->object));
        break;
    case EVENT_BROADCAST:
        condition_broadcast(condition_touch(search, event->object));
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
    while (search->touched.count)
        condition_free(&search->conditions[array_pop(&search->touched)]);
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

/* Up to where the schedule is the observed order. Whom signals may wake, and how high a semaphore
 * counts, cannot be looked up. */
static uint32_t find_beginning(const struct search *search)
{
    const struct trace *trace = search->index->history->trace;
    if (trace_count(trace, CLASS_CONDITION) || trace_count(trace, CLASS_SEMAPHORE))
        return 0;
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
    for (uint32_t thread = 0; thread < search->index->history->threads; thread++)
        size += search->cut[thread];
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
