/* SPDX-License-Identifier: MIT */
/* Condition variables, barriers, semaphores, and what is done once. */
#include "stepper/heap.h"
#include "stepper/operations.h"
#include "stepper/real.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

/* --- condition variables ------------------------------------------------------------------------
 */

/* Who holds the mutex joins the queue and then releases: a signal in between wakes it as well as
 * one that comes later. */
static bool wait_on(struct stepped *self, pthread_cond_t *condition, pthread_mutex_t *mutex,
                    unsigned flags, uintptr_t pc)
{
    struct object *lock = object_at((uintptr_t)mutex);
    uint32_t depth = lock->depth;
    step_perform(self, STEP_QUEUE, 0, (uintptr_t)condition, 0, pc);
    step_perform(self, STEP_UNLOCK, 0, (uintptr_t)mutex, 0, pc);
    bool woken = step_perform(self, STEP_AWAKE, flags, (uintptr_t)condition, 0, pc);
    step_perform(self, STEP_LOCK, 0, (uintptr_t)mutex, 0, pc);
    lock->depth = depth;
    step_test_cancel(self);
    return woken;
}

FUNCTION(int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes))
{
    return REAL(pthread_cond_init)(condition, attributes);
}

FUNCTION(int, pthread_cond_destroy, (pthread_cond_t * condition))
{
    return stepped_current() ? 0 : REAL(pthread_cond_destroy)(condition);
}

FUNCTION(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_wait)(condition, mutex);
    wait_on(self, condition, mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_cond_timedwait,
         (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_timedwait)(condition, mutex, until);
    step_set_alarm(self, until);
    return wait_on(self, condition, mutex, STEP_TIMED, CALLER) ? 0 : ETIMEDOUT;
}

FUNCTION(int, pthread_cond_clockwait,
         (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
          const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
    step_set_alarm(self, until);
    return wait_on(self, condition, mutex, STEP_TIMED, CALLER) ? 0 : ETIMEDOUT;
}

FUNCTION(int, pthread_cond_signal, (pthread_cond_t * condition))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_signal)(condition);
    step_perform(self, STEP_SIGNAL, 0, (uintptr_t)condition, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_cond_broadcast, (pthread_cond_t * condition))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_broadcast)(condition);
    step_perform(self, STEP_BROADCAST, 0, (uintptr_t)condition, 0, CALLER);
    return 0;
}

/* --- barriers, semaphores, once -----------------------------------------------------------------
 */

FUNCTION(int, pthread_barrier_init,
         (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count))
{
    struct stepped *self = stepped_current();
    if (self)
        object_at((uintptr_t)barrier)->wanted = count;
    return REAL(pthread_barrier_init)(barrier, attributes, count);
}

FUNCTION(int, pthread_barrier_wait, (pthread_barrier_t * barrier))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_barrier_wait)(barrier);
    uint32_t wanted = object_at((uintptr_t)barrier)->wanted;
    step_perform(self, STEP_ENTER, 0, (uintptr_t)barrier, wanted, CALLER);
    bool last = !self->queue;
    step_perform(self, STEP_LEAVE, 0, (uintptr_t)barrier, 0, CALLER);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

FUNCTION(int, sem_init, (sem_t * semaphore, int shared, unsigned value))
{
    struct stepped *self = stepped_current();
    if (self)
        step_perform(self, STEP_SET, 0, (uintptr_t)semaphore, value, CALLER);
    return REAL(sem_init)(semaphore, shared, value);
}

FUNCTION(int, sem_wait, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_wait)(semaphore);
    while (!step_perform(self, STEP_WAIT, 0, (uintptr_t)semaphore, 0, CALLER))
        step_test_cancel(self);
    return 0;
}

FUNCTION(int, sem_trywait, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_trywait)(semaphore);
    if (step_perform(self, STEP_TRY_WAIT, 0, (uintptr_t)semaphore, 0, CALLER))
        return 0;
    errno = EAGAIN;
    return -1;
}

FUNCTION(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_timedwait)(semaphore, until);
    step_set_alarm(self, until);
    if (step_perform(self, STEP_TRY_WAIT, STEP_TIMED, (uintptr_t)semaphore, 0, CALLER))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

FUNCTION(int, sem_post, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_post)(semaphore);
    step_perform(self, STEP_POST, 0, (uintptr_t)semaphore, 0, CALLER);
    return 0;
}

FUNCTION(int, sem_getvalue, (sem_t * semaphore, int *value))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_getvalue)(semaphore, value);
    stepper->unknown |= STEP_BY_OTHERS; /* what it sees is no choice yet */
    *value = (int)object_at((uintptr_t)semaphore)->value;
    return 0;
}

FUNCTION(int, pthread_once, (pthread_once_t * control, void (*function)(void)))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_once)(control, function);
    if (step_perform(self, STEP_ONCE, 0, (uintptr_t)control, 0, CALLER)) {
        function();
        step_perform(self, STEP_ONCE_DONE, 0, (uintptr_t)control, 2, CALLER);
    }
    return 0;
}

FUNCTION(int, __cxa_guard_acquire, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(__cxa_guard_acquire)(guard);
    return (int)step_perform(self, STEP_ONCE, 0, (uintptr_t)guard, 0, CALLER);
}

FUNCTION(void, __cxa_guard_release, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (!self) {
        REAL(__cxa_guard_release)(guard);
        return;
    }
    memory_access(STEP_WRITE, (uintptr_t)guard, 1, CALLER);
    *(volatile char *)guard = 1;
    step_perform(self, STEP_ONCE_DONE, 0, (uintptr_t)guard, 2, CALLER);
}

FUNCTION(void, __cxa_guard_abort, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (self)
        step_perform(self, STEP_ONCE_DONE, 0, (uintptr_t)guard, 0, CALLER);
    else
        REAL(__cxa_guard_abort)(guard);
}
