/* SPDX-License-Identifier: MIT */
/* OpenMP's critical sections and locks are locks. */
#include "runtime/openmp.h"

static char critical, atomic; /* the one section without a name, and the fallback of atomics */

#define ENTER(name, parameters, arguments, object)                                                 \
    EXPORT void name parameters;                                                                   \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        FIND(void, name, parameters);                                                              \
        struct sync sync = SYNC(EVENT_ACQUIRE, object);                                            \
        sync_before(&sync);                                                                        \
        wish_around(&sync, EVENT_ACQUIRE, (next arguments, 0));                                    \
        sync_after(&sync);                                                                         \
    }
#define LEAVE(name, parameters, arguments, object)                                                 \
    EXPORT void name parameters;                                                                   \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        FIND(void, name, parameters);                                                              \
        struct sync sync = SYNC(EVENT_RELEASE, object);                                            \
        sync_begin(&sync);                                                                         \
        next arguments;                                                                            \
        sync_done(&sync);                                                                          \
    }

ENTER(GOMP_critical_start, (void), (), &critical)
LEAVE(GOMP_critical_end, (void), (), &critical)
ENTER(GOMP_critical_name_start, (void **name), (name), name)
LEAVE(GOMP_critical_name_end, (void **name), (name), name)
ENTER(GOMP_atomic_start, (void), (), &atomic)
LEAVE(GOMP_atomic_end, (void), (), &atomic)
ENTER(omp_set_lock, (void *lock), (lock), lock)
LEAVE(omp_unset_lock, (void *lock), (lock), lock)

EXPORT int omp_test_lock(void *lock);
EXPORT int omp_test_lock(void *lock)
{
    FIND(int, omp_test_lock, (void *));
    struct sync sync = SYNC(EVENT_ACQUIRE, lock);
    sync.record.flags = EVENT_TRY;
    sync_before(&sync);
    int got = sync.outcome != OUTCOME_FAIL && next(lock);
    if (got)
        sync_after(&sync);
    else
        sync_failed(&sync);
    return got;
}

/* --- nestable locks -------------------------------------------------------------------------- */

/* Those that this thread has, and how often: the inner pairs are no synchronisation. */
enum { MOST_NESTED = 16 };
static __thread struct nested {
    void *lock;
    unsigned depth;
} nested[MOST_NESTED] __attribute__((tls_model("initial-exec")));

/* NULL: there is no room for one more. */
static struct nested *find_nested(void *lock)
{
    struct nested *room = NULL;
    for (unsigned i = 0; i < MOST_NESTED; i++) {
        if (nested[i].depth && nested[i].lock == lock)
            return &nested[i];
        if (!nested[i].depth)
            room = &nested[i];
    }
    if (room)
        room->lock = lock;
    return room;
}

EXPORT void omp_set_nest_lock(void *lock);
EXPORT void omp_set_nest_lock(void *lock)
{
    FIND(void, omp_set_nest_lock, (void *));
    struct nested *mine = find_nested(lock);
    struct sync sync = SYNC(EVENT_ACQUIRE, lock);
    if (!mine || mine->depth++) {
        next(lock);
        return;
    }
    sync_before(&sync);
    wish_around(&sync, EVENT_ACQUIRE, (next(lock), 0));
    sync_after(&sync);
}

EXPORT int omp_test_nest_lock(void *lock);
EXPORT int omp_test_nest_lock(void *lock)
{
    FIND(int, omp_test_nest_lock, (void *));
    struct nested *mine = find_nested(lock);
    struct sync sync = SYNC(EVENT_ACQUIRE, lock);
    if (!mine || mine->depth) {
        int depth = next(lock);
        if (mine)
            mine->depth = depth ? (unsigned)depth : mine->depth;
        return depth;
    }
    sync.record.flags = EVENT_TRY;
    sync_before(&sync);
    int depth = sync.outcome != OUTCOME_FAIL ? next(lock) : 0;
    mine->depth = (unsigned)depth;
    if (depth)
        sync_after(&sync);
    else
        sync_failed(&sync);
    return depth;
}

EXPORT void omp_unset_nest_lock(void *lock);
EXPORT void omp_unset_nest_lock(void *lock)
{
    FIND(void, omp_unset_nest_lock, (void *));
    struct nested *mine = find_nested(lock);
    struct sync sync = SYNC(EVENT_RELEASE, lock);
    if (!mine || !mine->depth || --mine->depth) {
        next(lock);
        return;
    }
    sync_begin(&sync);
    next(lock);
    sync_done(&sync);
}
