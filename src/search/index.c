/* SPDX-License-Identifier: MIT */
#include "search/index.h"

#include "base/sorted.h"
#include "base/array.h"
#include "search/clocks.h"
#include "search/relevant_variables.h"

struct held_nodes ARRAY_OF(struct held);

/* Found on the first way through the acquires, to save others. */
struct tally {
    struct acquires ARRAY_OF(uint32_t) acquires; /* successful ones, ascending */
    struct slots ARRAY_OF(uint32_t) slots;       /* of each of them */
};

static enum keep keep_of(const struct rules *rules, unsigned op, bool has_value)
{
    if (!op_in(op, OPS_READING))
        return KEEP_NOT;
    bool bound = op_in(op, OPS_BOUND);
    switch (rules->model) {
    case MODEL_VALUE:
        return has_value && op != EVENT_ATOMIC_RMW ? KEEP_VALUE : KEEP_WRITE;
    case MODEL_SYNC:
        return bound ? KEEP_WRITE : KEEP_NOT;
    case MODEL_BRANCH:
        return bound ? KEEP_WRITE : KEEP_BRANCH;
    default:
        return KEEP_WRITE;
    }
}

static void find_before(struct search_index *index)
{
    const struct history *history = index->history;
    uint32_t onces = trace_count(history->trace, CLASS_ONCE);
    uint32_t *once_end = memory_alloc(onces, sizeof *once_end);
    memset(once_end, 0xff, onces * sizeof *once_end);
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t pos = history->syncs[i];
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_JOIN) {
            uint32_t length = history_thread_length(history, event->object);
            index->before[pos] = length ? history_pos(history, event->object, length - 1)
                                        : history->fork_of[event->object];
        } else if (event->op == EVENT_ONCE_END) {
            once_end[event->object] = pos;
        } else if (event->op == EVENT_ONCE_PASS) {
            index->before[pos] = once_end[event->object];
        }
    }
    free(once_end);
}

/* Takes `acquire` out of a list whose tail is shared. */
static uint32_t without(struct held_nodes *nodes, uint32_t list, uint32_t acquire)
{
    if (list == HELD_NONE)
        return HELD_NONE;
    struct held node = nodes->items[list];
    if (node.acquire == acquire)
        return node.next;
    node.next = without(nodes, node.next, acquire);
    array_push(nodes, node);
    return (uint32_t)nodes->count - 1;
}

static uint32_t holding(const struct search_index *index, const struct held_nodes *nodes,
                        uint32_t list, uint32_t lock)
{
    for (; list != HELD_NONE; list = nodes->items[list].next)
        if (event_lock(event_at(index, nodes->items[list].acquire)) == lock)
            return nodes->items[list].acquire;
    return POS_NONE;
}

static uint32_t slot_of(struct search_index *index, uint32_t lock, uint32_t thread)
{
    bool added;
    uint64_t *slot = map_at(&index->slots, map_pair(lock, thread), &added);
    if (added)
        *slot = index->slots.count;
    return (uint32_t)*slot - 1;
}

static uint32_t held_last(const struct search_index *index, uint32_t thread)
{
    const struct held_changes *held = &index->held[thread];
    return held->count ? array_last(held).node : HELD_NONE;
}

static void find_sections(struct search_index *index, struct tally *tally)
{
    const struct history *history = index->history;
    struct held_nodes nodes = {0};
    index->held = NEW_ARRAY(struct held_changes, history->threads);
    array_push(&nodes, ((struct held){POS_NONE, HELD_NONE}));
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t pos = history->syncs[i], now;
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
            continue;
        index->partner[pos] = POS_NONE;
        if (op_in(event->op, OPS_ACQUIRING) && event->flags & EVENT_FAILED)
            index->has_failed_tries = true;
        now = held_last(index, event->thread);
        if (event_acquires(event)) {
            array_push(&nodes, ((struct held){pos, now}));
            now = (uint32_t)nodes.count - 1;
            array_push(&tally->acquires, pos);
            array_push(&tally->slots, slot_of(index, event_lock(event), event->thread));
        } else if (event_releases(event)) {
            uint32_t acquire = holding(index, &nodes, now, event_lock(event));
            if (acquire == POS_NONE)
                continue;
            index->partner[pos] = acquire;
            index->partner[acquire] = pos;
            now = without(&nodes, now, acquire);
        }
        array_push(&index->held[event->thread], ((struct held_change){history->index[pos], now}));
    }
    index->nodes = nodes.items;
}

uint32_t index_held_before(const struct search_index *index, uint32_t thread, uint32_t number)
{
    const struct held_changes *held = &index->held[thread];
    size_t low = SORTED_POINT(middle, 0, held->count, held->items[middle].index < number);
    return low ? held->items[low - 1].node : HELD_NONE;
}

static uint32_t *find_held(const struct search_index *index)
{
    const struct history *history = index->history;
    uint32_t *held = memory_alloc(history_total(history), sizeof *held);
    uint32_t *now = NEW_ARRAY(uint32_t, history->threads);
    size_t *next = NEW_ARRAY(size_t, history->threads);
    for (uint32_t pos = 0; pos < history_total(history); pos++) {
        uint32_t thread = history->events[pos].thread;
        const struct held_changes *changes = &index->held[thread];
        if (next[thread] < changes->count &&
            changes->items[next[thread]].index < history->index[pos])
            now[thread] = changes->items[next[thread]++].node;
        held[pos] = now[thread];
    }
    free(now);
    free(next);
    return held;
}

/* Lists by key from two passes, over all events or only synchronisation: `key` of an event,
 * UINT32_MAX to leave it out. */
static void fill_lists(const struct search_index *index, struct event_lists *lists, uint32_t keys,
                       uint32_t (*key)(const struct search_index *index, uint32_t pos), bool syncs)
{
    const struct history *history = index->history;
    uint32_t count = syncs ? history->sync_count : history->count;
    lists->start = NEW_ARRAY(uint32_t, (size_t)keys + 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = key(index, syncs ? history->syncs[i] : i);
        if (k != UINT32_MAX)
            lists->start[k + 2]++;
    }
    for (uint32_t k = 0; k < keys; k++)
        lists->start[k + 2] += lists->start[k + 1];
    lists->items = memory_alloc(lists->start[keys + 1], sizeof *lists->items);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pos = syncs ? history->syncs[i] : i, k = key(index, pos);
        if (k != UINT32_MAX)
            lists->items[lists->start[k + 1]++] = pos;
    }
}

static bool bound(const struct search_index *index, uint32_t pos)
{
    enum keep keep = index_keep(index, pos);
    return keep == KEEP_WRITE || keep == KEEP_BRANCH;
}

static uint32_t key_writer(const struct search_index *index, uint32_t pos)
{
    return bound(index, pos) ? index->rules->reads_from[pos] : UINT32_MAX;
}

static uint32_t key_initial(const struct search_index *index, uint32_t pos)
{
    return bound(index, pos) && index->rules->reads_from[pos] == POS_NONE
               ? event_at(index, pos)->object
               : UINT32_MAX;
}

static uint32_t key_written(const struct search_index *index, uint32_t pos)
{
    const struct event *event = event_at(index, pos);
    return event_writes(event) ? event->object : UINT32_MAX;
}

static uint32_t key_instance(const struct search_index *index, uint32_t pos)
{
    const struct event *event = event_at(index, pos);
    return event->op == EVENT_BARRIER_ENTER ? event->other : UINT32_MAX;
}

static uint32_t key_stateful(const struct search_index *index, uint32_t pos)
{
    enum object_class class = event_object_class(event_at(index, pos)->op);
    return class == CLASS_SEMAPHORE || class == CLASS_CONDITION ? thread_at(index, pos)
                                                                : UINT32_MAX;
}

/* Which threads acquire a lock: one entry a slot. */
static void find_users(struct search_index *index)
{
    uint32_t locks = trace_count(index->history->trace, CLASS_LOCK);
    uint32_t slots = (uint32_t)index->slots.count;
    struct event_lists *users = &index->users;
    users->start = NEW_ARRAY(uint32_t, (size_t)locks + 2);
    users->items = memory_alloc(slots, sizeof *users->items);
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t pos = index->sections.items[index->sections.start[slot]];
        users->start[event_lock(event_at(index, pos)) + 2]++;
    }
    for (uint32_t lock = 0; lock < locks; lock++)
        users->start[lock + 2] += users->start[lock + 1];
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t pos = index->sections.items[index->sections.start[slot]];
        uint32_t lock = event_lock(event_at(index, pos));
        users->items[users->start[lock + 1]++] = thread_at(index, pos);
    }
}

/* The acquires, slot by slot. */
static void group_sections(struct search_index *index, const struct tally *tally)
{
    struct event_lists *sections = &index->sections;
    size_t count = tally->acquires.count, slots = index->slots.count;
    sections->start = NEW_ARRAY(uint32_t, slots + 2);
    sections->items = memory_alloc(count, sizeof *sections->items);
    for (size_t i = 0; i < count; i++)
        sections->start[tally->slots.items[i] + 2]++;
    for (size_t slot = 0; slot < slots; slot++)
        sections->start[slot + 2] += sections->start[slot + 1];
    for (size_t i = 0; i < count; i++)
        sections->items[sections->start[tally->slots.items[i] + 1]++] = tally->acquires.items[i];
    find_users(index);
}

static bool has_states(const struct search_index *index)
{
    const struct trace *trace = index->history->trace;
    return trace_count(trace, CLASS_CONDITION) || trace_count(trace, CLASS_SEMAPHORE) ||
           index->has_failed_tries || index->model == MODEL_VALUE;
}

/* Can a read be bound to a write at all? */
static bool has_bound_reads(const struct search_index *index)
{
    for (unsigned op = 0; op < EVENT_COUNT; op++)
        for (int value = 0; value < 2; value++)
            if (op_in(op, OPS_READING) && index->history->ops & OP_BIT(op) &&
                (index->keeps[op][value] == KEEP_WRITE || index->keeps[op][value] == KEEP_BRANCH))
                return true;
    return false;
}

static void make_readers(const struct search_index *index, struct index_parts *parts)
{
    const struct history *history = index->history;
    bool none = !has_bound_reads(index);
    fill_lists(index, &parts->readers, history->count, key_writer, none);
    fill_lists(index, &parts->initial, history->variables, key_initial, none);
}

void index_make(const struct search_index *index, enum index_part part)
{
    struct index_parts *parts = index->parts;
    if (part == INDEX_RELEVANT) /* it takes clocks itself */
        index_clocks(index);
    pthread_mutex_lock(&parts->lock);
    if (!(atomic_load(&parts->made) & part)) {
        if (part == INDEX_CLOCKS)
            parts->clocks = clocks_create(index, false);
        else if (part == INDEX_PARTNER_CLOCKS)
            parts->partner_clocks = index->has_states ? clocks_create(index, true) : NULL;
        else if (part == INDEX_READERS)
            make_readers(index, parts);
        else if (part == INDEX_HELD)
            parts->held = find_held(index);
        else if (part == INDEX_WRITES)
            fill_lists(index, &parts->writes, index->history->variables, key_written, false);
        else
            parts->relevance = relevant_variables_find(index);
        atomic_fetch_or(&parts->made, part);
    }
    pthread_mutex_unlock(&parts->lock);
}

struct search_index *search_index_create(const struct history *history, enum model model)
{
    struct search_index *index = NEW(struct search_index);
    uint32_t instances = trace_barrier_instances(history->trace);
    index->history = history;
    index->rules = rules_create(history, model);
    index->model = index->rules->model;
    for (unsigned op = 0; op < EVENT_COUNT; op++)
        for (int value = 0; value < 2; value++)
            index->keeps[op][value] = (uint8_t)keep_of(index->rules, op, value);
    index->before = memory_alloc(history->count, sizeof *index->before);
    index->partner = memory_alloc(history->count, sizeof *index->partner);
    index->parts = NEW(struct index_parts);
    pthread_mutex_init(&index->parts->lock, NULL);
    struct tally tally = {0};
    find_before(index);
    find_sections(index, &tally);
    index->has_states = has_states(index);
    fill_lists(index, &index->enters, instances, key_instance, true);
    group_sections(index, &tally);
    array_free(&tally.acquires);
    array_free(&tally.slots);
    index->plans = plans_index_create(index->rules);
    if (index->has_states) {
        index_find_observed_partners(index);
        index->past = past_states_create(history);
        fill_lists(index, &index->stateful, history->threads, key_stateful, true);
    }
    return index;
}

static void lists_free(struct event_lists *lists)
{
    free(lists->start);
    free(lists->items);
}

static void parts_destroy(struct index_parts *parts)
{
    clocks_destroy(parts->clocks);
    clocks_destroy(parts->partner_clocks);
    lists_free(&parts->readers);
    lists_free(&parts->initial);
    lists_free(&parts->writes);
    free(parts->held);
    free(parts->relevance);
    pthread_mutex_destroy(&parts->lock);
    free(parts);
}

void search_index_destroy(struct search_index *index)
{
    if (!index)
        return;
    for (uint32_t thread = 0; thread < index->history->threads; thread++)
        array_free(&index->held[thread]);
    rules_destroy(index->rules);
    parts_destroy(index->parts);
    free(index->before);
    free(index->partner);
    free(index->held);
    free(index->nodes);
    free(index->observed_partners);
    plans_index_destroy(index->plans);
    lists_free(&index->enters);
    lists_free(&index->sections);
    lists_free(&index->users);
    lists_free(&index->stateful);
    past_states_destroy(index->past);
    map_free(&index->slots);
    free(index);
}

enum model search_index_model(const struct search_index *index)
{
    return index->model;
}

uint32_t index_last_section(const struct search_index *index, uint32_t lock, uint32_t thread,
                            uint32_t limit, const struct event *acquire)
{
    const uint64_t *slot = map_find(&index->slots, map_pair(lock, thread));
    if (!slot)
        return POS_NONE;
    const uint32_t *items = index->sections.items;
    uint32_t first = index->sections.start[*slot - 1];
    uint32_t low = SORTED_POINT(middle, first, index->sections.start[*slot],
                                index->history->index[items[middle]] < limit);
    while (low > first && !sections_exclude(event_at(index, items[low - 1]), acquire))
        low--;
    return low > first ? items[low - 1] : POS_NONE;
}
