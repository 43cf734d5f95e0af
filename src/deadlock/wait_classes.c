/* SPDX-License-Identifier: MIT */
#include "deadlock/wait_classes.h"

enum {
    CLASSES_MAX = 4096,
    SMALL = 4096, /* events: then every wait is looked at, however unlikely it matters */
};

struct wait_reader {
    struct wait_classes *result; /* of the part being read */
    uint32_t at;
    const struct history *history;
    const struct blocking *blocking;
    struct order *must;
    uint64_t relevant; /* operations that matter to it, or to who waits */
    bool small;
    bool *helper;             /* by thread: it signals, posts or enters a barrier */
    struct stack *stacks;     /* by thread: what it holds */
    uint32_t first_semaphore; /* those used as locks follow the locks ... */
    uint32_t first_once;      /* ... and once-blocks follow them */
};

static struct stack *stack_of(struct wait_reader *reader, uint32_t thread)
{
    return &reader->stacks[thread];
}

static void hold(struct wait_reader *reader, uint32_t thread, uint32_t lock, bool shared)
{
    struct lock_mode mode = {lock, shared};
    struct stack *stack = stack_of(reader, thread);
    array_push(stack, mode);
    for (size_t i = stack->count - 1; i > 0 && stack->items[i - 1].lock > lock; i--) {
        stack->items[i] = stack->items[i - 1];
        stack->items[i - 1] = mode;
    }
}

static void let_go(struct wait_reader *reader, uint32_t thread, uint32_t lock)
{
    struct stack *stack = stack_of(reader, thread);
    for (size_t i = 0; i < stack->count; i++)
        if (stack->items[i].lock == lock) {
            memmove(&stack->items[i], &stack->items[i + 1],
                    (stack->count - i - 1) * sizeof *stack->items);
            stack->count--;
            return;
        }
}

static bool is_semaphore_lock(const struct wait_reader *reader, uint32_t semaphore)
{
    return reader->blocking->semaphore_locks && reader->blocking->semaphore_locks[semaphore];
}

static void update_held(struct wait_reader *reader, const struct event *event)
{
    if (event_acquires(event))
        hold(reader, event->thread, event_lock(event), event->op == EVENT_ACQUIRE_READ);
    else if (event_releases(event))
        let_go(reader, event->thread, event_lock(event));
    else if (event->op == EVENT_ONCE_BEGIN)
        hold(reader, event->thread, reader->first_once + event->object, false);
    else if (event->op == EVENT_ONCE_END)
        let_go(reader, event->thread, reader->first_once + event->object);
    else if (event->op == EVENT_POST && is_semaphore_lock(reader, event->object))
        let_go(reader, event->thread, reader->first_semaphore + event->object);
    else if (event->op == EVENT_SEM_WAIT && is_semaphore_lock(reader, event->object) &&
             !(event->flags & EVENT_FAILED))
        hold(reader, event->thread, reader->first_semaphore + event->object, false);
}

static bool same_class(const struct wait_reader *reader, const struct wait_class *a,
                       const struct wait_class *b)
{
    const struct held_pool *pool = &reader->result->held;
    if (a->thread != b->thread || a->wanted != b->wanted || a->object != b->object ||
        a->shared != b->shared || a->location != b->location || a->held_count != b->held_count)
        return false;
    for (uint32_t i = 0; i < a->held_count; i++)
        if (pool->items[a->held + i].lock != pool->items[b->held + i].lock ||
            pool->items[a->held + i].shared != pool->items[b->held + i].shared)
            return false;
    return true;
}

static uint64_t hash_of(const struct wait_reader *reader, const struct wait_class *class)
{
    uint64_t hash = map_mix(map_pair(class->thread, (uint32_t) class->wanted * 2 + class->shared));
    hash = map_mix(hash * 31 + map_pair(class->object, class->location));
    for (uint32_t i = 0; i < class->held_count; i++)
        hash = map_mix(hash * 31 + reader->result->held.items[class->held + i].lock);
    return hash;
}

static struct wait_class *class_at(struct wait_reader *reader, struct wait_class class)
{
    struct wait_classes *result = reader->result;
    const struct stack *stack = stack_of(reader, class.thread);
    class.held = (uint32_t)result->held.count;
    class.held_count = (uint32_t)stack->count;
    for (size_t i = 0; i < stack->count; i++)
        array_push(&result->held, stack->items[i]);
    for (uint64_t hash = hash_of(reader, &class);; hash++) {
        bool added;
        uint64_t *place = map_at(&result->index, hash >> 1, &added);
        if (added && result->classes.count == CLASSES_MAX) {
            map_remove(&result->index, hash >> 1);
            result->too_many = true;
            result->held.count = class.held;
            return NULL;
        }
        if (added) {
            array_push(&result->classes, class);
            *place = result->classes.count;
            return &array_last(&result->classes);
        }
        if (same_class(reader, &result->classes.items[*place - 1], &class)) {
            result->held.count = class.held;
            return &result->classes.items[*place - 1];
        }
    }
}

static void add(struct wait_reader *reader, const struct event *event, uint32_t pos,
                enum wanted wanted, uint32_t object)
{
    struct wait_class class = {
        .thread = event->thread,
        .wanted = wanted,
        .object = object,
        .shared = event->op == EVENT_ACQUIRE_READ,
        .location = event->location,
    };
    struct wait_class *known = class_at(reader, class);
    if (!known)
        return;
    const struct vclock *clock = order_clock(reader->must, event->thread);
    if (!known->instances.count)
        vclock_copy(&known->first, clock);
    known->last_tick = vclock_get(clock, event->thread);
    array_push(&known->instances, pos);
    reader->result->any_special |= wait_class_is_special(known);
}

/* In long traces: does anybody wait for the thread while it waits here? */
static bool matters(struct wait_reader *reader, const struct event *event)
{
    return reader->small || stack_of(reader, event->thread)->count || reader->helper[event->thread];
}

/* Barriers are many, and harmless unless the thread holds something. */
static void add_barrier(struct wait_reader *reader, const struct event *event, uint32_t pos)
{
    uint32_t instance =
        event->op == EVENT_BARRIER_EXIT ? event->other : reader->blocking->previous[event->other];
    if (instance != POS_NONE && (reader->small || stack_of(reader, event->thread)->count))
        add(reader, event, pos, WANTS_BARRIER, instance);
}

static void add_wait(struct wait_reader *reader, const struct event *event, uint32_t pos)
{
    bool gives_up = event->flags & (EVENT_TRY | EVENT_FAILED);
    switch (event->op) {
    case EVENT_WAIT_END:
        if (matters(reader, event))
            add(reader, event, pos, WANTS_LOCK, event_lock(event));
        if (!gives_up && !(event->flags & EVENT_UNSEEN))
            add(reader, event, pos, WANTS_SIGNAL, event->object);
        break;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        if (!gives_up && matters(reader, event))
            add(reader, event, pos, WANTS_LOCK, event->object);
        break;
    case EVENT_JOIN:
        if (matters(reader, event))
            add(reader, event, pos, WANTS_END, event->object);
        break;
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        add_barrier(reader, event, pos);
        break;
    case EVENT_ONCE_PASS:
        if (matters(reader, event))
            add(reader, event, pos, WANTS_ONCE, reader->first_once + event->object);
        break;
    case EVENT_SEM_WAIT:
        if (gives_up)
            break;
        if (!is_semaphore_lock(reader, event->object))
            add(reader, event, pos, WANTS_POST, event->object);
        else if (matters(reader, event))
            add(reader, event, pos, WANTS_LOCK, reader->first_semaphore + event->object);
        break;
    default:
        break;
    }
}

static void find_helpers(struct wait_reader *reader)
{
    for (uint32_t pos = 0; pos < reader->history->count; pos++) {
        const struct event *event = &reader->history->events[pos];
        reader->helper[event->thread] |=
            op_in(event->op, OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST) | OP_BIT(EVENT_POST) |
                                 OP_BIT(EVENT_BARRIER_ENTER));
    }
}

struct wait_reader *wait_reader_create(const struct blocking *blocking, enum model model)
{
    const struct history *history = blocking->history;
    struct wait_reader *reader = NEW(struct wait_reader);
    reader->history = history;
    reader->blocking = blocking;
    reader->must = order_create(order_must(model));
    reader->relevant = OPS_SYNC;
    reader->helper = NEW_ARRAY(bool, history->threads);
    reader->stacks = NEW_ARRAY(struct stack, history->threads);
    reader->first_semaphore = trace_count(history->trace, CLASS_LOCK);
    reader->first_once = reader->first_semaphore + trace_count(history->trace, CLASS_SEMAPHORE);
    find_helpers(reader);
    return reader;
}

struct wait_classes *wait_reader_next(struct wait_reader *reader, uint32_t to)
{
    struct wait_classes *result = reader->result = NEW(struct wait_classes);
    result->history = reader->history;
    result->blocking = reader->blocking;
    reader->small = to - reader->at <= SMALL;
    for (; reader->at < to; reader->at++) {
        const struct event *event = &reader->history->events[reader->at];
        if (!op_in(event->op, reader->relevant))
            continue;
        if (op_in(event->op, OPS_ATOMIC))
            reader->relevant |= OP_BIT(EVENT_WRITE); /* what a load saw may be a plain one */
        add_wait(reader, event, reader->at);
        update_held(reader, event);
        order_step(reader->must, event);
    }
    return result;
}

void wait_reader_destroy(struct wait_reader *reader)
{
    if (!reader)
        return;
    for (uint32_t thread = 0; thread < reader->history->threads; thread++)
        array_free(&reader->stacks[thread]);
    order_destroy(reader->must);
    free(reader->helper);
    free(reader->stacks);
    free(reader);
}

void wait_classes_destroy(struct wait_classes *classes)
{
    if (!classes)
        return;
    for (size_t i = 0; i < classes->classes.count; i++) {
        array_free(&classes->classes.items[i].instances);
        vclock_free(&classes->classes.items[i].first);
    }
    array_free(&classes->classes);
    array_free(&classes->held);
    map_free(&classes->index);
    free(classes);
}

/* A lock that `class` holds and that excludes `mode`. */
static bool withholds_lock(const struct wait_classes *classes, const struct wait_class *class,
                           struct lock_mode mode)
{
    for (uint32_t i = 0; i < class->held_count; i++)
        if (lock_modes_exclude(classes->held.items[class->held + i], mode))
            return true;
    return false;
}

static bool always_before(const struct wait_class *a, const struct wait_class *b)
{
    return vclock_saw(&b->first, (struct epoch){a->thread, a->last_tick});
}

bool wait_classes_meet(const struct wait_classes *classes, const struct wait_class *a,
                       const struct wait_class *b)
{
    if (a->thread == b->thread || always_before(a, b) || always_before(b, a))
        return false;
    for (uint32_t i = 0; i < a->held_count; i++)
        if (withholds_lock(classes, b, classes->held.items[a->held + i]))
            return false;
    return true;
}

/* Index in its thread of the class' first instance: there it has done least. */
static uint32_t least_done(const struct wait_classes *classes, const struct wait_class *class)
{
    return classes->history->index[class->instances.items[0]];
}

bool wait_class_waits_for(const struct wait_classes *classes, const struct wait_class *waiting,
                          const struct wait_class *withholding)
{
    const uint64_t *place;
    switch (waiting->wanted) {
    case WANTS_LOCK:
    case WANTS_ONCE:
        return withholds_lock(classes, withholding,
                              (struct lock_mode){waiting->object, waiting->shared});
    case WANTS_END:
        return waiting->object == withholding->thread;
    case WANTS_BARRIER:
        place =
            map_find(&classes->blocking->enters, map_pair(waiting->object, withholding->thread));
        return place && *place >= least_done(classes, withholding);
    case WANTS_SIGNAL:
    case WANTS_POST:
        place = map_find(&classes->blocking->last_help,
                         blocking_help_key(waiting->wanted == WANTS_SIGNAL, waiting->object,
                                           withholding->thread));
        return place && *place > least_done(classes, withholding);
    }
    return false;
}
