/* SPDX-License-Identifier: MIT */
#include "runtime/real.h"
#include "runtime/wish.h"

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    int result = REAL(pthread_barrier_init)(barrier, attributes, count);
    if (result == 0)
        sync_note_init(RECORD_OP_BARRIER_INIT, barrier, count, CALLER);
    else if (count == 0)
        sync_remark(EVENT_BAD_CALL, BAD_BAD_COUNT, CALLER);
    return result;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct sync sync = SYNC(EVENT_BARRIER_DESTROY, barrier);
    sync_before(&sync);
    return REAL(pthread_barrier_destroy)(barrier);
}

/* The C library keeps it behind three numbers: who came, which round it is, how many it takes. */
static bool is_shared(const pthread_barrier_t *barrier)
{
    int shared;
    __builtin_memcpy(&shared, (const char *)barrier + 3 * sizeof(unsigned), sizeof shared);
    return shared != 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct sync enter = SYNC(EVENT_BARRIER_ENTER, barrier);
    sync_before(&enter);
    /* A deadlock may end here: nobody leaves who does not first wait. */
    if (unlikely(enforce_active) && enter.recorder)
        enforce_stand(enter.recorder);
    int result = is_shared(barrier)
                     ? sync_block(&enter, REAL(pthread_barrier_wait)(barrier))
                     : wish_around(&enter, EVENT_BARRIER_EXIT, REAL(pthread_barrier_wait)(barrier));
    struct sync leave = SYNC(EVENT_BARRIER_EXIT, barrier);
    sync_before(&leave);
    sync_after(&leave);
    return result;
}
