/* SPDX-License-Identifier: MIT */
#include "csp/cspm_model.h"

#include "base/array.h"
#include "base/map.h"

#define EVENTS_ON_A_LINE 5

struct cspm_events ARRAY_OF(struct cspm_event);

/* Collects one thread's CSP events. */
struct collector {
    struct cspm_model *model;
    struct cspm_events events;
    struct map segment; /* variable -> place in events + 1, of the current segment */
};

static void add(struct collector *collector, enum cspm_channel channel, uint32_t object)
{
    struct cspm_event event = {.channel = channel, .object = object};
    array_push(&collector->events, event);
    collector->model->used[channel] = true;
}

/* What follows may be left: in another schedule it comes out otherwise, and waits for nobody. */
static void add_optional(struct collector *collector)
{
    if (!collector->model->plain)
        add(collector, CHANNEL_OPTIONAL, 0);
}

/* One access of an object a segment; a write stands for a read as well. */
static void add_access(struct collector *collector, const struct event *event)
{
    bool added;
    uint64_t *place = map_at(&collector->segment, event->object, &added);
    enum cspm_channel channel = event->op == EVENT_WRITE ? CHANNEL_WRITE : CHANNEL_READ;
    if (added) {
        add(collector, channel, event->object);
        *place = collector->events.count;
    } else if (channel == CHANNEL_WRITE) {
        collector->events.items[*place - 1].channel = channel;
        collector->model->used[channel] = true;
    }
}

/* The number of the write that an atomic read sees. */
static uint32_t seen_number(const struct cspm_model *model, uint32_t pos)
{
    uint32_t write = model->reads_from[pos];
    return write == POS_NONE ? 0 : model->write_number[write];
}

static void add_atomic(struct collector *collector, const struct event *event, uint32_t pos)
{
    struct cspm_model *model = collector->model;
    bool writes = event_writes(event);
    if (event->op != EVENT_WRITE && model->shared[event->object])
        add(collector, writes ? CHANNEL_ATOMIC_WRITE : CHANNEL_ATOMIC_READ, event->object);
    if (op_in(event->op, OPS_BOUND))
        add_optional(collector);
    if (event->op == EVENT_ATOMIC_RMW) {
        add(collector, CHANNEL_RMW, event->object);
        array_last(&collector->events).first = seen_number(model, pos);
        array_last(&collector->events).second = model->write_number[pos];
    } else if (writes) {
        add(collector, CHANNEL_STORE, event->object);
        array_last(&collector->events).first = model->write_number[pos];
    } else if (event->op == EVENT_ATOMIC_LOAD) {
        add(collector, CHANNEL_LOAD, event->object);
        array_last(&collector->events).first = seen_number(model, pos);
    }
}

static void add_lock(struct collector *collector, uint8_t op, bool failed, uint32_t lock)
{
    bool rwlock = collector->model->rwlock[lock];
    bool acquires = op_in(op, OPS_ACQUIRING);
    if (op == EVENT_ACQUIRE_READ)
        add(collector, failed ? CHANNEL_RDFAIL : CHANNEL_RDLOCK, lock);
    else if (op == EVENT_RELEASE_READ)
        add(collector, CHANNEL_RDUNLOCK, lock);
    else if (acquires && rwlock)
        add(collector, failed ? CHANNEL_WRFAIL : CHANNEL_WRLOCK, lock);
    else if (acquires)
        add(collector, failed ? CHANNEL_LOCKFAIL : CHANNEL_LOCK, lock);
    else
        add(collector, rwlock ? CHANNEL_WRUNLOCK : CHANNEL_UNLOCK, lock);
}

/* Who waits for the thread's help need not wait for it any more. */
static void add_last_help(struct collector *collector, const struct event *event, uint32_t pos)
{
    const struct cspm_model *model = collector->model;
    if (model->last_help[pos] && !model->plain)
        add(collector, event->op == EVENT_POST ? CHANNEL_LAST_POST : CHANNEL_LAST_SIGNAL,
            event->object);
}

static void add_condition(struct collector *collector, const struct event *event)
{
    bool failed = event->flags & EVENT_FAILED;
    if (event->op == EVENT_WAIT_END && event->flags & (EVENT_TRY | EVENT_FAILED))
        add_optional(collector);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        add(collector, CHANNEL_WAIT, event->object);
        add_lock(collector, EVENT_RELEASE, false, event->other);
        break;
    case EVENT_WAIT_END:
        add(collector, failed ? CHANNEL_SPURIOUS : CHANNEL_WOKEN, event->object);
        add_lock(collector, EVENT_ACQUIRE, false, event->other);
        break;
    case EVENT_SIGNAL:
        add(collector, CHANNEL_SIGNAL, event->object);
        break;
    default:
        add(collector, CHANNEL_BROADCAST, event->object);
        break;
    }
}

static void add_sync(struct collector *collector, const struct event *event)
{
    bool failed = event->flags & EVENT_FAILED;
    map_clear(&collector->segment);
    if (event->flags & (EVENT_TRY | EVENT_FAILED) && event->op != EVENT_WAIT_END)
        add_optional(collector);
    switch (event->op) {
    case EVENT_FORK:
        add(collector, CHANNEL_FORK, event->object);
        break;
    case EVENT_JOIN:
        add(collector, CHANNEL_JOIN, event->object);
        break;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        add_condition(collector, event);
        break;
    case EVENT_BARRIER_ENTER:
        add(collector, CHANNEL_BARRIER_ENTER, event->other);
        break;
    case EVENT_BARRIER_EXIT:
        add(collector, CHANNEL_BARRIER_EXIT, event->other);
        break;
    case EVENT_POST:
        add(collector, CHANNEL_POST, event->object);
        break;
    case EVENT_SEM_WAIT:
        add(collector, failed ? CHANNEL_SEMFAIL : CHANNEL_SEMWAIT, event->object);
        break;
    case EVENT_ONCE_BEGIN:
        add(collector, CHANNEL_ONCE_BEGIN, event->object);
        break;
    case EVENT_ONCE_END:
        add(collector, CHANNEL_ONCE_END, event->object);
        break;
    case EVENT_ONCE_PASS:
        add(collector, CHANNEL_ONCE_PASS, event->object);
        break;
    default:
        add_lock(collector, event->op, failed, event->object);
        break;
    }
}

static void collect(struct collector *collector, uint32_t thread)
{
    struct cspm_model *model = collector->model;
    const struct history *history = model->history;
    if (model->forked[thread])
        add(collector, CHANNEL_START, thread);
    for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
        uint32_t pos = history_pos(history, thread, i);
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OP_BIT(EVENT_READ) | OP_BIT(EVENT_WRITE)) &&
            model->shared[event->object])
            add_access(collector, event);
        if (op_in(event->op, OPS_ACCESS) && model->atomic[event->object] &&
            event->op != EVENT_READ) {
            add_atomic(collector, event, pos);
            map_clear(&collector->segment);
        }
        if (op_in(event->op, OPS_SYNC & ~(OPS_ATOMIC | OP_BIT(EVENT_START) | OP_BIT(EVENT_END) |
                                          OP_BIT(EVENT_FENCE)))) {
            add_sync(collector, event);
            add_last_help(collector, event, pos);
        }
    }
    if (model->forked[thread] || model->joined[thread])
        add(collector, CHANNEL_END, thread);
}

static void write_event(struct cspm_model *model, const struct cspm_event *event)
{
    static const enum object_class classes[CHANNEL_COUNT] = {
        [CHANNEL_FORK] = CLASS_THREAD,          [CHANNEL_JOIN] = CLASS_THREAD,
        [CHANNEL_READ] = CLASS_VARIABLE,        [CHANNEL_WRITE] = CLASS_VARIABLE,
        [CHANNEL_ATOMIC_READ] = CLASS_VARIABLE, [CHANNEL_ATOMIC_WRITE] = CLASS_VARIABLE,
        [CHANNEL_LOAD] = CLASS_VARIABLE,        [CHANNEL_STORE] = CLASS_VARIABLE,
        [CHANNEL_RMW] = CLASS_VARIABLE,         [CHANNEL_LOCK] = CLASS_LOCK,
        [CHANNEL_UNLOCK] = CLASS_LOCK,          [CHANNEL_LOCKFAIL] = CLASS_LOCK,
        [CHANNEL_RDLOCK] = CLASS_LOCK,          [CHANNEL_RDUNLOCK] = CLASS_LOCK,
        [CHANNEL_RDFAIL] = CLASS_LOCK,          [CHANNEL_WRLOCK] = CLASS_LOCK,
        [CHANNEL_WRUNLOCK] = CLASS_LOCK,        [CHANNEL_WRFAIL] = CLASS_LOCK,
        [CHANNEL_WAIT] = CLASS_CONDITION,       [CHANNEL_WOKEN] = CLASS_CONDITION,
        [CHANNEL_SPURIOUS] = CLASS_CONDITION,   [CHANNEL_SIGNAL] = CLASS_CONDITION,
        [CHANNEL_BROADCAST] = CLASS_CONDITION,  [CHANNEL_POST] = CLASS_SEMAPHORE,
        [CHANNEL_SEMWAIT] = CLASS_SEMAPHORE,    [CHANNEL_SEMFAIL] = CLASS_SEMAPHORE,
        [CHANNEL_ONCE_BEGIN] = CLASS_ONCE,      [CHANNEL_ONCE_END] = CLASS_ONCE,
        [CHANNEL_ONCE_PASS] = CLASS_ONCE,       [CHANNEL_LAST_SIGNAL] = CLASS_CONDITION,
        [CHANNEL_LAST_POST] = CLASS_SEMAPHORE,
    };
    enum object_class class = classes[event->channel];
    FILE *out = model->out;
    fprintf(out, "%s.%s", cspm_channel_name(event->channel),
            cspm_name(&model->names, CLASS_THREAD, model->thread));
    if (class != CLASS_NONE)
        fprintf(out, ".%s", cspm_name(&model->names, class, event->object));
    if (event->channel == CHANNEL_BARRIER_ENTER || event->channel == CHANNEL_BARRIER_EXIT) {
        putc('.', out);
        cspm_write_instance(out, event->object);
    }
    if (event->channel == CHANNEL_LOAD || event->channel == CHANNEL_STORE)
        fprintf(out, ".%u", event->first);
    if (event->channel == CHANNEL_RMW)
        fprintf(out, ".%u.%u", event->first, event->second);
}

void cspm_write_thread(struct cspm_model *model, uint32_t thread)
{
    struct collector collector = {.model = model};
    model->thread = thread;
    collect(&collector, thread);
    fprintf(model->out, "THREAD_%s =", cspm_name(&model->names, CLASS_THREAD, thread));
    for (size_t i = 0; i < collector.events.count; i++) {
        fputs(i && i % EVENTS_ON_A_LINE == 0 ? "\n    " : " ", model->out);
        write_event(model, &collector.events.items[i]);
        fputs(" ->", model->out);
    }
    fputs(" SKIP\n", model->out);
    array_free(&collector.events);
    map_free(&collector.segment);
}

void cspm_scan_threads(struct cspm_model *model)
{
    for (uint32_t thread = 0; thread < model->history->threads; thread++) {
        struct collector collector = {.model = model};
        collect(&collector, thread);
        array_free(&collector.events);
        map_free(&collector.segment);
    }
}
