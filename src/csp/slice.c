/* SPDX-License-Identifier: MIT */
#include "csp/slice.h"

#define NO_TARGET UINT32_MAX

struct slice *slice_create(const struct processes *processes)
{
    struct slice *slice = NEW(struct slice);
    slice->processes = processes;
    slice->must = NEW_ARRAY(uint32_t, processes->count);
    slice->limit = NEW_ARRAY(uint32_t, processes->count);
    slice->target = NEW_ARRAY(uint32_t, processes->count);
    slice->must_scanned = NEW_ARRAY(uint32_t, processes->count);
    slice->limit_scanned = NEW_ARRAY(uint32_t, processes->count);
    return slice;
}

void slice_destroy(struct slice *slice)
{
    if (!slice)
        return;
    free(slice->must);
    free(slice->limit);
    free(slice->target);
    free(slice->must_scanned);
    free(slice->limit_scanned);
    array_free(&slice->pending);
    free(slice);
}

static void raise_limit(struct slice *slice, uint32_t p, uint32_t steps)
{
    const struct process *process = &slice->processes->items[p];
    if (steps <= slice->limit[p])
        return;
    if (slice->target[p] != NO_TARGET) {
        steps = slice->target[p];
    } else {
        /* It must be able to give back what it holds when it is done helping. */
        while (steps < process->length && process->steps[steps].held_count)
            steps++;
    }
    if (steps <= slice->limit[p])
        return;
    slice->limit[p] = steps;
    array_push(&slice->pending, p);
}

static void raise_must(struct slice *slice, uint32_t p, uint32_t steps)
{
    if (slice->target[p] != NO_TARGET && steps > slice->target[p])
        slice->impossible = true;
    else if (steps > slice->must[p]) {
        slice->must[p] = steps;
        array_push(&slice->pending, p);
        raise_limit(slice, p, steps);
    }
}

/* Asks for steps of another process: surely, or perhaps. */
static void ask(struct slice *slice, uint32_t p, uint32_t steps, bool surely)
{
    if (surely)
        raise_must(slice, p, steps);
    else
        raise_limit(slice, p, steps);
}

/* Every process may be asked to go through its last use of the object. */
static void ask_users(struct slice *slice, uint32_t self, const struct object *object, enum use use)
{
    const struct users *users = &object->users[use];
    slice->work += users->count;
    for (size_t i = 0; i < users->count; i++)
        if (users->items[i].process != self)
            raise_limit(slice, users->items[i].process,
                        object->uses[use].items[users->items[i].end - 1] + 1);
}

static void ask_fork(struct slice *slice, uint32_t p, bool surely)
{
    const struct process *process = &slice->processes->items[p];
    if (process->forker != NO_PROCESS)
        ask(slice, process->forker, process->fork_step + 1, surely);
}

/* A thread that was joined in the window has no events after it, so that its last step is
 * one of the window, or lies before it. */
static void need_join(struct slice *slice, const struct step *step, bool surely)
{
    if (step->other == NO_PROCESS)
        return; /* over before the window, or it never did anything */
    if (slice->target[step->other] != NO_TARGET && surely)
        slice->impossible = true; /* it stands before an event of its own */
    ask_fork(slice, step->other, surely);
    ask(slice, step->other, slice->processes->items[step->other].length, surely);
}

static void need_barrier(struct slice *slice, uint32_t instance, bool surely)
{
    if (instance == NO_OBJECT)
        return;
    const struct object *object = &slice->processes->objects.items[instance];
    const struct users *users = &object->users[USE_ENTER];
    if (object->initial + users->count < object->parties && surely)
        slice->impossible = true;
    for (size_t i = 0; i < users->count; i++)
        ask(slice, users->items[i].process,
            object->uses[USE_ENTER].items[users->items[i].begin] + 1, surely);
}

/* Who holds the lock at the start must release it, unless both only read. */
static void need_lock(struct slice *slice, uint32_t self, const struct step *step, bool surely)
{
    const struct holders *holders = &slice->processes->objects.items[step->lock].holders;
    for (size_t i = 0; i < holders->count; i++) {
        const struct holder *holder = &holders->items[i];
        if (holder->process == self || (holder->shared && step->op == EVENT_ACQUIRE_READ))
            continue;
        /* If nobody releases it, nobody acquired it in the window, and nobody can. */
        if (holder->release != UINT32_MAX)
            ask(slice, holder->process, holder->release + 1, surely);
    }
}

static void need_write(struct slice *slice, uint32_t self, const struct step *step, bool surely)
{
    const struct processes *processes = slice->processes;
    uint32_t write = processes->rules->reads_from[step->pos];
    if (write == POS_NONE || write < processes->from)
        return;
    uint32_t p = processes_of_thread(processes, processes->rules->history->events[write].thread);
    if (p != self)
        ask(slice, p, processes_step_of(processes, write) + 1, surely);
}

static void need_once(struct slice *slice, const struct object *once, bool surely)
{
    const struct users *users = &once->users[USE_RUN];
    if (once->initial == 2)
        return;
    if (users->count)
        ask(slice, users->items[0].process, once->uses[USE_RUN].items[0] + 1, surely);
    else if (surely)
        slice->impossible = true;
}

/* What must, or may, happen elsewhere for process `p` to take this step. */
static void need_for_step(struct slice *slice, uint32_t p, const struct step *step, bool surely)
{
    const struct object *objects = slice->processes->objects.items;
    bool failed = step->flags & EVENT_FAILED;
    switch (step->op) {
    case EVENT_JOIN:
        need_join(slice, step, surely);
        break;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        if (failed) {
            ask_users(slice, p, &objects[step->lock], USE_EXCLUSIVE);
            ask_users(slice, p, &objects[step->lock], USE_SHARED);
        } else {
            need_lock(slice, p, step, surely);
        }
        break;
    case EVENT_WAIT_END:
        need_lock(slice, p, step, surely);
        if (!failed)
            ask_users(slice, p, &objects[step->object], USE_SIGNAL);
        break;
    case EVENT_BARRIER_ENTER:
        need_barrier(slice, objects[step->object].previous, surely);
        break;
    case EVENT_BARRIER_EXIT:
        need_barrier(slice, step->object, surely);
        break;
    case EVENT_SEM_WAIT:
        ask_users(slice, p, &objects[step->object], failed ? USE_TAKE : USE_POST);
        break;
    case EVENT_ONCE_PASS:
        need_once(slice, &objects[step->object], surely);
        break;
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_RMW:
        need_write(slice, p, step, surely);
        break;
    default:
        break;
    }
}

static void settle(struct slice *slice)
{
    while (slice->pending.count && !slice->impossible) {
        uint32_t p = array_pop(&slice->pending);
        const struct process *process = &slice->processes->items[p];
        if (slice->must[p] && !slice->must_scanned[p])
            ask_fork(slice, p, true);
        if (slice->limit[p] && !slice->limit_scanned[p])
            ask_fork(slice, p, false);
        slice->work += slice->must[p] - slice->must_scanned[p];
        slice->work += slice->limit[p] - slice->limit_scanned[p];
        while (slice->must_scanned[p] < slice->must[p])
            need_for_step(slice, p, &process->steps[slice->must_scanned[p]++], true);
        while (slice->limit_scanned[p] < slice->limit[p])
            need_for_step(slice, p, &process->steps[slice->limit_scanned[p]++], false);
    }
    slice->pending.count = 0;
}

/* What lies before the window was executed, and nothing after it will be. */
static void need_executed(struct slice *slice, uint32_t pos)
{
    const struct processes *processes = slice->processes;
    if (pos >= processes->to)
        slice->impossible = true;
    else if (pos >= processes->from)
        raise_must(slice,
                   processes_of_thread(processes, processes->rules->history->events[pos].thread),
                   processes_step_of(processes, pos) + 1);
}

bool slice_compute(struct slice *slice, const struct slice_goal *goal)
{
    const uint32_t *targets = goal->targets;
    uint32_t count = goal->count;
    const struct processes *processes = slice->processes;
    size_t bytes = processes->count * sizeof(uint32_t);
    memset(slice->must, 0, bytes);
    memset(slice->limit, 0, bytes);
    memset(slice->must_scanned, 0, bytes);
    memset(slice->limit_scanned, 0, bytes);
    memset(slice->target, 0xff, bytes);
    slice->impossible = false;
    slice->work += processes->count;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = &processes->rules->history->events[targets[i]];
        slice->target[processes_of_thread(processes, event->thread)] =
            processes_step_of(processes, targets[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = &processes->rules->history->events[targets[i]];
        uint32_t p = processes_of_thread(processes, event->thread);
        const struct step *step = &processes->items[p].steps[slice->target[p]];
        ask_fork(slice, p, true);
        raise_must(slice, p, slice->target[p]);
        /* A blocked wait is one that was signalled: the lock is what it lacks. */
        if (step->pos == targets[i] && step->op == EVENT_WAIT_END && !(step->flags & EVENT_FAILED))
            ask_users(slice, p, &processes->objects.items[step->object], USE_SIGNAL);
    }
    for (uint32_t i = 0; i < goal->executed_count; i++)
        need_executed(slice, goal->executed[i]);
    settle(slice);
    return !slice->impossible;
}

uint64_t slice_must_total(const struct slice *slice)
{
    uint64_t total = 0;
    for (uint32_t p = 0; p < slice->processes->count; p++)
        total += slice->must[p];
    return total;
}
