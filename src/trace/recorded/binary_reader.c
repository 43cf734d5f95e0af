/* SPDX-License-Identifier: MIT */
/* The format of recorded traces: opening, closing, and questions about places. */
#include "trace/recorded/binary_follow.h"
#include "trace/recorded/binary_source.h"
#include "trace/recorded/binary_stop.h"
#include "symbols/value_flow.h"
#include "trace/formats.h"

#include <stdio.h>
#include <xxhash.h>

enum { CALLERS_LOOKED = 8 }; /* between a read and the loop that it is the check of */

enum object_class binary_record_class(unsigned op)
{
    if (op == RECORD_OP_BARRIER_INIT)
        return CLASS_BARRIER;
    if (op == RECORD_OP_SEM_INIT)
        return CLASS_SEMAPHORE;
    return op < EVENT_COUNT ? event_object_class((enum event_op)op) : CLASS_NONE;
}

static void begin_memory(struct binary_source *self, uint64_t address, uint64_t length)
{
    objects_begin(self->objects, address, length);
    binary_names_forget(self->names, address, length);
}

static uint64_t lock_key(uint64_t address)
{
    return address == UINT64_MAX ? 0 : address;
}

/* It was initialised anew, by an assignment: a destroyed mutex refuses. But one that stays
 * destroyed is used so. (All passes ask for the number, so that all number alike.) */
static void acquire_destroyed(struct binary_source *self, const struct binary_unit *unit)
{
    const uint64_t *number = map_find(&self->destroyed, lock_key(unit->object));
    if (!number)
        return;
    self->late_use =
        *number && *number == binary_names_sync(self->names, CLASS_LOCK, unit->object) + 1;
    if (self->late_use)
        return;
    map_remove(&self->destroyed, lock_key(unit->object));
    binary_names_forget(self->names, unit->object, 1);
}

void binary_source_follow(struct binary_source *self, const struct binary_unit *unit,
                          uint32_t thread)
{
    self->late_use = false;
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
        map_remove(&self->destroyed, lock_key(unit->object));
        binary_names_forget(self->names, unit->object, 1);
        break;
    case EVENT_DESTROY:
        if (!(unit->flags & EVENT_FAILED))
            *map_at(&self->destroyed, lock_key(unit->object), NULL) =
                unit->flags & EVENT_TRY
                    ? binary_names_sync(self->names, CLASS_LOCK, unit->object) + 1
                    : 0;
        break;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        if (self->destroyed.count)
            acquire_destroyed(self, unit);
        break;
    default:
        break;
    }
}

uint64_t binary_source_block(const struct binary_source *self, uint64_t address)
{
    const uint64_t *size = map_find(&self->blocks, address);
    return size ? binary_limited(*size) : 0;
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
    value_flow_destroy(self->flow);
    wait_code_destroy(self->code);
    symbols_close(self->symbols);
    binary_origins_destroy(self->origins);
    map_free(&self->blocks);
    map_free(&self->counts);
    map_free(&self->destroyed);
    binary_variables_destroy(self->variables);
    array_free(&self->ids);
    array_free(&self->handed_over);
    array_free(&self->owners);
    array_free(&self->takers);
    array_free(&self->held);
    array_free(&self->acquired);
    array_free(&self->handlers);
    array_free(&self->late);
    array_free(&self->scheduled);
    array_free(&self->ended);
    array_free(&self->segments);
    skipped_waits_destroy(self->waits);
    looks_destroy(self->looks);
    unseen_waits_destroy(self->unseen);
    array_free(&self->latches);
    array_free(&self->queue);
    array_free(&self->gone);
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

static const char *build_directory(const struct trace *trace, uint32_t number)
{
    const struct binary_source *self = trace->source;
    return symbols_build(self->symbols, number);
}

static bool vouches_for(const struct trace *trace, const uint8_t sum[MD5_BYTES])
{
    const struct binary_source *self = trace->source;
    return symbols_vouch_for(self->symbols, sum);
}

static const char *stable_location(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return symbols_stable_line(self->symbols, binary_places_pc(self->places, id));
}

static const char *identity(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return symbols_identity(self->symbols, binary_places_pc(self->places, id));
}

static bool origin(const struct trace *trace, uint32_t variable, struct trace_origin *found)
{
    struct binary_source *self = trace->source;
    return binary_origins_find(self->origins, self->objects, &self->threads,
                               binary_variables_object(self->variables, variable), found);
}

static bool initial(const struct trace *trace, uint32_t variable, uint64_t *value)
{
    struct binary_source *self = trace->source;
    uint32_t object = binary_variables_object(self->variables, variable);
    return object != OBJECT_NONE &&
           symbols_initial(self->symbols, objects_address(self->objects, object),
                           objects_length(self->objects, object), value);
}

static uint32_t variables(const struct trace *trace)
{
    const struct binary_source *self = trace->source;
    return binary_variables_count(self->variables);
}

static const char *variable_name(const struct trace *trace, uint32_t id)
{
    struct binary_source *self = trace->source;
    return binary_variables_name(self->variables, id);
}

static uint64_t line_number(void *context, uint32_t id)
{
    struct binary_source *self = context;
    const char *line = symbols_line(self->symbols, binary_places_pc(self->places, id));
    return XXH3_64bits(line, strlen(line));
}

static uint64_t counter(void *context, uint32_t id)
{
    struct binary_source *self = context;
    return binary_places_pc(self->places, id);
}

/* Program counters, innermost first; the code is opened by the way. */
static size_t counters(struct binary_source *self, uint32_t id, uint32_t stack,
                       uint64_t pcs[CALLERS_LOOKED])
{
    size_t count = 0;
    do
        pcs[count++] = binary_places_pc(self->places, id);
    while (count < CALLERS_LOOKED && binary_places_frame(self->places, stack, &id, &stack));
    if (!self->code)
        self->code = wait_code_create(self->symbols);
    return count;
}

static enum wait_answer checks_wait(void *context, uint32_t id, uint32_t stack, uint64_t *site)
{
    struct binary_source *self = context;
    uint64_t pcs[CALLERS_LOOKED];
    size_t count = counters(self, id, stack, pcs);
    return wait_code_checks(self->code, pcs, count, site);
}

static bool looks(void *context, uint32_t id, uint32_t stack)
{
    struct binary_source *self = context;
    uint64_t pcs[CALLERS_LOOKED];
    size_t count = counters(self, id, stack, pcs);
    return wait_code_looks(self->code, pcs, count);
}

/* What is known before the first event is delivered. */
static void begin_delivery(struct trace *trace)
{
    struct binary_source *self = trace->source;
    for (uint32_t i = 0; i < self->threads.count; i++)
        intern(trace->names[CLASS_THREAD], self->threads.items[i].name,
               strlen(self->threads.items[i].name));
    self->looks = looks_create(looks, self);
    self->unseen = unseen_waits_create(self->symbols, self->places);
    self->origins = binary_origins_create();
    self->variables = binary_variables_create(self->names, self->objects);
    self->merge = binary_merge_create(&self->threads, self->places);
}

static void rewind_source(struct trace *trace)
{
    struct binary_source *self = trace->source;
    binary_merge_destroy(self->merge);
    looks_destroy(self->looks);
    unseen_waits_destroy(self->unseen);
    binary_origins_destroy(self->origins);
    binary_variables_destroy(self->variables);
    objects_rewind(self->objects);
    binary_names_reset(self->names);
    skipped_waits_rewind(self->waits);
    map_free(&self->blocks);
    map_free(&self->counts);
    map_free(&self->destroyed);
    array_free(&self->ids);
    array_free(&self->scheduled);
    array_free(&self->segments);
    array_free(&self->takers);
    array_free(&self->held);
    array_free(&self->acquired);
    array_free(&self->ended);
    array_free(&self->latches);
    self->queue.count = self->delivered = 0;
    self->now = (struct binary_delivery){0};
    self->gone.count = self->told = 0;
    begin_delivery(trace);
}

static const struct trace_format binary_format = {.name = "binary",
                                                  .next = binary_deliver,
                                                  .close = close_source,
                                                  .rewind = rewind_source,
                                                  .location = location,
                                                  .caller = caller,
                                                  .function = function,
                                                  .frame = frame,
                                                  .stable_location = stable_location,
                                                  .build_directory = build_directory,
                                                  .vouches_for = vouches_for,
                                                  .identity = identity,
                                                  .code = code,
                                                  .leads = binary_leads,
                                                  .carries = binary_carries,
                                                  .decides = binary_decides,
                                                  .tests = binary_tests,
                                                  .updates = binary_updates,
                                                  .origin = origin,
                                                  .initial = initial,
                                                  .variables = variables,
                                                  .variable_name = variable_name};

/* As much of the streams as the first time, though they may have grown. */
static struct trace *again(const struct trace *trace, struct error *error)
{
    const struct binary_source *self = trace->source;
    struct binary_cut cut = {.limit = self->threads.last_stamp + 1};
    for (uint32_t i = 0; i < self->threads.count; i++) {
        const struct binary_thread *thread = &self->threads.items[i];
        *map_at(&cut.ends, thread->header.number, NULL) = thread->bytes;
    }
    struct trace *same = binary_open_cut(trace->path, self->cut ? &cut : NULL, error);
    binary_cut_free(&cut);
    if (same)
        trace_select(same, selection_share(trace->selection));
    return same;
}

struct trace *binary_open_cut(const char *path, const struct binary_cut *cut, struct error *error)
{
    char modules[4400];
    struct trace *trace = trace_create(path);
    struct binary_source *self = NEW(struct binary_source);
    trace->format = &binary_format;
    trace->source = self;
    trace->again = again;
    self->cut = cut != NULL;
    snprintf(modules, sizeof modules, "%s/modules", path);
    self->whole = !cut;
    self->symbols = symbols_open(modules);
    self->places = binary_places_create();
    binary_places_use(self->places, self->symbols);
    self->objects = objects_create();
    self->waits =
        skipped_waits_create(&(struct skipped_program){self, line_number, counter, checks_wait});
    self->names = binary_names_create(self->symbols);
    if (binary_threads_read(&self->threads, path, cut, error) || binary_learn(self, error)) {
        trace_close(trace);
        return NULL;
    }
    begin_delivery(trace);
    if (!cut)
        binary_stop_read(path, &trace->incomplete);
    return trace;
}

struct trace *binary_open(const char *path, struct error *error)
{
    return binary_open_cut(path, NULL, error);
}
