/* SPDX-License-Identifier: MIT */
/* Mutexes, spin locks and readers-writer locks. */
#include "stepper/operations.h"
#include "stepper/real.h"

#include <errno.h>
#include <pthread.h>

static int mutex_again(struct stepped *self, const pthread_mutex_t *mutex, bool try)
{
    struct object *object = object_at((uintptr_t)mutex);
    int kind = mutex->__data.__kind & 3;
    if (object->owner != self)
        return -1;
    if (kind == PTHREAD_MUTEX_RECURSIVE_NP) {
        object->depth++;
        return 0;
    }
    if (try)
        return EBUSY;
    return kind == PTHREAD_MUTEX_ERRORCHECK_NP ? EDEADLK : -1;
}

FUNCTION(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes))
{
    struct stepped *self = stepped_current();
    if (self)
        step_perform(self, STEP_SET, 0, (uintptr_t)mutex, 0, CALLER);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

FUNCTION(int, pthread_mutex_lock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_lock)(mutex);
    int again = mutex_again(self, mutex, false);
    if (again >= 0)
        return again;
    step_perform(self, STEP_LOCK, 0, (uintptr_t)mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_mutex_trylock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_trylock)(mutex);
    int again = mutex_again(self, mutex, true);
    if (again >= 0)
        return again;
    return step_perform(self, STEP_TRY_LOCK, 0, (uintptr_t)mutex, 0, CALLER) ? 0 : EBUSY;
}

FUNCTION(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_timedlock)(mutex, until);
    int again = mutex_again(self, mutex, false);
    if (again >= 0)
        return again;
    step_set_alarm(self, until);
    return step_perform(self, STEP_TRY_LOCK, STEP_TIMED, (uintptr_t)mutex, 0, CALLER) ? 0
                                                                                      : ETIMEDOUT;
}

FUNCTION(int, pthread_mutex_unlock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_unlock)(mutex);
    struct object *object = object_at((uintptr_t)mutex);
    if (object->owner == self && object->depth > 1) {
        object->depth--;
        return 0;
    }
    if (object->owner != self && (mutex->__data.__kind & 3) != PTHREAD_MUTEX_NORMAL)
        return EPERM;
    step_perform(self, STEP_UNLOCK, 0, (uintptr_t)mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared))
{
    struct stepped *self = stepped_current();
    (void)shared;
    if (self)
        step_perform(self, STEP_SET, 0, (uintptr_t)lock, 0, CALLER);
    *lock = 1;
    return 0;
}

FUNCTION(int, pthread_spin_lock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_lock)(lock);
    step_perform(self, STEP_LOCK, 0, (uintptr_t)lock, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_spin_trylock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_trylock)(lock);
    return step_perform(self, STEP_TRY_LOCK, 0, (uintptr_t)lock, 0, CALLER) ? 0 : EBUSY;
}

FUNCTION(int, pthread_spin_unlock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_unlock)(lock);
    step_perform(self, STEP_UNLOCK, 0, (uintptr_t)lock, 0, CALLER);
    return 0;
}

/* --- readers-writer locks -----------------------------------------------------------------------
 */

#define RWLOCK(name, op, failure)                                                                  \
    FUNCTION(int, pthread_rwlock_##name, (pthread_rwlock_t * lock))                                \
    {                                                                                              \
        struct stepped *self = stepped_current();                                                  \
        if (!self)                                                                                 \
            return REAL(pthread_rwlock_##name)(lock);                                              \
        uint64_t seen = step_perform(self, op, 0, (uintptr_t)lock, 0, CALLER);                     \
        return seen ? 0 : failure;                                                                 \
    }
RWLOCK(rdlock, STEP_READ_LOCK, 0)
RWLOCK(wrlock, STEP_WRITE_LOCK, 0)
RWLOCK(tryrdlock, STEP_TRY_READ_LOCK, EBUSY)
RWLOCK(trywrlock, STEP_TRY_WRITE_LOCK, EBUSY)
RWLOCK(unlock, STEP_UNLOCK_EITHER, 0)
