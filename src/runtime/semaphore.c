/* SPDX-License-Identifier: MIT */
#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/wish.h"

#include <errno.h>

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned count)
{
    int result = REAL(sem_init)(semaphore, shared, count);
    if (result == 0)
        sync_note_init(RECORD_OP_SEM_INIT, semaphore, count, CALLER);
    return result;
}

/* The C library counts who waits in the upper half of the word. */
static bool is_waited_for(const sem_t *semaphore)
{
    uint64_t word;
    __builtin_memcpy(&word, semaphore, sizeof word);
    return word >> 32 != 0;
}

EXPORT int sem_destroy(sem_t *semaphore)
{
    struct sync sync = SYNC(EVENT_SEMAPHORE_DESTROY, semaphore);
    sync.record.flags = is_waited_for(semaphore) ? EVENT_FAILED : 0;
    sync_before(&sync);
    return REAL(sem_destroy)(semaphore);
}

static void after_wait(struct sync *sync, int result)
{
    if (result == 0)
        sync_after(sync);
    else if (errno == EAGAIN || errno == ETIMEDOUT)
        sync_failed(sync);
}

static int refused(int reason)
{
    errno = reason;
    return -1;
}

/* The C library keeps it behind the count, which takes 64 bits. */
static bool is_shared(const sem_t *semaphore)
{
    int shared;
    __builtin_memcpy(&shared, (const char *)semaphore + sizeof(uint64_t), sizeof shared);
    return shared != 0;
}

/* The thread is cancelled here even if there is a count to take; and errno is touched only by
 * a failure. */
static int take(const struct sync *sync, sem_t *semaphore)
{
    if (!sync->recorder || is_shared(semaphore))
        return REAL(sem_wait)(semaphore);
    int before = errno;
    pthread_testcancel();
    int result = REAL(sem_trywait)(semaphore);
    if (result == 0 || errno != EAGAIN)
        return result;
    errno = before;
    return wish_during(sync, EVENT_SEM_WAIT, REAL(sem_wait)(semaphore));
}

#define WAIT(name, open, attempt, reason, parameters)                                              \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = SYNC(EVENT_SEM_WAIT, semaphore);                                        \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = sync.outcome == OUTCOME_FAIL      ? refused(reason)                           \
                     : sync.outcome == OUTCOME_SUCCEED ? REAL(sem_wait)(semaphore)                 \
                                                       : open;                                     \
        after_wait(&sync, result);                                                                 \
        return result;                                                                             \
    }

WAIT(sem_wait, sync_block(&sync, take(&sync, semaphore)), 0, EAGAIN, (sem_t * semaphore))
WAIT(sem_trywait, sync_block(&sync, REAL(sem_trywait)(semaphore)), EVENT_TRY, EAGAIN,
     (sem_t * semaphore))
WAIT(sem_timedwait,
     sync_block(&sync, REAL(sem_timedwait)(semaphore, CLOCKS_UNTIL(CLOCK_REALTIME, until))),
     EVENT_TRY, ETIMEDOUT, (sem_t * semaphore, const struct timespec *until))
WAIT(sem_clockwait,
     sync_block(&sync, REAL(sem_clockwait)(semaphore, clock, CLOCKS_UNTIL(clock, until))),
     EVENT_TRY, ETIMEDOUT, (sem_t * semaphore, clockid_t clock, const struct timespec *until))

EXPORT int sem_post(sem_t *semaphore)
{
    struct sync sync = SYNC(EVENT_POST, semaphore);
    sync_begin(&sync);
    int result = REAL(sem_post)(semaphore);
    sync_done(&sync);
    if (unlikely(result < 0) && errno == EOVERFLOW)
        sync_remark(EVENT_BAD_CALL, BAD_SEMAPHORE_OVERFLOW, CALLER);
    return result;
}
