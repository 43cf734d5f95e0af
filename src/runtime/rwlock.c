#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>

static void after_lock(struct sync *sync, int result)
{
    if (result == 0)
        sync_after(sync);
    else if (result == EBUSY || result == ETIMEDOUT)
        sync_failed(sync);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int result = REAL(pthread_rwlock_init)(lock, attributes);
    if (result == 0)
        sync_note_init(RECORD_OP_INIT, lock, 0, CALLER);
    return result;
}

#define LOCK(name, blocking, event, attempt, refusal, parameters, arguments)                       \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = SYNC(event, lock);                                                      \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = refusal;                                                                      \
        if (sync.outcome == OUTCOME_SUCCEED)                                                       \
            result = REAL(blocking)(lock);                                                         \
        else if (sync.outcome == OUTCOME_OPEN)                                                     \
            result = sync_block(&sync, REAL(name) arguments);                                      \
        after_lock(&sync, result);                                                                 \
        return result;                                                                             \
    }
#define READ_LOCK(name, attempt, refusal, parameters, arguments)                                   \
    LOCK(name, pthread_rwlock_rdlock, EVENT_ACQUIRE_READ, attempt, refusal, parameters, arguments)
#define WRITE_LOCK(name, attempt, refusal, parameters, arguments)                                  \
    LOCK(name, pthread_rwlock_wrlock, EVENT_ACQUIRE_WRITE, attempt, refusal, parameters, arguments)

READ_LOCK(pthread_rwlock_rdlock, 0, EBUSY, (pthread_rwlock_t * lock), (lock))
READ_LOCK(pthread_rwlock_tryrdlock, EVENT_TRY, EBUSY, (pthread_rwlock_t * lock), (lock))
READ_LOCK(pthread_rwlock_timedrdlock, EVENT_TRY, ETIMEDOUT,
          (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
READ_LOCK(pthread_rwlock_clockrdlock, EVENT_TRY, ETIMEDOUT,
          (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
          (lock, clock, until))
WRITE_LOCK(pthread_rwlock_wrlock, 0, EBUSY, (pthread_rwlock_t * lock), (lock))
WRITE_LOCK(pthread_rwlock_trywrlock, EVENT_TRY, EBUSY, (pthread_rwlock_t * lock), (lock))
WRITE_LOCK(pthread_rwlock_timedwrlock, EVENT_TRY, ETIMEDOUT,
           (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
WRITE_LOCK(pthread_rwlock_clockwrlock, EVENT_TRY, ETIMEDOUT,
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until))

/* Which of the two it is that ends is written in the lock: a writer leaves its
 * kernel id there. */
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    bool writer = lock->__data.__cur_writer != 0;
    struct sync sync = SYNC(writer ? EVENT_RELEASE_WRITE : EVENT_RELEASE_READ, lock);
    sync_begin(&sync);
    int result = REAL(pthread_rwlock_unlock)(lock);
    sync_done(&sync);
    return result;
}
