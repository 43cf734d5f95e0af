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

#define WAIT(name, attempt, parameters, arguments)                                                 \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = SYNC(EVENT_SEM_WAIT, semaphore);                                        \
        sync.record.flags = attempt;                                                               \
        sync_before(&sync);                                                                        \
        int result = REAL(name) arguments;                                                         \
        after_wait(&sync, result);                                                                 \
        return result;                                                                             \
    }

WAIT(sem_wait, 0, (sem_t * semaphore), (semaphore))
WAIT(sem_trywait, EVENT_TRY, (sem_t * semaphore), (semaphore))
WAIT(sem_timedwait, EVENT_TRY, (sem_t * semaphore, const struct timespec *until),
     (semaphore, until))
WAIT(sem_clockwait, EVENT_TRY, (sem_t * semaphore, clockid_t clock, const struct timespec *until),
     (semaphore, clock, until))

EXPORT int sem_post(sem_t *semaphore)
{
    struct sync sync = SYNC(EVENT_POST, semaphore);
    sync_before(&sync);
    return REAL(sem_post)(semaphore);
}
