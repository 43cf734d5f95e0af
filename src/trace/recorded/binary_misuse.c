/* SPDX-License-Identifier: MIT */
/* Calls that break a rule by when they come, or of which only the rule is recorded; and releases of
 * locks that their thread does not hold. */
#include "trace/recorded/binary_source.h"

/* What a handler may interrupt and then wait for, or find half done: the heap, and whatever takes a
 * lock. To post a semaphore is safe, and a try ends by itself. */
static bool is_unsafe(const struct binary_unit *unit)
{
    static const uint64_t unsafe =
        OP_BIT(EVENT_ALLOC) | OP_BIT(EVENT_FREE) | OP_BIT(EVENT_ACQUIRE) |
        OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE) | OP_BIT(EVENT_WAIT_BEGIN) |
        OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_BARRIER_ENTER) |
        OP_BIT(EVENT_ONCE_BEGIN) | OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN);
    return unit->op < EVENT_COUNT && op_in(unit->op, unsafe) &&
           !(op_in(unit->op, OPS_ACQUIRING) && unit->flags & EVENT_TRY);
}

bool binary_misuse_in_handler(struct binary_source *self, const struct binary_unit *unit,
                              uint32_t thread)
{
    if (unit->op == RECORD_OP_HANDLER_BEGIN || unit->op == RECORD_OP_HANDLER_END) {
        array_grow(&self->handlers, thread + 1);
        self->handlers.items[thread] = unit->op == RECORD_OP_HANDLER_BEGIN;
        return false;
    }
    return thread < self->handlers.count && self->handlers.items[thread] && is_unsafe(unit);
}

bool binary_misuse_label(struct trace *trace, uint64_t number, uint32_t *label)
{
    const char *rule = NULL;
    switch (number) {
#define CALL(id, value, name)                                                                      \
    case BAD_##id:                                                                                 \
        rule = name;                                                                               \
        break;
        BAD_CALLS(CALL)
#undef CALL
    default:
        return false;
    }
    *label = intern(trace->names[CLASS_LABEL], rule, strlen(rule));
    return true;
}

void binary_misuse_bad_call(struct trace *trace, struct event event, enum bad_call call)
{
    event.op = EVENT_BAD_CALL;
    event.flags = EVENT_IMPLIED;
    if (binary_misuse_label(trace, call, &event.object))
        binary_deliver_event(trace, event);
}

void binary_misuse_waited(struct trace *trace, const struct event *event)
{
    struct binary_source *self = trace->source;
    if (event->op != EVENT_WAIT_END && event->op != EVENT_BARRIER_EXIT)
        return;
    for (size_t i = 0; i < self->late.count;) {
        struct event late = self->late.items[i];
        if (late.thread != event->thread) {
            i++;
            continue;
        }
        self->late.items[i] = array_pop(&self->late);
        binary_deliver_event(trace, late);
    }
}

static void deliver_lock(struct trace *trace, struct event event, uint64_t address, unsigned op)
{
    struct binary_source *self = trace->source;
    event.op = (uint8_t)op;
    binary_deliver_event(trace, event);
    if (op_in(op, OPS_ACQUIRING | OPS_RELEASING))
        held_locks_follow(&self->held, &event, address);
}

/* Nobody but the holder can release a lock of a trace. That it does is implied, and so is that the
 * thread has had the lock for a moment: whoever takes it next comes after both. */
static void deliver_amiss(struct trace *trace, struct event event,
                          const struct held_lock_at *holder)
{
    unsigned acquire = holder->reading ? EVENT_ACQUIRE_READ : EVENT_ACQUIRE_WRITE;
    unsigned release = holder->reading ? EVENT_RELEASE_READ : EVENT_RELEASE_WRITE;
    struct event bad = event, implied = event;
    bad.flags |= EVENT_FOREIGN;
    deliver_lock(trace, bad, holder->address, EVENT_BAD_RELEASE);
    implied.flags |= EVENT_IMPLIED;
    implied.thread = holder->thread;
    deliver_lock(trace, implied, holder->address, release);
    if (holder->thread == event.thread)
        return;
    implied.thread = event.thread;
    deliver_lock(trace, implied, holder->address, acquire);
    deliver_lock(trace, implied, holder->address, release);
}

/* A readers-writer lock of the program's own that nobody holds. One that was acquired before the
 * recording began (by who called fork) is another matter. */
static bool releases_free(struct binary_source *self, const struct event *event)
{
    if (event->op != EVENT_RELEASE_READ && event->op != EVENT_RELEASE_WRITE)
        return false;
    array_grow(&self->acquired, event->object + 1);
    return self->acquired.items[event->object] && !held_locks_any(&self->held, event->object);
}

void binary_misuse_operation(struct trace *trace, struct event event, uint64_t address)
{
    struct binary_source *self = trace->source;
    struct held_lock_at holder;
    if (held_locks_amiss(&self->held, &event, &holder)) {
        deliver_amiss(trace, event, &holder);
        return;
    }
    if (releases_free(self, &event))
        event.op = EVENT_BAD_RELEASE;
    if (event_acquires(&event)) {
        array_grow(&self->acquired, event_lock(&event) + 1);
        self->acquired.items[event_lock(&event)] = true;
    }
    deliver_lock(trace, event, address, event.op);
}
