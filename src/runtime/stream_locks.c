/* SPDX-License-Identifier: MIT */
/* The locks of standard streams, which a program may hold over several calls. What the C library
 * does with them inside of each call orders nothing that a program may rely on. */
#include "runtime/real.h"
#include "runtime/wish.h"

#include <errno.h>

/* As the C library has it; it is recursive. */
struct stream_lock {
    int word, count;
    void *owner;
};

static struct stream_lock *lock_of(FILE *file)
{
    return (struct stream_lock *)file->_lock;
}

static bool is_inner(FILE *file)
{
    const struct stream_lock *lock = lock_of(file);
    return !lock || lock->owner == (void *)pthread_self();
}

static int try_lock(FILE *file)
{
    return REAL(ftrylockfile)(file) ? EBUSY : 0;
}

static int lock_for_good(FILE *file)
{
    REAL(flockfile)(file);
    return 0;
}

EXPORT void flockfile(FILE *file)
{
    if (is_inner(file)) {
        REAL(flockfile)(file);
        return;
    }
    struct sync sync = SYNC(EVENT_ACQUIRE, lock_of(file));
    sync_before(&sync);
    if (!sync.recorder || sync.outcome != OUTCOME_OPEN)
        REAL(flockfile)(file);
    else
        wish_if(&sync, EBUSY, try_lock(file), lock_for_good(file));
    sync_after(&sync);
}

EXPORT int ftrylockfile(FILE *file)
{
    if (is_inner(file))
        return REAL(ftrylockfile)(file);
    struct sync sync = SYNC(EVENT_ACQUIRE, lock_of(file));
    sync.record.flags = EVENT_TRY;
    sync_before(&sync);
    int result = sync.outcome == OUTCOME_SUCCEED ? lock_for_good(file)
                 : sync.outcome == OUTCOME_FAIL  ? EBUSY
                                                 : REAL(ftrylockfile)(file);
    if (result == 0)
        sync_after(&sync);
    else
        sync_failed(&sync);
    return result;
}

EXPORT void funlockfile(FILE *file)
{
    const struct stream_lock *lock = lock_of(file);
    if (!lock || lock->owner != (void *)pthread_self() || lock->count > 1) {
        REAL(funlockfile)(file);
        return;
    }
    struct sync sync = SYNC(EVENT_RELEASE, lock);
    sync_begin(&sync);
    REAL(funlockfile)(file);
    sync_done(&sync);
}
