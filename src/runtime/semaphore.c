#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned count)
{
    int result = REAL(sem_init)(semaphore, shared, count);
    if (result == 0)
        sync_note_init(RECORD_OP_SEM_INIT, semaphore, count, CALLER);
    return result;
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

#define WAIT(name, attempt, reason, parameters, arguments)                                         \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = SYNC(EVENT_SEM_WAIT, semaphore);                                        \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = sync.outcome == OUTCOME_FAIL      ? refused(reason)                           \
                     : sync.outcome == OUTCOME_SUCCEED ? REAL(sem_wait)(semaphore)                 \
                                                       : sync_block(&sync, REAL(name) arguments);  \
        after_wait(&sync, result);                                                                 \
        return result;                                                                             \
    }

WAIT(sem_wait, 0, EAGAIN, (sem_t * semaphore), (semaphore))
WAIT(sem_trywait, EVENT_TRY, EAGAIN, (sem_t * semaphore), (semaphore))
WAIT(sem_timedwait, EVENT_TRY, ETIMEDOUT, (sem_t * semaphore, const struct timespec *until),
     (semaphore, until))
WAIT(sem_clockwait, EVENT_TRY, ETIMEDOUT,
     (sem_t * semaphore, clockid_t clock, const struct timespec *until), (semaphore, clock, until))

EXPORT int sem_post(sem_t *semaphore)
{
    struct sync sync = SYNC(EVENT_POST, semaphore);
    sync_begin(&sync);
    int result = REAL(sem_post)(semaphore);
    sync_done(&sync);
    return result;
}
