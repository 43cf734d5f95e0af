/* SPDX-License-Identifier: MIT */
#include "csp/process.h"

#include "base/sorted.h"

#include <assert.h>

#define OPS_STEPS (OPS_SYNC & ~(OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FENCE)))

struct builder {
    struct processes *processes;
    const struct history *history;
    struct map atomics;         /* variables that are read atomically in the window */
    uint32_t *filled;           /* by process: steps made so far */
    struct held_locks *current; /* by process */
    struct held_list ARRAY_OF(struct held_object) held;
};

static uint32_t process_of(struct processes *processes, uint32_t thread)
{
    bool added;
    uint64_t *place = map_at(&processes->by_thread, thread, &added);
    if (added)
        *place = ++processes->count;
    return (uint32_t)*place - 1;
}

uint32_t processes_of_thread(const struct processes *processes, uint32_t thread)
{
    const uint64_t *place = map_find(&processes->by_thread, thread);
    return place ? (uint32_t)*place - 1 : NO_PROCESS;
}

static uint32_t initial_of(const struct window_start *start, enum object_class class, uint32_t id)
{
    switch (class) {
    case CLASS_VARIABLE:
        return start->last_write[id];
    case CLASS_SEMAPHORE:
        return start->counts[id];
    case CLASS_BARRIER:
        return start->entered[id];
    case CLASS_ONCE:
        return start->onces[id];
    default:
        return 0;
    }
}

static uint32_t object_of(struct processes *processes, enum object_class class, uint32_t id)
{
    bool added;
    uint64_t *place = map_at(&processes->by_object, map_pair(class, id), &added);
    if (added) {
        struct object object = {
            .class = class,
            .id = id,
            .initial = initial_of(processes->start, class, id),
            .previous = NO_OBJECT,
        };
        if (class == CLASS_BARRIER)
            object.parties = trace_barrier_parties(processes->rules->history->trace, id);
        array_push(&processes->objects, object);
        *place = processes->objects.count;
    }
    return (uint32_t)*place - 1;
}

static void note_use(struct object *object, enum use use, uint32_t process, uint32_t step)
{
    struct users *users = &object->users[use];
    struct uses *uses = &object->uses[use];
    if (!users->count || array_last(users).process != process) {
        struct user user = {process, (uint32_t)uses->count, (uint32_t)uses->count};
        array_push(users, user);
    }
    array_push(uses, step);
    array_last(users).end++;
}

static bool is_step(const struct builder *builder, const struct event *event)
{
    return op_in(event->op, OPS_STEPS) ||
           (event->op == EVENT_WRITE && map_find(&builder->atomics, event->object));
}

/* Counts each process' steps; finds the atomics first, for they decide which
 * plain writes are steps. */
static uint32_t count_steps(struct builder *builder, uint32_t **counts)
{
    struct processes *processes = builder->processes;
    const struct event *events = builder->history->events;
    struct count_list ARRAY_OF(uint32_t) list = {0};
    uint32_t total = 0;
    for (uint32_t pos = processes->from; pos < processes->to; pos++)
        if (op_in(events[pos].op, OPS_BOUND))
            map_at(&builder->atomics, events[pos].object, NULL);
    for (uint32_t pos = processes->from; pos < processes->to; pos++) {
        uint32_t process = process_of(processes, events[pos].thread);
        array_grow(&list, process + 1);
        bool counts_as_step = is_step(builder, &events[pos]);
        list.items[process] += counts_as_step;
        total += counts_as_step;
        if (events[pos].op == EVENT_FORK)
            process_of(processes, events[pos].object); /* its join waits for the fork */
    }
    for (uint32_t thread = 0; thread < builder->history->threads; thread++)
        if (processes->start->held[thread].count)
            process_of(processes, thread);
    array_grow(&list, processes->count);
    *counts = list.items;
    return total;
}

static uint32_t index_from(const struct history *history, uint32_t thread, uint32_t pos)
{
    uint32_t low = SORTED_POINT(middle, history->first[thread], history->first[thread + 1],
                                history->positions[middle] < pos);
    return low - history->first[thread];
}

static void lay_out(struct builder *builder, const uint32_t *counts, uint32_t total)
{
    struct processes *processes = builder->processes;
    const struct history *history = builder->history;
    processes->items = NEW_ARRAY(struct process, processes->count);
    processes->steps = NEW_ARRAY(struct step, total + processes->count);
    builder->filled = NEW_ARRAY(uint32_t, processes->count);
    builder->current = NEW_ARRAY(struct held_locks, processes->count);
    for (size_t slot = map_first(&processes->by_thread); slot < processes->by_thread.capacity;
         slot = map_following(&processes->by_thread, slot)) {
        const struct map_entry *entry = &processes->by_thread.entries[slot];
        processes->items[entry->value - 1].thread = (uint32_t)entry->key;
    }
    struct step *next = processes->steps;
    for (uint32_t i = 0; i < processes->count; i++) {
        struct process *process = &processes->items[i];
        const struct held_locks *held = &processes->start->held[process->thread];
        uint32_t begin = index_from(history, process->thread, processes->from);
        process->steps = next;
        process->length = counts[i];
        process->forker = NO_PROCESS;
        process->begin = begin;
        next += counts[i] + 1;
        for (size_t h = 0; h < held->count; h++)
            array_push(&builder->current[i], held->items[h]);
    }
}

static void set_held(struct builder *builder, uint32_t process, struct step *step)
{
    const struct held_locks *current = &builder->current[process];
    step->held = (uint32_t)builder->held.count;
    step->held_count = (uint32_t)current->count;
    for (size_t i = 0; i < current->count; i++) {
        struct held_object held = {
            object_of(builder->processes, CLASS_LOCK, current->items[i].lock),
            current->items[i].shared,
        };
        array_push(&builder->held, held);
    }
}

static uint32_t object_of_event(struct processes *processes, const struct event *event)
{
    enum object_class class = event_object_class(event->op);
    if (class == CLASS_BARRIER)
        return object_of(processes, class, event->other);
    if (class == CLASS_NONE || class == CLASS_THREAD)
        return NO_OBJECT;
    return object_of(processes, class, event->object);
}

static void link_previous_instance(struct processes *processes, uint32_t object)
{
    uint32_t instance = processes->objects.items[object].id;
    uint32_t previous = processes->rules->previous_instance[instance];
    if (previous == POS_NONE)
        return;
    uint32_t linked = object_of(processes, CLASS_BARRIER, previous);
    processes->objects.items[object].previous = linked;
}

static void make_step(struct builder *builder, uint32_t pos)
{
    struct processes *processes = builder->processes;
    const struct event *event = &builder->history->events[pos];
    uint32_t at = process_of(processes, event->thread);
    struct process *process = &processes->items[at];
    struct step *step = &process->steps[builder->filled[at]];
    step->pos = pos;
    step->op = event->op;
    step->flags = event->flags;
    step->object = object_of_event(processes, event);
    step->lock = NO_OBJECT;
    step->other = NO_PROCESS;
    if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
        step->lock = object_of(processes, CLASS_LOCK, event_lock(event));
    if (event->op == EVENT_BARRIER_ENTER)
        link_previous_instance(processes, step->object);
    if (event->op == EVENT_FORK || event->op == EVENT_JOIN)
        step->other = processes_of_thread(processes, event->object);
    if (event->op == EVENT_FORK && step->other != NO_PROCESS) {
        processes->items[step->other].forker = at;
        processes->items[step->other].fork_step = builder->filled[at];
    }
    set_held(builder, at, step);
    held_locks_step(&builder->current[at], event);
    struct step_place place = {at, builder->filled[at]++};
    array_push(&processes->observed, place);
}

static void note_lock_use(struct processes *processes, uint32_t process, uint32_t at,
                          const struct step *step)
{
    struct object *lock = &processes->objects.items[step->lock];
    if (!op_in(step->op, OPS_ACQUIRING))
        return;
    if (step->flags & EVENT_FAILED && step->op != EVENT_WAIT_END)
        note_use(lock, USE_FAILED_TRY, process, at);
    else
        note_use(lock, step->op == EVENT_ACQUIRE_READ ? USE_SHARED : USE_EXCLUSIVE, process, at);
}

static void note_object_use(struct object *object, uint32_t process, uint32_t at,
                            const struct step *step)
{
    bool failed = step->flags & EVENT_FAILED;
    switch (object->class) {
    case CLASS_CONDITION:
        note_use(object, USE_CONDITION, process, at);
        if (step->op == EVENT_SIGNAL || step->op == EVENT_BROADCAST)
            note_use(object, USE_SIGNAL, process, at);
        else
            note_use(object, USE_WAIT, process, at);
        break;
    case CLASS_SEMAPHORE:
        note_use(object,
                 step->op == EVENT_POST ? USE_POST
                 : failed               ? USE_FAILED_TAKE
                                        : USE_TAKE,
                 process, at);
        break;
    case CLASS_VARIABLE:
        if (op_in(step->op, OPS_WRITING))
            note_use(object, USE_WRITE, process, at);
        if (op_in(step->op, OPS_READING))
            note_use(object, USE_READ, process, at);
        break;
    case CLASS_BARRIER:
        if (step->op == EVENT_BARRIER_ENTER)
            note_use(object, USE_ENTER, process, at);
        break;
    case CLASS_ONCE:
        if (step->op == EVENT_ONCE_END)
            note_use(object, USE_RUN, process, at);
        break;
    default:
        break;
    }
}

static void note_uses(struct processes *processes)
{
    for (uint32_t i = 0; i < processes->count; i++) {
        const struct process *process = &processes->items[i];
        for (uint32_t at = 0; at < process->length; at++) {
            const struct step *step = &process->steps[at];
            if (step->lock != NO_OBJECT)
                note_lock_use(processes, i, at, step);
            if (step->object != NO_OBJECT)
                note_object_use(&processes->objects.items[step->object], i, at, step);
        }
    }
}

static uint32_t first_release(const struct process *process, uint32_t lock)
{
    for (uint32_t i = 0; i < process->length; i++)
        if (process->steps[i].lock == lock && op_in(process->steps[i].op, OPS_RELEASING))
            return i;
    return UINT32_MAX;
}

static void note_holders(struct processes *processes, uint32_t at)
{
    const struct process *process = &processes->items[at];
    for (uint32_t h = 0; h < process->steps[0].held_count; h++) {
        const struct held_object *held = &processes->held[process->steps[0].held + h];
        struct holder holder = {at, first_release(process, held->object), held->shared};
        array_push(&processes->objects.items[held->object].holders, holder);
    }
}

static void finish_processes(struct builder *builder)
{
    struct processes *processes = builder->processes;
    for (uint32_t i = 0; i < processes->count; i++) {
        struct step *last = &processes->items[i].steps[processes->items[i].length];
        assert(builder->filled[i] == processes->items[i].length);
        last->pos = POS_NONE;
        last->op = EVENT_COUNT;
        last->object = last->lock = NO_OBJECT;
        last->other = NO_PROCESS;
        set_held(builder, i, last);
    }
    processes->held = builder->held.items;
    for (uint32_t i = 0; i < processes->count; i++)
        note_holders(processes, i);
}

struct processes *processes_create(const struct window_start *start, uint32_t to)
{
    struct processes *processes = NEW(struct processes);
    processes->rules = start->rules;
    processes->start = start;
    processes->from = start->at;
    processes->to = to;
    struct builder builder = {.processes = processes, .history = start->rules->history};
    uint32_t *counts;
    uint32_t total = count_steps(&builder, &counts);
    lay_out(&builder, counts, total);
    for (uint32_t pos = processes->from; pos < to; pos++)
        if (is_step(&builder, &builder.history->events[pos]))
            make_step(&builder, pos);
    finish_processes(&builder);
    note_uses(processes);
    for (uint32_t i = 0; i < processes->count; i++)
        array_free(&builder.current[i]);
    free(builder.current);
    free(builder.filled);
    free(counts);
    map_free(&builder.atomics);
    return processes;
}

void processes_destroy(struct processes *processes)
{
    if (!processes)
        return;
    for (size_t i = 0; i < processes->objects.count; i++)
        for (unsigned use = 0; use < USE_KINDS; use++) {
            array_free(&processes->objects.items[i].users[use]);
            array_free(&processes->objects.items[i].uses[use]);
        }
    for (size_t i = 0; i < processes->objects.count; i++)
        array_free(&processes->objects.items[i].holders);
    array_free(&processes->observed);
    array_free(&processes->objects);
    map_free(&processes->by_object);
    map_free(&processes->by_thread);
    free(processes->items);
    free(processes->steps);
    free(processes->held);
    free(processes);
}

uint32_t processes_step_of(const struct processes *processes, uint32_t pos)
{
    uint32_t thread = processes->rules->history->events[pos].thread;
    const struct process *process = &processes->items[processes_of_thread(processes, thread)];
    return SORTED_POINT(middle, 0, process->length, process->steps[middle].pos < pos);
}

uint32_t use_from(const struct object *object, enum use use, const struct user *user, uint32_t from)
{
    const uint32_t *steps = object->uses[use].items;
    uint32_t low = SORTED_POINT(middle, user->begin, user->end, steps[middle] < from);
    return low < user->end ? steps[low] : UINT32_MAX;
}
