/* SPDX-License-Identifier: MIT */
#include "misuse/strict.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_READ_WRITE (OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE))

struct strict_events ARRAY_OF(struct event);
struct origins ARRAY_OF(uint32_t);

struct strict {
    const struct misuse_index *index;
    struct history *history;
    struct trace trace;   /* the recorded one's, with more locks */
    uint32_t *added_lock; /* by pos of a destroy: the lock added for what it destroys */
    struct strict_events events;
    struct origins origins; /* by pos there: that of the recorded run, POS_NONE if it was added */
    uint32_t *pos_there;    /* by pos; for uses, that of the acquire before them */
};

static void push(struct strict *self, struct event event, uint32_t origin)
{
    array_push(&self->events, event);
    array_push(&self->origins, origin);
}

static void push_around(struct strict *self, struct event event, enum event_op op, uint32_t lock)
{
    event.op = (uint8_t)op;
    event.flags = op_in(op, OPS_ACQUIRING) ? EVENT_TRY : 0;
    event.object = lock;
    event.other = 0;
    event.value = 0;
    push(self, event, POS_NONE);
}

static bool is_destroy(const struct strict *self, const struct event *event, uint32_t pos)
{
    const struct misuse_index *index = self->index;
    switch (event->op) {
    case EVENT_DESTROY:
        return index->destroy[event->object] == pos;
    case EVENT_SEMAPHORE_DESTROY:
        return index->semaphore_destroy && index->semaphore_destroy[event->object] == pos;
    case EVENT_CONDITION_DESTROY:
        return index->condition_destroy && index->condition_destroy[event->object] == pos;
    default:
        return false;
    }
}

/* The destroys of semaphores and condition variables, each with a number behind those of locks. */
static void add_locks(struct strict *self)
{
    const struct history *history = self->index->history;
    struct interner *locks = interner_create();
    char name[16];
    self->trace = *history->trace;
    self->added_lock = NEW_ARRAY(uint32_t, history->count);
    for (uint32_t lock = 0; lock < self->index->locks; lock++)
        intern(locks, name, (size_t)snprintf(name, sizeof name, "%u", lock));
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op != EVENT_DESTROY && is_destroy(self, event, pos))
            self->added_lock[pos] =
                intern(locks, name, (size_t)snprintf(name, sizeof name, "+%u", pos));
    }
    self->trace.names[CLASS_LOCK] = locks;
}

/* Which locks are readers-writer locks. */
static bool *find_read_write(const struct misuse_index *index)
{
    const struct history *history = index->history;
    bool *read_write = NEW_ARRAY(bool, index->locks);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_READ_WRITE))
            read_write[history->events[pos].object] = true;
    return read_write;
}

static void add_destroy(struct strict *self, struct event event, uint32_t pos,
                        const bool *read_write)
{
    bool shared = event.op != EVENT_DESTROY || read_write[event.object];
    if (event.op != EVENT_DESTROY)
        event.object = self->added_lock[pos];
    event.op = shared ? EVENT_ACQUIRE_WRITE : EVENT_ACQUIRE;
    event.flags = EVENT_TRY;
    push(self, event, pos);
}

static void add_event(struct strict *self, uint32_t pos, const bool *read_write)
{
    const struct event *event = &self->index->history->events[pos];
    uint32_t destroy = op_in(event->op, OPS_SEMAPHORE_USES | OPS_CONDITION_USES)
                           ? misuse_destroy_of_used(self->index, event)
                           : POS_NONE;
    self->pos_there[pos] = (uint32_t)self->events.count;
    if (destroy != POS_NONE) {
        push_around(self, *event, EVENT_ACQUIRE_READ, self->added_lock[destroy]);
        push(self, *event, pos);
        push_around(self, *event, EVENT_RELEASE_READ, self->added_lock[destroy]);
    } else if (is_destroy(self, event, pos)) {
        add_destroy(self, *event, pos, read_write);
    } else {
        push(self, *event, pos);
    }
}

/* Takes over the events. */
static struct history *make_history(struct strict *self)
{
    const struct history *history = self->index->history;
    struct history *strict = history_create_with(&self->trace, self->events.items,
                                                 (uint32_t)self->events.count, history->variables);
    self->events = (struct strict_events){0};
    if (strict->has_values) {
        memcpy(strict->initial_value, history->initial_value,
               history->variables * sizeof *strict->initial_value);
        memcpy(strict->initial_known, history->initial_known,
               history->variables * sizeof *strict->initial_known);
    }
    return strict;
}

struct strict *strict_create(const struct misuse_index *index)
{
    struct strict *self = NEW(struct strict);
    uint32_t count = index->history->count;
    self->index = index;
    self->pos_there = memory_alloc(count, sizeof *self->pos_there);
    add_locks(self);
    bool *read_write = find_read_write(index);
    for (uint32_t pos = 0; pos < count; pos++)
        add_event(self, pos, read_write);
    free(read_write);
    self->history = make_history(self);
    return self;
}

void strict_destroy(struct strict *self)
{
    if (!self)
        return;
    history_destroy(self->history);
    interner_destroy(self->trace.names[CLASS_LOCK]);
    array_free(&self->events);
    array_free(&self->origins);
    free(self->added_lock);
    free(self->pos_there);
    free(self);
}

const struct history *strict_history(const struct strict *self)
{
    return self->history;
}

uint32_t strict_pos(const struct strict *self, uint32_t pos)
{
    return self->pos_there[pos];
}

uint32_t strict_original(const struct strict *self, const uint32_t *events, uint32_t count,
                         uint32_t *original)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (self->origins.items[events[i]] != POS_NONE)
            original[kept++] = self->origins.items[events[i]];
    return kept;
}
