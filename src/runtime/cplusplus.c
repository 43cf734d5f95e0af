/* SPDX-License-Identifier: MIT */
/* Functions of the C++ library that call pthreads, for the sake of one thing: who called them.
 * The library has no debug information and no entry in the shadow call stack, so that all
 * std::thread and std::condition_variable of a program would seem to be used in one place.
 *
 * Valgrind's tool sees these calls itself. */
#include "runtime/caller.h"
#include "runtime/real.h"
#include "runtime/symbols.h"
#include "runtime/wish.h"

/* The library may be loaded later than we are, by dlopen(), and have been found by its users alone:
 * there is one of it in a process, wherever it is. */
void *real_find_cplusplus(const char *name, uintptr_t caller)
{
    (void)caller;
    return symbols_next(name);
}

#ifndef PREPLAY_HOSTED

#define CALL(name, parameters, arguments)                                                          \
    EXPORT void name parameters;                                                                   \
    EXPORT void name parameters                                                                    \
    {                                                                                              \
        static void(*real_function) parameters;                                                    \
        CALL_FROM(CALLER);                                                                         \
        if (!real_function)                                                                        \
            *(void **)(void *)&real_function = real_find_cplusplus(#name, CALLER);                 \
        real_function arguments;                                                                   \
    }

/* std::thread: its constructor (an owning pointer is passed by address), join(). */
CALL(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE,
     (void *thread, void *state, void (*unused)(void)), (thread, state, unused))
CALL(_ZNSt6thread4joinEv, (void *thread), (thread))
/* std::condition_variable: wait(), notify_one(), notify_all(). */
CALL(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, (void *condition, void *lock),
     (condition, lock))
CALL(_ZNSt18condition_variable10notify_oneEv, (void *condition), (condition))
CALL(_ZNSt18condition_variable10notify_allEv, (void *condition), (condition))

/* A future waits in a futex, of which nothing is recorded: that one thread was done before another
 * went on is told by the once-block in which the result is set. But who waits for ever is to be
 * told, as one that waits for a post. */
#define FUTURE_WAIT                                                                                \
    _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE
#define TEXT_OF(name) TEXT(name)
#define TEXT(name)    #name

EXPORT bool FUTURE_WAIT(void *self, unsigned *word, unsigned value, bool limited, long seconds,
                        long nanoseconds);
EXPORT bool FUTURE_WAIT(void *self, unsigned *word, unsigned value, bool limited, long seconds,
                        long nanoseconds)
{
    static bool (*real_function)(void *, unsigned *, unsigned, bool, long, long);
    struct sync sync = SYNC(EVENT_SEM_WAIT, word);
    if (limited || (sync.recorder && sync.recorder->ignore_sync))
        sync.recorder = NULL;
    if (!real_function)
        *(void **)(void *)&real_function = real_find_cplusplus(TEXT_OF(FUTURE_WAIT), CALLER);
    if (unlikely(enforce_active) && sync.recorder)
        enforce_stand(sync.recorder);
    return wish_around(&sync, EVENT_SEM_WAIT,
                       real_function(self, word, value, limited, seconds, nanoseconds));
}

#endif
