/* SPDX-License-Identifier: MIT */
/* Libraries that synchronise by atomic operations and futexes of their own, in code that is not
 * instrumented: nothing of that is seen. What their exported functions promise is told instead, in
 * one file a library, a line a function:
 *
 *     #define LIBRARY "libfoo.so.1"
 *     LIBRARY_LOCK(foo_lock, EVENT_ACQUIRE, (void *lock), (lock), lock)
 *     LIBRARY_UNLOCK(foo_unlock, EVENT_RELEASE, (void *lock), (lock), lock)
 *     LIBRARY_RELEASES(foo_push, (void *queue, void *item), (queue, item), item)
 *     LIBRARY_ACQUIRES(void *, foo_pop, (void *queue), (queue), answer)
 *
 * A hand-over is an edge on what is handed over, where that has an address: then it orders those
 * two threads and nobody else. */
#ifndef PREPLAY_RUNTIME_LIBRARY_H
#define PREPLAY_RUNTIME_LIBRARY_H

#include "runtime/wish.h"

/* The function that the program would call without us, also of a library that was loaded late and
 * is known to its users alone. */
void *library_find(const char *name, const char *library);

/* Memory that a library hands out (EVENT_ALLOC) or takes back (EVENT_FREE) on its own account. */
void library_block(unsigned op, const void *start, size_t size, uintptr_t pc);

#define LIBRARY_NEXT(result, name, parameters)                                                     \
    static result(*next) parameters;                                                               \
    if (unlikely(!next))                                                                           \
    *(void **)(void *)&next = library_find(#name, LIBRARY)

#define LIBRARY_FUNCTION(result, name, parameters)                                                 \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* A lock; the event is EVENT_ACQUIRE or one of its like. */
#define LIBRARY_LOCK(name, event, parameters, arguments, object)                                   \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        struct sync sync = SYNC(event, object);                                                    \
        sync_before(&sync);                                                                        \
        wish_around(&sync, event, (next arguments, 0));                                            \
        sync_after(&sync);                                                                         \
    }

/* One that answers whether it was got. A schedule may ask for either. */
#define LIBRARY_TRY_LOCK(name, event, parameters, arguments, object)                               \
    LIBRARY_FUNCTION(int, name, parameters)                                                        \
    {                                                                                              \
        LIBRARY_NEXT(int, name, parameters);                                                       \
        struct sync sync = SYNC(event, object);                                                    \
        sync.record.flags = EVENT_TRY;                                                             \
        sync_before(&sync);                                                                        \
        int got = sync.outcome == OUTCOME_FAIL ? 0 : next arguments;                               \
        for (unsigned i = 0; !got && sync.outcome == OUTCOME_SUCCEED && i < LIBRARY_TRIES; i++) {  \
            system_nap();                                                                          \
            got = next arguments;                                                                  \
        }                                                                                          \
        if (got)                                                                                   \
            sync_after(&sync);                                                                     \
        else                                                                                       \
            sync_failed(&sync);                                                                    \
        return got;                                                                                \
    }
enum { LIBRARY_TRIES = 1000 };

#define LIBRARY_UNLOCK(name, event, parameters, arguments, object)                                 \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        struct sync sync = SYNC(event, object);                                                    \
        sync_begin(&sync);                                                                         \
        next arguments;                                                                            \
        sync_done(&sync);                                                                          \
    }

/* A new lock or condition at this address. */
#define LIBRARY_INIT(name, parameters, arguments, object)                                          \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        next arguments;                                                                            \
        sync_note_init(RECORD_OP_INIT, object, 0, CALLER);                                         \
    }

/* What the thread did before it comes before whoever acquires the object later. */
#define LIBRARY_RELEASES(name, parameters, arguments, object)                                      \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        sync_release((const void *)(object), CALLER);                                              \
        next arguments;                                                                            \
    }

/* The same of a function with a result. */
#define LIBRARY_RELEASES_FOR(result, name, parameters, arguments, object)                          \
    LIBRARY_FUNCTION(result, name, parameters)                                                     \
    {                                                                                              \
        LIBRARY_NEXT(result, name, parameters);                                                    \
        sync_release((const void *)(object), CALLER);                                              \
        return next arguments;                                                                     \
    }

/* `object` may name the `answer`; NULL: it has got nothing. */
#define LIBRARY_ACQUIRES(result, name, parameters, arguments, object)                              \
    LIBRARY_FUNCTION(result, name, parameters)                                                     \
    {                                                                                              \
        LIBRARY_NEXT(result, name, parameters);                                                    \
        result answer = next arguments;                                                            \
        const void *acquired = (const void *)(object);                                             \
        if (acquired)                                                                              \
            sync_edge(EVENT_ATOMIC_LOAD, acquired, CALLER);                                        \
        return answer;                                                                             \
    }

#endif
