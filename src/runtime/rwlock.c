/* SPDX-License-Identifier: MIT */
#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/wish.h"

#include <errno.h>

/* The C library does nothing to a lock that it destroys, so that one that is used afterwards looks
 * like any other. What is destroyed may look as it likes: a mark in a part that the C library does
 * not use, which every initialisation clears, by a call or by an assignment. */
#define DESTROYED 0x6479616cu

static void mark_destroyed(pthread_rwlock_t *lock)
{
    __atomic_store_n(&lock->__data.__pad4, DESTROYED, __ATOMIC_RELAXED);
}

__attribute__((noinline, cold)) static void note_use(const pthread_rwlock_t *lock, uintptr_t pc)
{
    struct sync bad = SYNC_AT(EVENT_BAD_ACQUIRE, lock, pc);
    sync_before(&bad);
    sync_after(&bad);
}

static void after_lock(struct sync *sync, int result)
{
    if (result == 0)
        sync_after(sync);
    else if (result == EBUSY || result == ETIMEDOUT)
        sync_failed(sync);
    else
        sync_remark(EVENT_BAD_CALL, BAD_CALL_FAILED, sync->record.pc);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int result = REAL(pthread_rwlock_init)(lock, attributes);
    if (result == 0)
        sync_note_init(RECORD_OP_INIT, lock, 0, CALLER);
    return result;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct sync sync = SYNC(EVENT_DESTROY, lock);
    sync_before(&sync);
    mark_destroyed(lock);
    int result = REAL(pthread_rwlock_destroy)(lock);
    sync_after(&sync);
    return result;
}

/* Tried first, for the wish's sake (wish.h); the tries follow the lock's preference as the
 * blocking forms do. */
static int read_lock(struct sync *sync, pthread_rwlock_t *lock)
{
    if (!sync->recorder || lock->__data.__shared)
        return sync_block(sync, REAL(pthread_rwlock_rdlock)(lock));
    return wish_if(sync, EBUSY, REAL(pthread_rwlock_tryrdlock)(lock),
                   REAL(pthread_rwlock_rdlock)(lock));
}

static int write_lock(struct sync *sync, pthread_rwlock_t *lock)
{
    if (!sync->recorder || lock->__data.__shared)
        return sync_block(sync, REAL(pthread_rwlock_wrlock)(lock));
    return wish_if(sync, EBUSY, REAL(pthread_rwlock_trywrlock)(lock),
                   REAL(pthread_rwlock_wrlock)(lock));
}

#define LOCK(name, blocking, event, open, attempt, refusal, parameters)                            \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        if (unlikely(lock->__data.__pad4 == DESTROYED))                                            \
            note_use(lock, CALLER);                                                                \
        struct sync sync = SYNC(event, lock);                                                      \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = refusal;                                                                      \
        if (sync.outcome == OUTCOME_SUCCEED)                                                       \
            result = REAL(blocking)(lock);                                                         \
        else if (sync.outcome == OUTCOME_OPEN)                                                     \
            result = open;                                                                         \
        after_lock(&sync, result);                                                                 \
        return result;                                                                             \
    }
#define READ_LOCK(name, open, attempt, refusal, parameters)                                        \
    LOCK(name, pthread_rwlock_rdlock, EVENT_ACQUIRE_READ, open, attempt, refusal, parameters)
#define WRITE_LOCK(name, open, attempt, refusal, parameters)                                       \
    LOCK(name, pthread_rwlock_wrlock, EVENT_ACQUIRE_WRITE, open, attempt, refusal, parameters)
#define CALL(name, ...) sync_block(&sync, REAL(name)(__VA_ARGS__))

READ_LOCK(pthread_rwlock_rdlock, read_lock(&sync, lock), 0, EBUSY, (pthread_rwlock_t * lock))
READ_LOCK(pthread_rwlock_tryrdlock, CALL(pthread_rwlock_tryrdlock, lock), EVENT_TRY, EBUSY,
          (pthread_rwlock_t * lock))
READ_LOCK(pthread_rwlock_timedrdlock,
          CALL(pthread_rwlock_timedrdlock, lock, CLOCKS_UNTIL(CLOCK_REALTIME, until)), EVENT_TRY,
          ETIMEDOUT, (pthread_rwlock_t * lock, const struct timespec *until))
READ_LOCK(pthread_rwlock_clockrdlock,
          CALL(pthread_rwlock_clockrdlock, lock, clock, CLOCKS_UNTIL(clock, until)), EVENT_TRY,
          ETIMEDOUT, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until))
WRITE_LOCK(pthread_rwlock_wrlock, write_lock(&sync, lock), 0, EBUSY, (pthread_rwlock_t * lock))
WRITE_LOCK(pthread_rwlock_trywrlock, CALL(pthread_rwlock_trywrlock, lock), EVENT_TRY, EBUSY,
           (pthread_rwlock_t * lock))
WRITE_LOCK(pthread_rwlock_timedwrlock,
           CALL(pthread_rwlock_timedwrlock, lock, CLOCKS_UNTIL(CLOCK_REALTIME, until)), EVENT_TRY,
           ETIMEDOUT, (pthread_rwlock_t * lock, const struct timespec *until))
WRITE_LOCK(pthread_rwlock_clockwrlock,
           CALL(pthread_rwlock_clockwrlock, lock, clock, CLOCKS_UNTIL(clock, until)), EVENT_TRY,
           ETIMEDOUT, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until))

/* Which of the two it is that ends is written in the lock: a writer leaves its
 * kernel id there. */
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    enum { WRITER_LOCKED = 2, READERS = ~7 }; /* of glibc's count of readers */
    bool writer = lock->__data.__cur_writer != 0;
    struct sync sync = SYNC(writer ? EVENT_RELEASE_WRITE : EVENT_RELEASE_READ, lock);
    if (unlikely(!(lock->__data.__readers & (unsigned)(READERS | WRITER_LOCKED))))
        sync.record.op = EVENT_BAD_RELEASE;
    sync_begin(&sync);
    int result = REAL(pthread_rwlock_unlock)(lock);
    sync_done(&sync);
    return result;
}
