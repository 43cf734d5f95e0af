/* SPDX-License-Identifier: MIT */
#include "tlh/sync_projection.h"

#include "base/sorted.h"

/* What comes into the log from elsewhere. */
struct addition {
    uint32_t pos;
    struct event event;
};

struct additions ARRAY_OF(struct addition);

static void add_access(struct additions *additions, const struct access *access, uint32_t object)
{
    struct event event = {.thread = access->thread,
                          .op = access->op,
                          .size = access->size,
                          .object = object,
                          .location = access->location,
                          .stack = access->stack};
    array_push(additions, ((struct addition){access->pos, event}));
}

/* Of those with one pos the access comes first. */
static int by_pos(const void *a, const void *b)
{
    const struct addition *x = a, *y = b;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->event.op == EVENT_BRANCH) - (y->event.op == EVENT_BRANCH);
}

static int late_by_pos(const void *a, const void *b)
{
    const struct late_event *x = a, *y = b;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

/* The log knows the threads of late events only by where they stand. */
static void add_late(struct additions *additions, const struct sync_log *log, uint32_t limit)
{
    size_t count = log->late.count;
    if (!count)
        return;
    struct late_event *late = memory_copy(log->late.items, count * sizeof *late);
    struct event *events = NEW_ARRAY(struct event, count);
    uint32_t *positions = memory_alloc(count, sizeof *positions);
    qsort(late, count, sizeof *late, late_by_pos);
    count = SORTED_POINT(middle, 0, count, late[middle].pos < limit);
    for (size_t i = 0; i < count; i++) {
        positions[i] = late[i].pos;
        events[i] = (struct event){.op = (uint8_t)late[i].op, .object = late[i].object};
    }
    sync_log_threads(log, events, positions, count);
    for (size_t i = 0; i < count; i++)
        array_push(additions, ((struct addition){positions[i], events[i]}));
    free(positions);
    free(events);
    free(late);
}

static void add_pairs(struct additions *additions, const struct lockset_pairs *pairs,
                      uint32_t limit)
{
    for (size_t i = 0; i < pairs->list.count; i++) {
        const struct lockset_instances *instances = &pairs->list.items[i].instances;
        for (size_t k = 0; k < instances->count; k++) {
            const struct lockset_instance *instance = &instances->items[k];
            if (instance->later.pos >= limit)
                continue;
            add_access(additions, &instance->earlier, instance->object);
            add_access(additions, &instance->later, instance->object);
        }
    }
}

struct merging {
    struct event *events;
    uint32_t *origin;
    uint32_t count;
    struct map variables; /* id in the whole trace -> id */
};

static void push(struct merging *merging, const struct event *event, uint32_t pos)
{
    if (merging->count && merging->origin[merging->count - 1] == pos)
        return; /* an access may be in several pairs, and in the log */
    struct event *added = &merging->events[merging->count];
    *added = *event;
    if (op_in(event->op, OPS_ACCESS)) {
        bool first;
        uint64_t *variable = map_at(&merging->variables, event->object, &first);
        if (first)
            *variable = merging->variables.count - 1;
        added->object = (uint32_t)*variable;
    }
    merging->origin[merging->count++] = pos;
}

static void merge(struct merging *merging, const struct sync_log *log,
                  const struct additions *additions, uint32_t limit)
{
    struct sync_log_reader reader = {0};
    struct event event;
    uint32_t pos;
    size_t next = 0;
    while (sync_log_next(log, &reader, &event, &pos) && pos < limit) {
        for (; next < additions->count && additions->items[next].pos < pos; next++)
            push(merging, &additions->items[next].event, additions->items[next].pos);
        push(merging, &event, pos);
    }
    for (; next < additions->count; next++)
        push(merging, &additions->items[next].event, additions->items[next].pos);
}

void sync_projection_create(struct sync_projection *projection, const struct trace *trace,
                            const struct sync_log *log, const struct lockset_pairs *pairs,
                            uint32_t limit)
{
    struct additions additions = {0};
    add_late(&additions, log, limit);
    add_pairs(&additions, pairs, limit);
    if (additions.count)
        qsort(additions.items, additions.count, sizeof *additions.items, by_pos);
    size_t length = sync_log_length(log),
           most = (length < limit ? length : limit) + additions.count;
    struct merging merging = {memory_alloc(most, sizeof *merging.events),
                              memory_alloc(most, sizeof *merging.origin),
                              0,
                              {0}};
    merge(&merging, log, &additions, limit);
    array_free(&additions);
    projection->history = history_create_with(trace, merging.events, merging.count,
                                              (uint32_t)merging.variables.count);
    projection->origin = merging.origin;
    map_free(&merging.variables);
}

void sync_projection_free(struct sync_projection *projection)
{
    history_destroy(projection->history);
    free(projection->origin);
    *projection = (struct sync_projection){0};
}

uint32_t sync_projection_pos(const struct sync_projection *projection, uint32_t origin)
{
    return SORTED_POINT(middle, 0, projection->history->count, projection->origin[middle] < origin);
}
