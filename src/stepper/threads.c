/* SPDX-License-Identifier: MIT */
/* Threads: how they begin, end and are joined; and what C11 calls all of it. */
#include "stepper/heap.h"
#include "stepper/operations.h"
#include "stepper/real.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

/* A joiner may read what the thread returns, as if it lay in memory. */
static void touch_result(struct stepped *self, enum step_op op, void **result, uintptr_t pc)
{
    struct step_event event = {.op = (uint8_t)op,
                               .flags = STEP_ALONE,
                               .size = sizeof *result,
                               .object = (uintptr_t)result,
                               .pc = pc};
    step_before(self, &event);
    event.seen = (uintptr_t)*result;
    if (op == STEP_WRITE)
        *result = self->value;
    event.made = (uintptr_t)*result;
    step_tell(self, event);
}

static void finish(struct stepped **self)
{
    if ((*self)->result)
        touch_result(*self, STEP_WRITE, (*self)->result, 0);
    step_perform(*self, STEP_END, 0, 0, 0, 0);
    (*self)->inside = true; /* what the C library does at a thread's end is nobody's business */
    step_leave(*self);
}

/* The same way if the function returns, is cancelled or calls pthread_exit(). */
static void *begin(void *argument)
{
    __attribute__((cleanup(finish))) struct stepped *self = argument;
    step_arrive(self);
    self->value = PTHREAD_CANCELED;
    self->result = malloc(sizeof *self->result); /* the first of its own heap */
    return self->value = self->start(self->argument);
}

enum { SMALLEST_STACK = 1 << 18, USUAL_STACK = 1 << 23 };

static int start_thread(struct stepped *child, pthread_t *thread, const pthread_attr_t *wanted)
{
    pthread_attr_t attributes;
    int detached = PTHREAD_CREATE_JOINABLE;
    size_t size = USUAL_STACK;
    if (wanted) {
        pthread_attr_getdetachstate(wanted, &detached);
        pthread_attr_getstacksize(wanted, &size);
    }
    if (size < SMALLEST_STACK)
        size = SMALLEST_STACK;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, detached);
    void *stack = heap_stack(child, size);
    if (!stack || pthread_attr_setstack(&attributes, stack, size))
        pthread_attr_setstacksize(&attributes, size);
    int result = REAL(pthread_create)(thread, &attributes, begin, child);
    pthread_attr_destroy(&attributes);
    return result;
}

FUNCTION(int, pthread_create,
         (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *),
          void *argument))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_create)(thread, attributes, start, argument);
    uint64_t name = stepper_child(stepper->thread[self->id].name, self->children + 1);
    step_perform(self, STEP_FORK, 0, name, 0, CALLER);
    struct stepped *child = step_new(self);
    if (!child)
        return EAGAIN;
    child->start = start;
    child->argument = argument;
    self->inside = true;
    int result = start_thread(child, thread, attributes);
    self->inside = false;
    if (result)
        stepper->thread[child->id].state = STEP_ENDED;
    else
        child->pthread = *thread;
    return result;
}

static struct stepped *thread_of(pthread_t thread)
{
    for (uint32_t i = stepper->threads; i-- > 0;)
        if (step_thread(i)->pthread == thread)
            return step_thread(i);
    return NULL;
}

FUNCTION(int, pthread_cancel, (pthread_t thread))
{
    struct stepped *other = stepped_current() ? thread_of(thread) : NULL;
    if (other) {
        stepper->unknown |= STEP_BY_CANCELLING;
        other->cancelled = true;
    }
    return REAL(pthread_cancel)(thread);
}

void step_test_cancel(struct stepped *self)
{
    if (!self->cancelled)
        return;
    self->cancelled = false;
    pthread_testcancel();
}

FUNCTION(int, pthread_join, (pthread_t thread, void **result))
{
    struct stepped *self = stepped_current();
    const struct stepped *other = self ? thread_of(thread) : NULL;
    if (other)
        step_perform(self, STEP_JOIN, 0, stepper->thread[other->id].name, 0, CALLER);
    if (other && result && other->result)
        touch_result(self, STEP_READ, other->result, CALLER);
    return REAL(pthread_join)(thread, result);
}

FUNCTION(void, pthread_exit, (void *result))
{
    struct stepped *self = stepped_current();
    if (self)
        self->value = result;
    if (self && self->id == 0) {
        step_perform(self, STEP_END, 0, 0, 0, CALLER);
        self->inside = true;
        step_leave(self);
    }
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

/* --- C11 ----------------------------------------------------------------------------------------
 */

static int c11(int result)
{
    return result == 0           ? thrd_success
           : result == EBUSY     ? thrd_busy
           : result == ETIMEDOUT ? thrd_timedout
                                 : thrd_error;
}

FUNCTION(int, mtx_lock, (mtx_t * mutex))
{
    return c11(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

FUNCTION(int, mtx_trylock, (mtx_t * mutex))
{
    return c11(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

FUNCTION(int, mtx_unlock, (mtx_t * mutex))
{
    return c11(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

FUNCTION(int, cnd_wait, (cnd_t * condition, mtx_t *mutex))
{
    return c11(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

FUNCTION(int, cnd_signal, (cnd_t * condition))
{
    return c11(pthread_cond_signal((pthread_cond_t *)condition));
}

FUNCTION(int, cnd_broadcast, (cnd_t * condition))
{
    return c11(pthread_cond_broadcast((pthread_cond_t *)condition));
}

FUNCTION(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument))
{
    return c11(pthread_create(thread, NULL, (void *(*)(void *))(uintptr_t)function, argument));
}

FUNCTION(int, thrd_join, (thrd_t thread, int *result))
{
    void *value = NULL;
    int failed = pthread_join(thread, &value);
    if (result)
        *result = (int)(intptr_t)value;
    return c11(failed);
}
