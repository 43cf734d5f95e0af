/* SPDX-License-Identifier: MIT */
/* The last pass: from units to events. */
#include "trace/recorded/binary_source.h"
#include "trace/schedule.h"
#include "trace/wellformed.h"

static void next_segment(struct trace *trace, uint32_t thread)
{
    struct binary_source *self = trace->source;
    array_grow(&self->segments, thread + 1);
    struct segment_now *now = &self->segments.items[thread];
    now->number++;
    now->sampled = selection_looks(trace->selection, thread, now->number);
}

/* An access, before it is delivered. */
static bool is_selected(const struct trace *trace, const struct event *event, uint32_t object)
{
    const struct binary_source *self = trace->source;
    if (!trace->selection || op_in(event->op, OPS_SYNC) ||
        selection_keeps(trace->selection, object))
        return true;
    if (event->thread >= self->segments.count)
        return true; /* before any synchronisation: a thread without a beginning */
    const struct segment_now *now = &self->segments.items[event->thread];
    return now->sampled && selection_has_sample(trace->selection, event->thread, now->number,
                                                event->location, object);
}

/* A real program can do what no rule allows (an event of a signal handler while
 * its thread waits, a release of what was never acquired): such an event has no
 * place in a trace and is left out. */
void binary_deliver_event(struct trace *trace, struct event event)
{
    struct binary_source *self = trace->source;
    switch (wellformed_check(trace->wellformed, trace, &event)) {
    case WELLFORMED_KEEP:
        array_push(&self->queue, event);
        if (trace->selection && op_in(event.op, OPS_SYNC))
            next_segment(trace, event.thread);
        if (self->late.count)
            binary_misuse_waited(trace, &event);
        break;
    case WELLFORMED_BROKEN:
        if (event.op == EVENT_BAD_CALL) { /* in a handler, while its thread waits */
            array_push(&self->late, event);
            break;
        }
        /* A try that failed is stamped after it: the owner may be gone by then. */
        trace->left_out += !(event.flags & EVENT_FAILED);
        break;
    case WELLFORMED_DROP:
        break;
    }
}

static void begin_access(struct binary_delivery *now, const struct event *event, uint64_t address,
                         uint64_t length)
{
    now->access = *event;
    now->address = address;
    now->end = address + length < address ? UINT64_MAX : address + length;
}

static bool is_full(const struct binary_source *self)
{
    return self->queue.count - self->delivered >= self->wanted;
}

/* One event for each shared object that the bytes cover; false if there may be more of them than
 * are wanted now. */
static bool deliver_access(struct trace *trace)
{
    struct binary_source *self = trace->source;
    struct binary_delivery *now = &self->now;
    struct event *event = &now->access;
    while (now->address < now->end) {
        uint32_t bytes;
        if (is_full(self))
            return false;
        uint32_t object = objects_next(self->objects, &now->address, now->end, &bytes);
        if (object == OBJECT_NONE) {
            now->end = now->address;
        } else if (is_selected(trace, event, object)) {
            event->object =
                trace->by_objects ? object : binary_variables_id(self->variables, object);
            event->size = bytes > UINT8_MAX ? 0 : (uint8_t)bytes;
            binary_deliver_event(trace, *event);
        }
    }
    return true;
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

/* A mutex that is used as a semaphore (binary_learn.c). */
static bool as_semaphore(struct binary_source *self, struct event *event)
{
    if (op_in(event->op, OPS_MISUSE))
        return false;
    array_grow(&self->takers, event->object + 1);
    uint32_t *taker = &self->takers.items[event->object];
    bool takes = event->op == EVENT_ACQUIRE;
    if (!takes && *taker && *taker != event->thread + 1)
        event->flags |= EVENT_FOREIGN;
    if (!takes || !(event->flags & EVENT_FAILED))
        *taker = takes ? event->thread + 1 : 0;
    event->op = takes ? EVENT_SEM_WAIT : EVENT_POST;
    return true;
}

bool binary_name_operands(struct trace *trace, struct event *event, const struct binary_unit *unit)
{
    struct binary_source *self = trace->source;
    bool handed_over = false;
    switch (binary_record_class(unit->op)) {
    case CLASS_NONE:
        return true;
    case CLASS_THREAD:
        event->object = binary_threads_find(&self->threads, unit->object);
        return event->object != BINARY_NO_THREAD;
    case CLASS_LOCK:
        event->object = sync_id(trace, CLASS_LOCK, unit->object, &handed_over);
        return !handed_over || as_semaphore(self, event);
    case CLASS_LABEL:
        return binary_misuse_label(trace, unit->object, &event->object);
    case CLASS_CONDITION:
        event->object = sync_id(trace, CLASS_CONDITION, unit->object, &handed_over);
        if (unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END)
            event->other = sync_id(trace, CLASS_LOCK, unit->other, &handed_over);
        return !handed_over;
    default:
        event->object = sync_id(trace, binary_record_class(unit->op), unit->object, &handed_over);
        return true;
    }
}

/* The memory has become another's: what was there is not accessed any more. */
static void end_variables(struct trace *trace)
{
    struct binary_source *self = trace->source;
    const uint32_t *objects;
    size_t count = objects_take_ended(self->objects, &objects);
    uint64_t after = trace->delivered + (self->queue.count - self->delivered);
    for (size_t i = 0; i < count; i++) {
        uint32_t id =
            trace->by_objects ? objects[i] : binary_variables_find(self->variables, objects[i]);
        if (id != OBJECT_NONE)
            array_push(&self->gone, ((struct gone_variable){id, after}));
    }
}

/* Says which variables the events delivered so far are the last to mention. */
static void tell_gone(struct trace *trace, uint64_t delivered)
{
    struct binary_source *self = trace->source;
    while (self->told < self->gone.count && self->gone.items[self->told].after <= delivered)
        array_push(&trace->gone, self->gone.items[self->told++].id);
    if (self->told == self->gone.count)
        self->told = self->gone.count = 0;
}

static uint64_t event_lock_address(const struct binary_unit *unit)
{
    return unit->op == EVENT_WAIT_BEGIN || unit->op == EVENT_WAIT_END ? unit->other : unit->object;
}

/* The memory of locks has become free, or another lock's. */
static void end_held_locks(struct trace *trace, struct event event, uint64_t address,
                           uint64_t length)
{
    struct binary_source *self = trace->source;
    event.op = EVENT_DESTROY;
    event.flags |= EVENT_IMPLIED;
    while (held_locks_take(&self->held, address, length, &event.object))
        binary_deliver_event(trace, event);
}

/* It is destroyed, and nothing has initialised it again. */
static void deliver_use(struct trace *trace, struct event event, const struct binary_unit *unit)
{
    bool handed_over;
    event.op = EVENT_BAD_ACQUIRE;
    event.flags = EVENT_IMPLIED;
    event.object = sync_id(trace, CLASS_LOCK, unit->object, &handed_over);
    binary_deliver_event(trace, event);
}

static struct event event_of(struct trace *trace, const struct binary_unit *unit, uint32_t thread)
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
    if (unseen_waits_is(self->unseen, unit, thread))
        event.flags |= EVENT_UNSEEN;
    if (unit->op < EVENT_COUNT && op_in(unit->op, OPS_SCHEDULED)) {
        array_grow(&self->scheduled, thread + 1);
        event.value = self->scheduled.items[thread]++;
    }
    return event;
}

/* The end of a block is an access of all of it, and comes before the rest of the record. */
static void begin_record(struct trace *trace)
{
    struct binary_source *self = trace->source;
    struct binary_delivery *now = &self->now;
    const struct binary_unit *unit = &now->unit;
    now->event = event_of(trace, unit, now->thread);
    if (binary_misuse_in_handler(self, unit, now->thread))
        binary_misuse_bad_call(trace, now->event, BAD_SIGNAL_UNSAFE);
    if (unit->op != EVENT_FREE)
        return;
    /* Whoever still uses the block races with this, as with a write. */
    now->event.op = EVENT_WRITE;
    now->event.flags |= EVENT_FREES;
    begin_access(now, &now->event, unit->object, binary_source_block(self, unit->object));
}

static void end_record(struct trace *trace, struct event event, const struct binary_unit *unit)
{
    struct binary_source *self = trace->source;
    uint32_t thread = event.thread;
    if (unit->op == EVENT_FREE)
        end_held_locks(trace, event, unit->object, binary_source_block(self, unit->object));
    if (unit->op == RECORD_OP_INIT)
        end_held_locks(trace, event, unit->object, 1);
    if (unit->op == EVENT_END) {
        array_grow(&self->ended, thread + 1);
        self->ended.items[thread] = true;
    }
    binary_source_follow(self, unit, thread);
    end_variables(trace);
    if (self->late_use)
        deliver_use(trace, event, unit);
    if (unit->op == EVENT_ALLOC)
        binary_origins_alloc(self->origins, self->objects, unit, thread);
    if (unit->op >= EVENT_COUNT || unit->op == EVENT_ALLOC || unit->op == EVENT_FREE)
        return;
    if (op_in(unit->op, OPS_ATOMIC)) {
        event.op = looks_op(self->looks, unit, thread);
        if (record_is_library_edge(unit->object))
            event.flags |= EVENT_UNSEEN;
        begin_access(&self->now, &event, unit->object, unit->size);
    } else if (binary_name_operands(trace, &event, unit)) {
        binary_misuse_operation(trace, event, event_lock_address(unit));
    }
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
    binary_deliver_event(trace, event);
}

/* An operation that nobody performed: what a skipped wait implies (skipped_waits.h). */
static void deliver_implied(struct trace *trace, unsigned op, const struct skipped_mark *mark,
                            uint32_t location, uint32_t stack)
{
    struct binary_source *self = trace->source;
    struct event event = {.thread = mark->thread,
                          .op = (uint8_t)op,
                          .flags = EVENT_IMPLIED,
                          .location = location,
                          .stack = stack};
    array_grow(&self->latches, mark->latch + 1);
    uint32_t *id = &self->latches.items[mark->latch];
    if (!*id)
        *id = 1 + binary_names_latch(self->names, trace, mark->condition, mark->number);
    event.object = *id - 1;
    binary_deliver_event(trace, event);
}

static void begin_plain(struct trace *trace, const struct binary_access *access, uint32_t thread)
{
    struct binary_source *self = trace->source;
    struct event event = {.thread = thread,
                          .op = access->op,
                          .flags = access->has_value ? EVENT_HAS_VALUE : 0,
                          .location = access->location,
                          .stack = access->stack,
                          .value = access->value};
    if (op_in(access->op, OPS_ACCESS))
        begin_access(&self->now, &event, access->address, binary_limited(access->length));
    else if (access->op == EVENT_BRANCH)
        binary_deliver_event(trace, event);
    else if (access->op == EVENT_BLOCK_BEGIN || access->op == EVENT_BLOCK_END)
        deliver_block(trace, event, access);
}

/* 1: there is a unit; 0 at the end, -1 with an error. */
static int begin_unit(struct trace *trace, struct error *error)
{
    struct binary_source *self = trace->source;
    struct binary_delivery *now = &self->now;
    const struct binary_unit *unit = &now->unit;
    *now = (struct binary_delivery){0};
    int answer = binary_merge_next(self->merge, &now->thread, &now->unit, error);
    if (answer <= 0)
        return answer;
    now->begun = true;
    now->marks = skipped_waits_next(self->waits, now->thread, &now->mark);
    for (; now->marks && !now->mark->access; now->marks--, now->mark++) {
        deliver_implied(trace, EVENT_ONCE_BEGIN, now->mark, unit->location, unit->stack);
        deliver_implied(trace, EVENT_ONCE_END, now->mark, unit->location, unit->stack);
    }
    if (unit->is_record)
        begin_record(trace);
    return 1;
}

/* The waits that were skipped right after the access that came last. */
static void deliver_skipped(struct trace *trace)
{
    struct binary_source *self = trace->source;
    struct binary_delivery *now = &self->now;
    for (; now->marks && now->mark->access == now->accesses; now->marks--, now->mark++) {
        const struct binary_access *access = &now->unit.accesses[now->accesses - 1];
        deliver_implied(trace, EVENT_ONCE_PASS, now->mark, access->location, access->stack);
    }
}

/* Goes on with the unit; true if that is the end of it, false if there is as much as is wanted. */
static bool deliver_unit(struct trace *trace)
{
    struct binary_source *self = trace->source;
    struct binary_delivery *now = &self->now;
    const struct binary_unit *unit = &now->unit;
    if (!deliver_access(trace))
        return false;
    if (!now->record_done) {
        now->record_done = true;
        if (unit->is_record)
            end_record(trace, now->event, unit);
        unseen_waits_follow(self->unseen, unit, now->thread);
        if (!deliver_access(trace))
            return false;
    }
    for (;;) {
        deliver_skipped(trace);
        if (now->accesses == unit->count)
            return true;
        const struct binary_access *access = &unit->accesses[now->accesses++];
        if (access->present)
            begin_plain(trace, access, now->thread);
        if (!deliver_access(trace))
            return false;
    }
}

long binary_deliver(struct trace *trace, struct event *events, size_t capacity, struct error *error)
{
    struct binary_source *self = trace->source;
    size_t left = self->queue.count - self->delivered;
    if (left < capacity) { /* more is wanted: make room for it */
        if (left && self->delivered)
            memmove(self->queue.items, self->queue.items + self->delivered, left * sizeof *events);
        self->queue.count = left;
        self->delivered = 0;
    }
    self->wanted = capacity;
    while (!is_full(self)) {
        int answer = self->now.begun ? 1 : begin_unit(trace, error);
        if (answer < 0)
            return -1;
        if (answer == 0) {
            binary_wishes_deliver(trace);
            break;
        }
        self->now.begun = !deliver_unit(trace);
    }
    size_t count = self->queue.count - self->delivered;
    if (count > capacity)
        count = capacity;
    if (count)
        memcpy(events, self->queue.items + self->delivered, count * sizeof *events);
    self->delivered += count;
    tell_gone(trace, trace->delivered + count);
    return (long)count;
}
