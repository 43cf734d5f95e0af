/* SPDX-License-Identifier: MIT */
/* Mutexes and spinlocks, C11's mtx_t among them (a mtx_t is a pthread mutex
 * inside). The inner pairs of a recursive mutex are not synchronisation and not
 * recorded; whether a pair is inner is asked of the mutex itself. */
#include "runtime/clocks.h"
#include "runtime/mutex_state.h"
#include "runtime/real.h"
#include "runtime/thread.h"
#include "runtime/wish.h"

#include <errno.h>

enum { MUTEX_SHARED = 128 }; /* a bit of the kind: between processes */

static bool recursive(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_RECURSIVE;
}

/* A recursive mutex that this thread owns already. */
static bool owned(const pthread_mutex_t *mutex)
{
    return recursive(mutex) && mutex->__data.__owner == (int)thread_kernel_id();
}

/* Called by the owner only. */
static bool owned_twice(const pthread_mutex_t *mutex)
{
    return recursive(mutex) && mutex->__data.__count > 1;
}

static void after_lock(struct sync *sync, int result)
{
    if (result == EOWNERDEAD && !thread_ended_with((const void *)sync->record.object))
        /* Its owner was of another process: no release will be seen. */
        sync_note_init(RECORD_OP_INIT, (const void *)sync->record.object, 0, sync->record.pc);
    if (result == 0 || result == EOWNERDEAD) {
        sync_after(sync);
    } else if (result == EBUSY || result == ETIMEDOUT) {
        sync_failed(sync);
    } else if (mutex_is_destroyed((const void *)sync->record.object)) {
        sync->record.op = EVENT_BAD_ACQUIRE;
        sync_after(sync);
    } else {
        sync_remark(EVENT_BAD_CALL, BAD_CALL_FAILED, sync->record.pc);
    }
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int result = REAL(pthread_mutex_init)(mutex, attributes);
    if (result == 0)
        sync_note_init(RECORD_OP_INIT, mutex, 0, CALLER);
    return result;
}

/* Refused if the mutex is held: then it lives on, and that is for the reader to know. */
static void after_destroy(struct sync *sync, bool refused)
{
    sync->record.flags = refused ? EVENT_FAILED : 0;
    sync_after(sync);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct sync sync = SYNC(EVENT_DESTROY, mutex);
    sync_before(&sync);
    int result = REAL(pthread_mutex_destroy)(mutex);
    after_destroy(&sync, result == EBUSY);
    return result;
}

/* The only thread of a forked child waits for a lock that it has not taken: who held it is not
 * there. A handler of the program's for forks would have unlocked it. */
static void note_held_at_fork(const struct sync *sync, const pthread_mutex_t *mutex)
{
    bool alone = process.forked && atomic_load(&process.streams) == 1;
    if (alone && mutex->__data.__owner && mutex->__data.__owner != (int)thread_kernel_id())
        sync_remark(EVENT_BAD_CALL, BAD_FORK_HELD, sync->record.pc);
}

/* A lock that is free is got by trying, too; whatever else a lock may answer (EDEADLK, an owner
 * that died) it answers to the real call that follows, or to the try alike. */
static int lock(struct sync *sync, pthread_mutex_t *mutex)
{
    if (!sync->recorder || mutex->__data.__kind & MUTEX_SHARED)
        return sync_block(sync, REAL(pthread_mutex_lock)(mutex));
    return wish_if(sync, EBUSY, REAL(pthread_mutex_trylock)(mutex),
                   (note_held_at_fork(sync, mutex), REAL(pthread_mutex_lock)(mutex)));
}

/* A try or timed form that a schedule has succeed may block: it will not be for
 * long, and the holder may be on its way out. `open` is what is done without a schedule. */
#define LOCK_OF(name, real, code, open, attempt, refusal, parameters)                              \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = {0};                                                                    \
        if (owned((const pthread_mutex_t *)(void *)mutex))                                         \
            return open;                                                                           \
        sync = SYNC(EVENT_ACQUIRE, mutex);                                                         \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = refusal;                                                                      \
        if (sync.outcome == OUTCOME_SUCCEED)                                                       \
            result = REAL(real)(mutex);                                                            \
        else if (sync.outcome == OUTCOME_OPEN)                                                     \
            result = open;                                                                         \
        after_lock(&sync, code(result));                                                           \
        return result;                                                                             \
    }
#define LOCK(name, ...) LOCK_OF(name, pthread_mutex_lock, , __VA_ARGS__)

LOCK(pthread_mutex_lock, lock(&sync, mutex), 0, EBUSY, (pthread_mutex_t * mutex))
LOCK(pthread_mutex_trylock, sync_block(&sync, REAL(pthread_mutex_trylock)(mutex)), EVENT_TRY, EBUSY,
     (pthread_mutex_t * mutex))
LOCK(pthread_mutex_timedlock,
     sync_block(&sync, REAL(pthread_mutex_timedlock)(mutex, CLOCKS_UNTIL(CLOCK_REALTIME, until))),
     EVENT_TRY, ETIMEDOUT, (pthread_mutex_t * mutex, const struct timespec *until))
LOCK(pthread_mutex_clocklock,
     sync_block(&sync, REAL(pthread_mutex_clocklock)(mutex, clock, CLOCKS_UNTIL(clock, until))),
     EVENT_TRY, ETIMEDOUT, (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until))

/* An unlock that fails (an error-checking mutex of another owner) must leave no
 * release behind, and it cannot be asked beforehand without a race: whoever owns
 * an error-checking or recursive mutex is written in it. */
static bool unlock_will_fail(const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind & 3;
    return (kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE) &&
           mutex->__data.__owner != (int)system_thread();
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct sync sync = SYNC(EVENT_RELEASE, mutex);
    if (!sync.recorder || owned_twice(mutex))
        return REAL(pthread_mutex_unlock)(mutex);
    if (unlikely(unlock_will_fail(mutex))) {
        sync_remark(EVENT_BAD_CALL, BAD_CALL_FAILED, sync.record.pc);
        return REAL(pthread_mutex_unlock)(mutex);
    }
    if (unlikely(mutex_is_free(mutex)))
        sync.record.op = EVENT_BAD_RELEASE;
    sync_begin(&sync);
    int result = REAL(pthread_mutex_unlock)(mutex);
    sync_done(&sync);
    return result;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    int result = REAL(pthread_spin_init)(lock, shared);
    sync_note_init(RECORD_OP_INIT, (const void *)lock, 0, CALLER);
    return result;
}

/* It has no initialiser but the call: until that comes, it stays destroyed. */
EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct sync sync = SYNC(EVENT_DESTROY, lock);
    sync.record.flags = EVENT_TRY;
    sync_before(&sync);
    int result = REAL(pthread_spin_destroy)(lock);
    sync_after(&sync);
    return result;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    struct sync sync = SYNC(EVENT_ACQUIRE, lock);
    sync_before(&sync);
    int result = sync.recorder ? wish_if(&sync, EBUSY, REAL(pthread_spin_trylock)(lock),
                                         REAL(pthread_spin_lock)(lock))
                               : REAL(pthread_spin_lock)(lock);
    if (result == 0)
        sync_after(&sync);
    return result;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    struct sync sync = SYNC(EVENT_ACQUIRE, lock);
    sync.record.flags = EVENT_TRY;
    sync_before(&sync);
    int result = EBUSY;
    if (sync.outcome == OUTCOME_SUCCEED)
        result = REAL(pthread_spin_lock)(lock);
    else if (sync.outcome == OUTCOME_OPEN)
        result = REAL(pthread_spin_trylock)(lock);
    if (result == 0)
        sync_after(&sync);
    else
        sync_failed(&sync);
    return result;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct sync sync = SYNC(EVENT_RELEASE, lock);
    sync_begin(&sync);
    int result = REAL(pthread_spin_unlock)(lock);
    sync_done(&sync);
    return result;
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
    int result = REAL(mtx_init)(mutex, type);
    sync_note_init(RECORD_OP_INIT, mutex, 0, CALLER);
    return result;
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    struct sync sync = SYNC(EVENT_DESTROY, mutex);
    sync_before(&sync);
    bool held = ((const pthread_mutex_t *)(void *)mutex)->__data.__nusers != 0;
    REAL(mtx_destroy)(mutex);
    after_destroy(&sync, held);
}

static int code_of(int result)
{
    return result == thrd_success    ? 0
           : result == thrd_busy     ? EBUSY
           : result == thrd_timedout ? ETIMEDOUT
                                     : EINVAL;
}

static int lock_mtx(struct sync *sync, mtx_t *mutex)
{
    if (!sync->recorder)
        return REAL(mtx_lock)(mutex);
    return wish_if(sync, thrd_busy, REAL(mtx_trylock)(mutex), REAL(mtx_lock)(mutex));
}

#define MTX_LOCK(name, ...) LOCK_OF(name, mtx_lock, code_of, __VA_ARGS__)

MTX_LOCK(mtx_lock, lock_mtx(&sync, mutex), 0, thrd_busy, (mtx_t * mutex))
MTX_LOCK(mtx_trylock, sync_block(&sync, REAL(mtx_trylock)(mutex)), EVENT_TRY, thrd_busy,
         (mtx_t * mutex))
MTX_LOCK(mtx_timedlock,
         sync_block(&sync, REAL(mtx_timedlock)(mutex, CLOCKS_UNTIL(CLOCK_REALTIME, until))),
         EVENT_TRY, thrd_timedout, (mtx_t * mutex, const struct timespec *until))

EXPORT int mtx_unlock(mtx_t *mutex)
{
    struct sync sync = SYNC(EVENT_RELEASE, mutex);
    if (!sync.recorder || owned_twice((const pthread_mutex_t *)(void *)mutex))
        return REAL(mtx_unlock)(mutex);
    if (unlikely(mutex_is_free(mutex)))
        sync.record.op = EVENT_BAD_RELEASE;
    sync_begin(&sync);
    int result = REAL(mtx_unlock)(mutex);
    sync_done(&sync);
    return result;
}
