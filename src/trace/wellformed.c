/* SPDX-License-Identifier: MIT */
#include "trace/wellformed_state.h"

#include <stdarg.h>
#include <stdio.h>

struct wellformed *wellformed_create(void)
{
    return NEW(struct wellformed);
}

void wellformed_destroy(struct wellformed *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->threads.count; i++)
        array_free(&self->threads.items[i].blocks);
    for (size_t i = 0; i < self->conditions.count; i++)
        condition_free(&self->conditions.items[i]);
    array_free(&self->threads);
    array_free(&self->locks);
    array_free(&self->conditions);
    array_free(&self->barriers);
    array_free(&self->semaphores);
    array_free(&self->onces);
    array_free(&self->parties);
    map_free(&self->shares);
    free(self);
}

enum wellformed_answer wellformed_broken(struct wellformed *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(self->reason, sizeof self->reason, format, arguments);
    va_end(arguments);
    return WELLFORMED_BROKEN;
}

static enum wellformed_answer check_fork(struct wellformed *self, const struct event *event)
{
    uint32_t child = event->object;
    struct thread_state *state = thread_at(self, child);
    if (child == event->thread)
        return wellformed_broken(self, "thread " NAME " forks itself", thread_name(self, child));
    if (state->forked)
        return wellformed_broken(self, "thread " NAME " is forked a second time",
                                 thread_name(self, child));
    if (state->active)
        return wellformed_broken(self, "thread " NAME " has events before its fork",
                                 thread_name(self, child));
    state->forked = true;
    return WELLFORMED_KEEP;
}

static enum wellformed_answer check_join(struct wellformed *self, const struct event *event)
{
    struct thread_state *state = thread_at(self, event->object);
    if (event->object == event->thread)
        return wellformed_broken(self, "thread " NAME " joins itself",
                                 thread_name(self, event->thread));
    if (state->blocked != RUNNING)
        return wellformed_broken(self, "thread " NAME " is joined while it waits",
                                 thread_name(self, event->object));
    state->joined = true;
    return WELLFORMED_KEEP;
}

static enum wellformed_answer check_barrier_enter(struct wellformed *self, struct event *event)
{
    array_grow(&self->barriers, event->object + 1);
    struct barrier_state *barrier = &self->barriers.items[event->object];
    struct thread_state *thread = thread_at(self, event->thread);
    if (!barrier->instance_plus_one || barrier->leaving) {
        array_push(&self->parties, 0);
        barrier->instance_plus_one = (uint32_t)self->parties.count;
        barrier->leaving = false;
    }
    event->other = barrier->instance_plus_one - 1;
    self->parties.items[event->other]++;
    thread->blocked = AT_BARRIER;
    thread->blocked_at = event->object;
    thread->blocked_more = event->other;
    return WELLFORMED_KEEP;
}

static enum wellformed_answer check_barrier_exit(struct wellformed *self, struct event *event)
{
    struct thread_state *thread = thread_at(self, event->thread);
    if (thread->blocked != AT_BARRIER || thread->blocked_at != event->object)
        return wellformed_broken(self,
                                 "thread " NAME " leaves barrier " NAME ", which it did not enter",
                                 thread_name(self, event->thread),
                                 trace_name(self->trace, CLASS_BARRIER, event->object));
    struct barrier_state *barrier = &self->barriers.items[event->object];
    event->other = thread->blocked_more;
    if (barrier->instance_plus_one == event->other + 1)
        barrier->leaving = true;
    thread->blocked = RUNNING;
    return WELLFORMED_KEEP;
}

static enum wellformed_answer check_semaphore(struct wellformed *self, const struct event *event)
{
    array_grow(&self->semaphores, event->object + 1);
    struct semaphore_state *semaphore = &self->semaphores.items[event->object];
    if (event->op == EVENT_POST)
        semaphore->count++;
    else if (event->flags & EVENT_FAILED)
        return WELLFORMED_KEEP;
    else if (semaphore->count)
        semaphore->count--;
    else
        semaphore->initial++; /* it must have been there from the start */
    return WELLFORMED_KEEP;
}

static enum wellformed_answer check_once(struct wellformed *self, const struct event *event)
{
    array_grow(&self->onces, event->object + 1);
    struct once_state *once = &self->onces.items[event->object];
    const char *thread = thread_name(self, event->thread);
    const char *name = trace_name(self->trace, CLASS_ONCE, event->object);
    switch (event->op) {
    case EVENT_ONCE_BEGIN:
        if (once->runner_plus_one)
            return wellformed_broken(self, "thread " NAME " begins once-block " NAME " again",
                                     thread, name);
        once->runner_plus_one = event->thread + 1;
        return WELLFORMED_KEEP;
    case EVENT_ONCE_END:
        if (once->runner_plus_one != event->thread + 1 || once->done)
            return wellformed_broken(
                self, "thread " NAME " ends once-block " NAME ", which it does not run", thread,
                name);
        once->done = true;
        return WELLFORMED_KEEP;
    default:
        if (!once->done)
            return wellformed_broken(
                self, "thread " NAME " passes once-block " NAME " before its end", thread, name);
        return WELLFORMED_KEEP;
    }
}

static enum wellformed_answer check_block(struct wellformed *self, const struct event *event)
{
    struct blocks *blocks = &thread_at(self, event->thread)->blocks;
    if (event->op == EVENT_BLOCK_BEGIN) {
        array_push(blocks, event->object);
        return WELLFORMED_KEEP;
    }
    const char *label = trace_name(self->trace, CLASS_LABEL, event->object);
    if (!blocks->count)
        return wellformed_broken(self, "thread " NAME " ends block '" NAME "', but none is open",
                                 thread_name(self, event->thread), label);
    uint32_t open = array_pop(blocks);
    if (open != event->object && *label)
        return wellformed_broken(
            self, "thread " NAME " ends block '" NAME "' inside block '" NAME "'",
            thread_name(self, event->thread), label, trace_name(self->trace, CLASS_LABEL, open));
    return WELLFORMED_KEEP;
}

__attribute__((cold)) static enum wellformed_answer
check_running(struct wellformed *self, const struct event *event, const struct thread_state *state)
{
    const char *name = thread_name(self, event->thread);
    if (state->joined)
        return wellformed_broken(self, "thread " NAME " has an event after it was joined", name);
    if (state->blocked == AT_CONDITION && event->op != EVENT_WAIT_END)
        return wellformed_broken(self,
                                 "thread " NAME " has an event while it waits at condition " NAME,
                                 name, trace_name(self->trace, CLASS_CONDITION, state->blocked_at));
    if (state->blocked == AT_BARRIER && event->op != EVENT_BARRIER_EXIT)
        return wellformed_broken(self,
                                 "thread " NAME " has an event while it waits at barrier " NAME,
                                 name, trace_name(self->trace, CLASS_BARRIER, state->blocked_at));
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_check(struct wellformed *self, const struct trace *trace,
                                        struct event *event)
{
    self->trace = trace;
    struct thread_state *thread = thread_at(self, event->thread);
    if (thread->joined || thread->blocked != RUNNING) {
        enum wellformed_answer answer = check_running(self, event, thread);
        if (answer != WELLFORMED_KEEP)
            return answer;
    }
    if (!thread->active) /* nearly always it is: a store here would stall the load above */
        thread->active = true;
    if (op_in(event->op, OPS_ACCESS))
        return WELLFORMED_KEEP;
    switch (event->op) {
    case EVENT_FORK:
        return check_fork(self, event);
    case EVENT_JOIN:
        return check_join(self, event);
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_WRITE:
        return wellformed_acquire(self, event);
    case EVENT_RELEASE:
    case EVENT_RELEASE_WRITE:
        return wellformed_release(self, event);
    case EVENT_ACQUIRE_READ:
        return wellformed_acquire_read(self, event);
    case EVENT_RELEASE_READ:
        return wellformed_release_read(self, event);
    case EVENT_WAIT_BEGIN:
        return wellformed_wait_begin(self, event);
    case EVENT_WAIT_END:
        return wellformed_wait_end(self, event);
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        return wellformed_signal(self, event);
    case EVENT_BARRIER_ENTER:
        return check_barrier_enter(self, event);
    case EVENT_BARRIER_EXIT:
        return check_barrier_exit(self, event);
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        return check_semaphore(self, event);
    case EVENT_ONCE_BEGIN:
    case EVENT_ONCE_END:
    case EVENT_ONCE_PASS:
        return check_once(self, event);
    case EVENT_BLOCK_BEGIN:
    case EVENT_BLOCK_END:
        return check_block(self, event);
    default:
        return WELLFORMED_KEEP;
    }
}

const char *wellformed_reason(const struct wellformed *self)
{
    return self->reason;
}

void wellformed_semaphore_start(struct wellformed *self, uint32_t semaphore, uint32_t count)
{
    array_grow(&self->semaphores, semaphore + 1);
    self->semaphores.items[semaphore] = (struct semaphore_state){count, count};
}

uint32_t wellformed_semaphore_initial(const struct wellformed *self, uint32_t semaphore)
{
    return semaphore < self->semaphores.count ? self->semaphores.items[semaphore].initial : 0;
}

uint32_t wellformed_barrier_parties(const struct wellformed *self, uint32_t instance)
{
    return instance < self->parties.count ? self->parties.items[instance] : 0;
}

uint32_t wellformed_barrier_instances(const struct wellformed *self)
{
    return (uint32_t)self->parties.count;
}
