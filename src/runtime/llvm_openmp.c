/* SPDX-License-Identifier: MIT */
/* OpenMP as clang compiles it, with LLVM's library, libomp: regions, barriers, critical and ordered
 * sections, reductions. What they mean is openmp.c's; tasks are in llvm_openmp_tasks.c. Everywhere
 * `place` is where the source calls, and `number` the thread's. */
#include "runtime/library.h"
#include "runtime/openmp.h"
#include "runtime/thread.h"

#include <stdarg.h>

#define LIBRARY "libomp.so.5"

/* --- regions ------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 64 };

typedef void micro_function(int *number, int *bound, ...);
struct micro_call {
    micro_function *run;
    void *arguments[MOST_ARGUMENTS];
};

static __thread struct numbers {
    int *number, *bound;
} numbers __attribute__((tls_model("initial-exec")));

#define EIGHT(a, i) a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5], a[i + 6], a[i + 7]
#define ALL(a)                                                                                     \
    EIGHT(a, 0), EIGHT(a, 8), EIGHT(a, 16), EIGHT(a, 24), EIGHT(a, 32), EIGHT(a, 40),              \
        EIGHT(a, 48), EIGHT(a, 56)

/* More arguments than it takes are no harm to a function. */
static void call_micro(void *data)
{
    struct micro_call *call = data;
    call->run(numbers.number, numbers.bound, ALL(call->arguments));
}

static void preplay_run_micro(int *number, int *bound, struct region *region)
{
    struct numbers outer = numbers;
    numbers = (struct numbers){number, bound};
    openmp_run_part(region);
    numbers = outer;
}

typedef void fork_function(void *place, int count, micro_function *run, ...);

static void fork_seen(fork_function *next, void *place, struct micro_call *call, uintptr_t pc)
{
    struct region region = {.run = call_micro, .data = call, .pc = pc, .creator = recorder_self()};
    sync_edge(EVENT_ATOMIC_RMW, &region.begun, pc);
    next(place, 1, (micro_function *)(void *)preplay_run_micro, &region);
    sync_edge(EVENT_ATOMIC_LOAD, &region.ended, pc);
    sync_edge(EVENT_ATOMIC_LOAD, &region.tasks, pc);
}

/* One with so many variables that the stack would have to be large: passed on, and not seen. The
 * compiler makes none with more than twice as many. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
static __attribute__((noinline)) void fork_unseen(fork_function *next, void *place, int count,
                                                  micro_function *run, va_list *arguments)
{
    void *low[MOST_ARGUMENTS], *high[MOST_ARGUMENTS];
    for (int i = 0; i < count && i < 2 * MOST_ARGUMENTS; i++)
        *(i < MOST_ARGUMENTS ? &low[i] : &high[i - MOST_ARGUMENTS]) = va_arg(*arguments, void *);
    next(place, count, run, ALL(low), ALL(high));
}
#pragma GCC diagnostic pop

EXPORT void __kmpc_fork_call(void *place, int count, micro_function *run, ...);
EXPORT void __kmpc_fork_call(void *place, int count, micro_function *run, ...)
{
    FIND(void, __kmpc_fork_call, (void *, int, micro_function *, ...));
    thread_is_of_library = openmp_holds;
    struct micro_call call = {.run = run};
    va_list arguments;
    va_start(arguments, run);
    if (count > MOST_ARGUMENTS || !recorder_self()) {
        fork_unseen(next, place, count, run, &arguments);
    } else {
        for (int i = 0; i < count; i++)
            call.arguments[i] = va_arg(arguments, void *);
        fork_seen(next, place, &call, CALLER);
    }
    va_end(arguments);
}

/* --- barriers ------------------------------------------------------------------------- */

LIBRARY_FUNCTION(void, __kmpc_barrier, (void *place, int number))
{
    LIBRARY_NEXT(void, __kmpc_barrier, (void *, int));
    const char *round = openmp_reach_barrier(CALLER);
    next(place, number);
    openmp_pass_barrier(round, CALLER);
}

LIBRARY_FUNCTION(int, __kmpc_cancel_barrier, (void *place, int number))
{
    LIBRARY_NEXT(int, __kmpc_cancel_barrier, (void *, int));
    const char *round = openmp_reach_barrier(CALLER);
    int cancelled = next(place, number);
    openmp_pass_barrier(round, CALLER);
    return cancelled;
}

/* What one thread has for all: the others come after it, and it goes on after they have it. The
 * copies are made inside, by those who get them, once the one that has it is there. */
static __thread struct {
    void (*copy)(void *, void *);
    const char *round;
    uintptr_t pc;
} private_copy;

static void copy_from_one(void *to, void *from)
{
    if (private_copy.round)
        sync_edge(EVENT_ATOMIC_LOAD, private_copy.round, private_copy.pc);
    private_copy.copy(to, from);
}

LIBRARY_FUNCTION(void, __kmpc_copyprivate,
                 (void *place, int number, size_t size, void *data, void (*copy)(void *, void *),
                  int has))
{
    LIBRARY_NEXT(void, __kmpc_copyprivate,
                 (void *, int, size_t, void *, void (*)(void *, void *), int));
    const char *round = openmp_reach_barrier(CALLER);
    private_copy.copy = copy;
    private_copy.round = round;
    private_copy.pc = CALLER;
    next(place, number, size, data, copy_from_one, has);
    openmp_pass_barrier(round, CALLER);
}

/* --- critical and ordered sections --------------------------------------------------------- */

LIBRARY_LOCK(__kmpc_critical, EVENT_ACQUIRE, (void *place, int number, void *name),
             (place, number, name), name)
LIBRARY_LOCK(__kmpc_critical_with_hint, EVENT_ACQUIRE,
             (void *place, int number, void *name, unsigned hint), (place, number, name, hint),
             name)
LIBRARY_UNLOCK(__kmpc_end_critical, EVENT_RELEASE, (void *place, int number, void *name),
               (place, number, name), name)

LIBRARY_FUNCTION(void, __kmpc_ordered, (void *place, int number))
{
    LIBRARY_NEXT(void, __kmpc_ordered, (void *, int));
    next(place, number);
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->ordered, CALLER);
}

LIBRARY_FUNCTION(void, __kmpc_end_ordered, (void *place, int number))
{
    LIBRARY_NEXT(void, __kmpc_end_ordered, (void *, int));
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_RMW, &openmp_region->ordered, CALLER);
    next(place, number);
}

/* Iterations that wait for others: whoever has waited comes after all that were done. */
LIBRARY_FUNCTION(void, __kmpc_doacross_post, (void *place, int number, const int64_t *iteration))
{
    LIBRARY_NEXT(void, __kmpc_doacross_post, (void *, int, const int64_t *));
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_RMW, &openmp_region->ordered, CALLER);
    next(place, number, iteration);
}

LIBRARY_FUNCTION(void, __kmpc_doacross_wait, (void *place, int number, const int64_t *iteration))
{
    LIBRARY_NEXT(void, __kmpc_doacross_wait, (void *, int, const int64_t *));
    next(place, number, iteration);
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->ordered, CALLER);
}

/* --- reductions ------------------------------------------------------------------------- */

typedef void reduce_function(void *into, void *from);

/* What the calling thread reduces by. Several threads' results may be joined inside the library, by
 * the program's function: it comes after all that have brought theirs. */
static __thread struct reduction {
    reduce_function *run;
    const void *lock;
    uintptr_t pc;
} reduction __attribute__((tls_model("initial-exec")));

static void preplay_reduce(void *into, void *from)
{
    sync_edge(EVENT_ATOMIC_LOAD, reduction.lock, reduction.pc);
    reduction.run(into, from);
    sync_release(reduction.lock, reduction.pc);
}

#define REDUCE(name)                                                                               \
    LIBRARY_FUNCTION(int, name,                                                                    \
                     (void *place, int number, int count, size_t size, void *data,                 \
                      reduce_function *run, void *lock))                                           \
    {                                                                                              \
        LIBRARY_NEXT(int, name, (void *, int, int, size_t, void *, reduce_function *, void *));    \
        reduction = (struct reduction){run, lock, CALLER};                                         \
        sync_release(lock, CALLER);                                                                \
        int how = next(place, number, count, size, data, preplay_reduce, lock);                    \
        sync_edge(EVENT_ATOMIC_LOAD, lock, CALLER);                                                \
        return how;                                                                                \
    }
#define END_REDUCE(name)                                                                           \
    LIBRARY_FUNCTION(void, name, (void *place, int number, void *lock))                            \
    {                                                                                              \
        LIBRARY_NEXT(void, name, (void *, int, void *));                                           \
        sync_edge(EVENT_ATOMIC_RMW, lock, CALLER);                                                 \
        next(place, number, lock);                                                                 \
        sync_edge(EVENT_ATOMIC_LOAD, lock, CALLER);                                                \
    }
REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)
END_REDUCE(__kmpc_end_reduce)
END_REDUCE(__kmpc_end_reduce_nowait)
