/* The reader of recorded traces. Two passes over the merged streams: the first
 * finds out which memory is shared and which locks are used as semaphores, the
 * second delivers events. Nothing but that knowledge is kept between them. */
#include "base/array.h"
#include "base/map.h"
#include "trace/binary_follow.h"
#include "trace/binary_merge.h"
#include "trace/binary_names.h"
#include "trace/binary_objects.h"
#include "trace/binary_origins.h"
#include "trace/formats.h"
#include "trace/schedule.h"
#include "trace/wellformed.h"

#include <stdio.h>

/* Longer accesses count for their beginning only. (A fuzzer sets it lower: a
 * range costs as much as it is long, and a few bytes can claim a long one.) */
#ifndef BINARY_RANGE_LIMIT
#define BINARY_RANGE_LIMIT (UINT64_C(1) << 32)
#endif

static uint64_t limited(uint64_t length)
{
    return length < BINARY_RANGE_LIMIT ? length : BINARY_RANGE_LIMIT;
}

struct binary_source {
    struct binary_threads threads;
    struct binary_places *places;
    struct binary_merge *merge;
    struct objects *objects;
    struct binary_names *names;
    struct symbols *symbols;
    struct map counts; /* semaphores: address -> first count */
    struct binary_origins *origins;
    struct map blocks;                                /* live heap blocks: address -> size */
    struct variables ARRAY_OF(uint32_t) variables;    /* by object: variable id plus one */
    struct sync_ids ARRAY_OF(uint32_t) ids;           /* by sync object: its id plus one */
    struct handed_over ARRAY_OF(uint8_t) handed_over; /* by sync object: a lock that is none */
    struct owners ARRAY_OF(uint32_t) owners;          /* by sync object: owner plus one */
    struct scheduled ARRAY_OF(uint32_t) scheduled;    /* by thread: operations so far */
    struct queue ARRAY_OF(struct event) queue;
    size_t delivered; /* of the queue */
};

static enum object_class record_class(unsigned op)
{
    if (op == RECORD_OP_BARRIER_INIT)
        return CLASS_BARRIER;
    if (op == RECORD_OP_SEM_INIT)
        return CLASS_SEMAPHORE;
    return op < EVENT_COUNT ? event_object_class((enum event_op)op) : CLASS_NONE;
}

/* --- what both passes do ------------------------------------------------- */

static void begin_memory(struct binary_source *self, uint64_t address, uint64_t length)
{
    objects_begin(self->objects, address, length);
    binary_names_forget(self->names, address, length);
}

/* Records about memory and fresh objects. */
static void follow_memory(struct binary_source *self, const struct binary_unit *unit,
                          uint32_t thread)
{
    switch (unit->op) {
    case EVENT_START: {
        const struct stream_header *header = &self->threads.items[thread].header;
        if (header->stack_low < header->stack_high)
            begin_memory(self, header->stack_low, header->stack_high - header->stack_low);
        break;
    }
    case EVENT_ALLOC:
        *map_at(&self->blocks, unit->object == UINT64_MAX ? 0 : unit->object, NULL) = unit->other;
        begin_memory(self, unit->object, unit->other);
        break;
    case EVENT_FREE:
        map_remove(&self->blocks, unit->object);
        break;
    case RECORD_OP_MAP:
        begin_memory(self, unit->object, unit->other);
        break;
    case RECORD_OP_SEM_INIT:
        if (unit->object != UINT64_MAX)
            *map_at(&self->counts, unit->object, NULL) = unit->other;
        binary_names_forget(self->names, unit->object, 1);
        break;
    case RECORD_OP_INIT:
    case RECORD_OP_BARRIER_INIT:
        binary_names_forget(self->names, unit->object, 1);
        break;
    default:
        break;
    }
}

static uint64_t block_size(const struct binary_source *self, uint64_t address)
{
    const uint64_t *size = map_find(&self->blocks, address);
    return size ? limited(*size) : 0;
}

/* --- first pass ----------------------------------------------------------- */

/* A mutex that one thread locks and another unlocks passes permission, not
 * ownership: it is a semaphore of one. */
static void learn_lock(struct binary_source *self, const struct binary_unit *unit, uint32_t thread)
{
    bool wait = unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END;
    uint32_t lock = binary_names_sync(self->names, CLASS_LOCK, wait ? unit->other : unit->object);
    array_grow(&self->owners, lock + 1);
    array_grow(&self->handed_over, lock + 1);
    uint32_t *owner = &self->owners.items[lock];
    if (unit->op == EVENT_ACQUIRE || unit->op == EVENT_WAIT_END) {
        if (!(unit->flags & EVENT_FAILED) || wait)
            *owner = thread + 1;
    } else if (unit->op == EVENT_RELEASE || unit->op == EVENT_WAIT_BEGIN) {
        if (*owner && *owner != thread + 1 && !wait)
            self->handed_over.items[lock] = 1;
        *owner = 0;
    }
}

static void learn_unit(struct binary_source *self, const struct binary_unit *unit, uint32_t thread)
{
    if (unit->is_record) {
        if (unit->op == EVENT_FREE)
            objects_learn(self->objects, thread, unit->object, block_size(self, unit->object),
                          true);
        follow_memory(self, unit, thread);
        if (unit->op < EVENT_COUNT && op_in(unit->op, OPS_ATOMIC))
            objects_learn(self->objects, thread, unit->object, unit->size,
                          op_in(unit->op, OPS_WRITING));
        /* In the order of the second pass: both must number objects alike. */
        enum object_class class = unit->op < EVENT_COUNT ? record_class(unit->op) : CLASS_NONE;
        if (class == CLASS_CONDITION || class == CLASS_BARRIER || class == CLASS_SEMAPHORE ||
            class == CLASS_ONCE)
            binary_names_sync(self->names, class, unit->object);
        if (unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END || class == CLASS_LOCK)
            learn_lock(self, unit, thread);
    }
    for (size_t i = 0; i < unit->count; i++) {
        const struct binary_access *access = &unit->accesses[i];
        if (access->present && op_in(access->op, OPS_ACCESS))
            objects_learn(self->objects, thread, access->address, limited(access->length),
                          op_in(access->op, OPS_WRITING));
    }
}

static int learn(struct binary_source *self, struct error *error)
{
    struct binary_merge *merge = binary_merge_create(&self->threads, self->places);
    struct binary_unit unit;
    uint32_t thread;
    int answer;
    while ((answer = binary_merge_next(merge, &thread, &unit, error)) > 0)
        learn_unit(self, &unit, thread);
    binary_merge_destroy(merge);
    if (answer < 0)
        return -1;
    objects_settle(self->objects);
    binary_names_reset(self->names);
    map_free(&self->blocks);
    map_free(&self->counts);
    return 0;
}

/* --- second pass ---------------------------------------------------------- */

/* A real program can do what no rule allows (an event of a signal handler while
 * its thread waits, a release of what was never acquired): such an event has no
 * place in a trace and is left out. */
static void deliver(struct trace *trace, struct event event)
{
    struct binary_source *self = trace->source;
    switch (wellformed_check(trace->wellformed, trace, &event)) {
    case WELLFORMED_KEEP:
        array_push(&self->queue, event);
        break;
    case WELLFORMED_BROKEN:
        /* A try that failed is stamped after it: the owner may be gone by then. */
        trace->left_out += !(event.flags & EVENT_FAILED);
        break;
    case WELLFORMED_DROP:
        break;
    }
}

/* One event for each shared object that the bytes cover. */
static void deliver_access(struct trace *trace, struct event event, uint64_t address,
                           uint64_t length)
{
    struct binary_source *self = trace->source;
    uint64_t end = address + length < address ? UINT64_MAX : address + length;
    uint32_t object;
    while ((object = objects_find(self->objects, &address, end)) != OBJECT_NONE) {
        uint32_t *variable = &self->variables.items[object];
        if (!*variable) {
            *variable = binary_names_intern(self->names, trace, CLASS_VARIABLE,
                                            objects_address(self->objects, object)) +
                        1;
            binary_origins_variable(self->origins, *variable - 1, object);
        }
        uint64_t bytes = objects_length(self->objects, object);
        event.object = *variable - 1;
        event.size = bytes > UINT8_MAX ? 0 : (uint8_t)bytes;
        deliver(trace, event);
    }
}

static uint32_t sync_id(struct trace *trace, enum object_class class, uint64_t address,
                        bool *handed_over)
{
    struct binary_source *self = trace->source;
    uint32_t number = binary_names_sync(self->names, class, address);
    *handed_over = number < self->handed_over.count && self->handed_over.items[number];
    array_grow(&self->ids, number + 1);
    uint32_t *id = &self->ids.items[number];
    if (*id)
        return *id - 1;
    *id = binary_names_intern(self->names, trace, *handed_over ? CLASS_SEMAPHORE : class, address) +
          1;
    const uint64_t *count = class == CLASS_SEMAPHORE ? map_find(&self->counts, address) : NULL;
    if (count)
        wellformed_semaphore_start(trace->wellformed, *id - 1, (uint32_t)*count);
    return *id - 1;
}

static bool name_operands(struct trace *trace, struct event *event, const struct binary_unit *unit)
{
    struct binary_source *self = trace->source;
    bool handed_over = false;
    switch (record_class(unit->op)) {
    case CLASS_NONE:
        return true;
    case CLASS_THREAD:
        event->object = binary_threads_find(&self->threads, unit->object);
        return event->object != BINARY_NO_THREAD;
    case CLASS_LOCK:
        event->object = sync_id(trace, CLASS_LOCK, unit->object, &handed_over);
        if (handed_over)
            event->op = event->op == EVENT_ACQUIRE ? EVENT_SEM_WAIT : EVENT_POST;
        return true;
    case CLASS_CONDITION:
        event->object = sync_id(trace, CLASS_CONDITION, unit->object, &handed_over);
        if (unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END)
            event->other = sync_id(trace, CLASS_LOCK, unit->other, &handed_over);
        return !handed_over;
    default:
        event->object = sync_id(trace, record_class(unit->op), unit->object, &handed_over);
        return true;
    }
}

static void deliver_record(struct trace *trace, const struct binary_unit *unit, uint32_t thread)
{
    struct binary_source *self = trace->source;
    struct event event = {.thread = thread,
                          .op = unit->op,
                          .flags = unit->flags,
                          .order = unit->order,
                          .size = unit->size,
                          .location = unit->location,
                          .stack = unit->stack,
                          .value = unit->value};
    if (unit->op < EVENT_COUNT && op_in(unit->op, OPS_SCHEDULED)) {
        array_grow(&self->scheduled, thread + 1);
        event.value = self->scheduled.items[thread]++;
    }
    if (unit->op == EVENT_FREE) {
        /* Whoever still uses the block races with this, as with a write. */
        event.op = EVENT_WRITE;
        deliver_access(trace, event, unit->object, block_size(self, unit->object));
    }
    follow_memory(self, unit, thread);
    if (unit->op == EVENT_ALLOC)
        binary_origins_alloc(self->origins, self->objects, unit, thread);
    if (unit->op >= EVENT_COUNT || unit->op == EVENT_ALLOC || unit->op == EVENT_FREE)
        return;
    if (op_in(unit->op, OPS_ATOMIC))
        deliver_access(trace, event, unit->object, unit->size);
    else if (name_operands(trace, &event, unit))
        deliver(trace, event);
}

/* An annotated block has its own name, a function's block the function's. */
static void deliver_block(struct trace *trace, struct event event,
                          const struct binary_access *access)
{
    struct binary_source *self = trace->source;
    uint64_t pc = binary_places_pc(self->places, access->location);
    const char *name = access->address ? binary_places_label(self->places, access->address) : NULL;
    if (!name)
        name = symbols_function(self->symbols, pc);
    if (!name)
        name = symbols_line(self->symbols, pc);
    event.object = intern(trace->names[CLASS_LABEL], name, strlen(name));
    deliver(trace, event);
}

static void deliver_unit(struct trace *trace, const struct binary_unit *unit, uint32_t thread)
{
    if (unit->is_record)
        deliver_record(trace, unit, thread);
    for (size_t i = 0; i < unit->count; i++) {
        const struct binary_access *access = &unit->accesses[i];
        if (!access->present)
            continue;
        struct event event = {.thread = thread,
                              .op = access->op,
                              .flags = access->has_value ? EVENT_HAS_VALUE : 0,
                              .location = access->location,
                              .stack = access->stack,
                              .value = access->value};
        if (op_in(access->op, OPS_ACCESS))
            deliver_access(trace, event, access->address, limited(access->length));
        else if (access->op == EVENT_BRANCH)
            deliver(trace, event);
        else if (access->op == EVENT_BLOCK_BEGIN || access->op == EVENT_BLOCK_END)
            deliver_block(trace, event, access);
    }
}

static long next(struct trace *trace, struct event *events, size_t capacity, struct error *error)
{
    struct binary_source *self = trace->source;
    size_t left = self->queue.count - self->delivered;
    if (left < capacity) { /* more is wanted: make room for it */
        if (left && self->delivered)
            memmove(self->queue.items, self->queue.items + self->delivered, left * sizeof *events);
        self->queue.count = left;
        self->delivered = 0;
    }
    while (self->queue.count - self->delivered < capacity) {
        struct binary_unit unit;
        uint32_t thread;
        int answer = binary_merge_next(self->merge, &thread, &unit, error);
        if (answer < 0)
            return -1;
        if (answer == 0)
            break;
        deliver_unit(trace, &unit, thread);
    }
    size_t count = self->queue.count - self->delivered;
    if (count > capacity)
        count = capacity;
    if (count)
        memcpy(events, self->queue.items + self->delivered, count * sizeof *events);
    self->delivered += count;
    return (long)count;
}

/* --- the format ----------------------------------------------------------- */

static void close_source(struct trace *trace)
{
    struct binary_source *self = trace->source;
    binary_merge_destroy(self->merge);
    binary_threads_free(&self->threads);
    binary_places_destroy(self->places);
    binary_names_destroy(self->names);
    objects_destroy(self->objects);
    symbols_close(self->symbols);
    binary_origins_destroy(self->origins);
    map_free(&self->blocks);
    map_free(&self->counts);
    array_free(&self->variables);
    array_free(&self->ids);
    array_free(&self->handed_over);
    array_free(&self->owners);
    array_free(&self->scheduled);
    array_free(&self->queue);
    free(self);
}

static const char *location(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return symbols_line(self->symbols, binary_places_pc(self->places, id));
}

static bool code(const struct trace *trace, uint32_t id, const char **module, uint64_t *offset)
{
    struct binary_source *self = trace->source;
    *module = symbols_module(self->symbols, binary_places_pc(self->places, id), offset);
    return *module != NULL;
}

static bool caller(const struct trace *trace, uint32_t stack, uint32_t *place, uint32_t *outer)
{
    struct binary_source *self = trace->source;
    return binary_places_frame(self->places, stack, place, outer);
}

static const char *function(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return symbols_function(self->symbols, binary_places_pc(self->places, id));
}

static bool frame(const struct trace *trace, uint32_t id, uint32_t level, const char **name,
                  const char **place)
{
    struct binary_source *self = trace->source;
    return symbols_frame(self->symbols, binary_places_pc(self->places, id), level, name, place);
}

static const char *stable_location(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return symbols_stable_line(self->symbols, binary_places_pc(self->places, id));
}

static bool origin(const struct trace *trace, uint32_t variable, struct trace_origin *found)
{
    struct binary_source *self = trace->source;
    return binary_origins_find(self->origins, self->objects, &self->threads, variable, found);
}

static const struct trace_format binary_format = {.name = "binary",
                                                  .next = next,
                                                  .close = close_source,
                                                  .location = location,
                                                  .caller = caller,
                                                  .function = function,
                                                  .frame = frame,
                                                  .stable_location = stable_location,
                                                  .code = code,
                                                  .origin = origin};

struct trace *binary_open_cut(const char *path, const struct binary_cut *cut, struct error *error)
{
    char modules[4400];
    struct trace *trace = trace_create(path);
    struct binary_source *self = NEW(struct binary_source);
    trace->format = &binary_format;
    trace->source = self;
    snprintf(modules, sizeof modules, "%s/modules", path);
    self->symbols = symbols_open(modules);
    self->places = binary_places_create();
    self->objects = objects_create();
    self->origins = binary_origins_create();
    self->names = binary_names_create(self->symbols);
    if (binary_threads_read(&self->threads, path, cut, error) || learn(self, error)) {
        trace_close(trace);
        return NULL;
    }
    array_grow(&self->variables, objects_count(self->objects));
    for (uint32_t i = 0; i < self->threads.count; i++)
        intern(trace->names[CLASS_THREAD], self->threads.items[i].name,
               strlen(self->threads.items[i].name));
    self->merge = binary_merge_create(&self->threads, self->places);
    return trace;
}

struct trace *binary_open(const char *path, struct error *error)
{
    return binary_open_cut(path, NULL, error);
}
