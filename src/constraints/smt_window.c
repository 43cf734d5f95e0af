/* SPDX-License-Identifier: MIT */
#include "constraints/smt_window.h"

#include "base/sorted.h"

struct positions ARRAY_OF(uint32_t);

static uint32_t objects_of(const struct smt_window *window, enum object_class class)
{
    return trace_count(window->history->trace, class);
}

static void lists_free(struct smt_lists *lists)
{
    free(lists->offset);
    free(lists->items);
}

/* What a list groups by: the object, or a barrier's instance. */
static uint32_t key_of(const struct event *event)
{
    return event->op == EVENT_BARRIER_ENTER ? event->other : event->object;
}

static const struct event *at(const struct smt_window *window, uint32_t pos)
{
    return &window->history->events[pos];
}

/* From the positions in `found`, grouped by object. */
static void group(const struct smt_window *window, struct smt_lists *lists, uint32_t objects,
                  const struct positions *found)
{
    lists->offset = NEW_ARRAY(uint32_t, objects + 2);
    lists->items = memory_alloc(found->count, sizeof *lists->items);
    for (size_t i = 0; i < found->count; i++)
        lists->offset[key_of(at(window, found->items[i])) + 2]++;
    for (uint32_t i = 2; i < objects + 2; i++)
        lists->offset[i] += lists->offset[i - 1];
    for (size_t i = 0; i < found->count; i++)
        lists->items[lists->offset[key_of(at(window, found->items[i])) + 1]++] = found->items[i];
}

static void list_writes(struct smt_window *window)
{
    struct positions found = {0};
    for (uint32_t pos = window->start; pos < window->end; pos++)
        if (event_writes(at(window, pos)))
            array_push(&found, pos);
    group(window, &window->writes, objects_of(window, CLASS_VARIABLE), &found);
    array_free(&found);
}

/* From `first` on, synchronisation of such an operation, with one of the flags; 0: all. */
static void list_syncs(struct smt_window *window, struct smt_lists *lists, uint32_t objects,
                       uint32_t first, uint64_t ops, uint8_t flags)
{
    const struct history *history = window->history;
    struct positions found = {0};
    for (uint32_t i = 0; i < window->last_sync && history->ops & ops; i++) {
        uint32_t pos = history->syncs[i];
        if (pos >= first && op_in(at(window, pos)->op, ops) &&
            (!flags || at(window, pos)->flags & flags))
            array_push(&found, pos);
    }
    group(window, lists, objects, &found);
    array_free(&found);
}

/* How many of the history's syncs come before `pos`. */
static uint32_t syncs_before(const struct history *history, uint32_t pos)
{
    return SORTED_POINT(middle, 0, history->sync_count, history->syncs[middle] < pos);
}

static void find_threads(struct smt_window *window)
{
    const struct history *history = window->history;
    window->baseline = NEW_ARRAY(uint32_t, history->threads);
    window->length = NEW_ARRAY(uint32_t, history->threads);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        window->baseline[thread] = history_count_before(history, thread, window->start);
        window->length[thread] = history_count_before(history, thread, window->end);
    }
    window->first_sync = syncs_before(history, window->start);
    window->last_sync = syncs_before(history, window->end);
}

static void find_state(struct smt_window *window)
{
    const struct trace *trace = window->history->trace;
    uint32_t variables = objects_of(window, CLASS_VARIABLE);
    uint32_t semaphores = objects_of(window, CLASS_SEMAPHORE);
    window->last_write = memory_alloc(variables, sizeof *window->last_write);
    memset(window->last_write, 0xff, variables * sizeof *window->last_write);
    window->semaphore_count = NEW_ARRAY(uint32_t, semaphores);
    for (uint32_t i = 0; i < semaphores; i++)
        window->semaphore_count[i] = trace_semaphore_initial(trace, i);
    for (uint32_t pos = 0; pos < window->start; pos++) {
        const struct event *event = at(window, pos);
        if (event_writes(event))
            window->last_write[event->object] = pos;
        else if (event->op == EVENT_POST)
            window->semaphore_count[event->object]++;
        else if (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED))
            window->semaphore_count[event->object]--;
    }
}

static bool same_value(const struct rules *rules, const struct event *read, uint32_t write)
{
    if (!(read->flags & EVENT_HAS_VALUE) || read->op == EVENT_ATOMIC_RMW)
        return false;
    if (write == POS_NONE)
        return rules->history->initial_known[read->object] &&
               rules->history->initial_value[read->object] == read->value;
    const struct event *writer = &rules->history->events[write];
    return writer->flags & EVENT_HAS_VALUE && writer->value == read->value;
}

bool smt_may_see(const struct smt_window *window, uint32_t read, uint32_t write)
{
    const struct rules *rules = window->rules;
    const struct event *event = at(window, read);
    if (write == POS_NONE)
        write = window->last_write[event->object];
    if (write == rules->reads_from[read])
        return true;
    return rules->model == MODEL_VALUE && same_value(rules, event, write);
}

bool smt_keeps(const struct smt_window *window, uint32_t read)
{
    enum model model = window->rules->model;
    if (read == window->excused)
        return false;
    return model == MODEL_RF || model == MODEL_VALUE || op_in(at(window, read)->op, OPS_BOUND);
}

static struct smt_window *create(const struct rules *rules, uint32_t start, uint32_t end,
                                 uint32_t excused)
{
    struct smt_window *window = NEW(struct smt_window);
    window->rules = rules;
    window->excused = excused;
    window->history = rules->history;
    window->start = start;
    window->end = end;
    uint32_t semaphores = objects_of(window, CLASS_SEMAPHORE);
    find_threads(window);
    find_state(window);
    smt_window_find_sections(window);
    uint32_t first = smt_window_find_waits(window);
    list_writes(window);
    list_syncs(window, &window->signals, objects_of(window, CLASS_CONDITION), first,
               OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST), 0);
    list_syncs(window, &window->posts, semaphores, start, OP_BIT(EVENT_POST), 0);
    list_syncs(window, &window->semaphore_waits, semaphores, start, OP_BIT(EVENT_SEM_WAIT), 0);
    list_syncs(window, &window->failed_tries, objects_of(window, CLASS_LOCK), start,
               OPS_ACQUIRING & ~OP_BIT(EVENT_WAIT_END), EVENT_FAILED);
    list_syncs(window, &window->enters, trace_barrier_instances(window->history->trace), start,
               OP_BIT(EVENT_BARRIER_ENTER), 0);
    smt_window_make_clocks(window);
    return window;
}

struct smt_window *smt_window_create(const struct rules *rules, uint32_t start, uint32_t end)
{
    return create(rules, start, end, POS_NONE);
}

struct smt_window *smt_window_create_excusing(const struct rules *rules, uint32_t excused)
{
    return create(rules, 0, rules->history->count, excused);
}

void smt_window_destroy(struct smt_window *window)
{
    if (!window)
        return;
    free(window->baseline);
    free(window->length);
    free(window->row);
    array_free(&window->rows);
    array_free(&window->edges);
    lists_free(&window->writes);
    lists_free(&window->signals);
    lists_free(&window->posts);
    lists_free(&window->semaphore_waits);
    lists_free(&window->failed_tries);
    lists_free(&window->enters);
    array_free(&window->sections);
    free(window->section_offset);
    array_free(&window->waits);
    free(window->wait_offset);
    free(window->release_of);
    for (uint32_t thread = 0; thread < window->history->threads; thread++)
        array_free(&window->held[thread]);
    free(window->held);
    free(window->section_at);
    array_free(&window->holds);
    free(window->last_write);
    free(window->semaphore_count);
    free(window);
}
