/* OpenMP as gcc compiles it. Its library, libgomp, synchronises by atomic operations and futexes
 * of its own that nobody reports, so that without this everything that a parallel region does
 * would race with what comes before and after it.
 *
 * A region: what its creator did comes before each thread's part, and each part before what the
 * creator does next. A barrier: what anybody did before it comes before what anybody does after
 * it. Both are announced as edges (sync_edge). Critical sections and OpenMP's locks are locks. */
#include "runtime/openmp.h"

#include "runtime/caller.h"

#include <dlfcn.h>
#include <link.h>

__thread struct region *openmp_region __attribute__((tls_model("initial-exec")));
__thread struct task openmp_task __attribute__((tls_model("initial-exec")));
/* How many barriers of its region the thread has passed. */
static __thread unsigned rounds __attribute__((tls_model("initial-exec")));

/* Of the object that it is in, whatever is executed. */
static struct library {
    uintptr_t low, high;
} library;

static int find_code(struct dl_phdr_info *info, size_t size, void *function)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || (uintptr_t)function - low >= part->p_memsz)
            continue;
        __atomic_store_n(&library.high, low + part->p_memsz, __ATOMIC_RELAXED);
        __atomic_store_n(&library.low, low, __ATOMIC_RELEASE);
        return 1;
    }
    return 0;
}

bool openmp_holds(uintptr_t pc)
{
    uintptr_t low = __atomic_load_n(&library.low, __ATOMIC_ACQUIRE);
    return low && pc >= low && pc < __atomic_load_n(&library.high, __ATOMIC_RELAXED);
}

void *openmp_find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name), *loaded = NULL;
    if (!found)
        loaded = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (loaded) {
        found = dlsym(loaded, name);
        dlclose(loaded);
    }
    if (found && !library.low)
        dl_iterate_phdr(find_code, found);
    return found;
}

/* --- regions -------------------------------------------------------------------------- */

static void preplay_run_part(void *argument)
{
    struct region *region = argument, *outer = openmp_region;
    struct task outer_task = openmp_task;
    unsigned outer_rounds = rounds;
    openmp_region = region;
    openmp_task = (struct task){.children = openmp_token()};
    rounds = 0;
    sync_edge(EVENT_ATOMIC_LOAD, &region->begun, region->pc);
    if (region->creator == recorder_current) {
        region->run(region->data);
    } else { /* its stack begins here; the creator is where it was */
        CALL_FROM(region->pc);
        region->run(region->data);
    }
    sync_edge(EVENT_ATOMIC_RMW, &region->ended, region->pc);
    openmp_region = outer;
    openmp_task = outer_task;
    rounds = outer_rounds;
}

#define REGION(result, name, more, arguments, give)                                                \
    EXPORT result name(void (*run)(void *), void *data, unsigned threads UNPACK more);             \
    EXPORT result name(void (*run)(void *), void *data, unsigned threads UNPACK more)              \
    {                                                                                              \
        FIND(result, name, (void (*)(void *), void *, unsigned UNPACK more));                      \
        struct region region = {.reductions = REDUCTIONS_##result,                                 \
                                .run = run,                                                        \
                                .data = data,                                                      \
                                .pc = CALLER,                                                      \
                                .creator = recorder_self()};                                       \
        sync_edge(EVENT_ATOMIC_RMW, &region.begun, CALLER);                                        \
        CALL_FROM(CALLER);                                                                         \
        give next(preplay_run_part, &region, threads UNPACK arguments);                            \
        sync_edge(EVENT_ATOMIC_LOAD, &region.ended, CALLER);                                       \
        RESULT_##result                                                                            \
    }
#define UNPACK(...) , ##__VA_ARGS__
#define RESULT_void
#define RESULT_unsigned     return answer;
#define REDUCTIONS_void     NULL
#define REDUCTIONS_unsigned *(void **)data

REGION(void, GOMP_parallel, (unsigned flags), (flags), )
REGION(unsigned, GOMP_parallel_reductions, (unsigned flags), (flags), unsigned answer =)
REGION(void, GOMP_parallel_sections, (unsigned count, unsigned flags), (count, flags), )
#define LOOP(name)                                                                                 \
    REGION(void, name, (long start, long end, long step, long chunk, unsigned flags),              \
           (start, end, step, chunk, flags), )
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#define LOOP_AS_TOLD(name)                                                                         \
    REGION(void, name, (long start, long end, long step, unsigned flags),                          \
           (start, end, step, flags), )
LOOP_AS_TOLD(GOMP_parallel_loop_runtime)
LOOP_AS_TOLD(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_AS_TOLD(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* --- barriers --------------------------------------------------------------------------- */

/* What the thread does before it; NULL outside of any region. */
static const char *reach_barrier(uintptr_t pc)
{
    const char *round = openmp_region ? &openmp_region->barrier[rounds++ % 2] : NULL;
    if (round)
        sync_edge(EVENT_ATOMIC_RMW, round, pc);
    return round;
}

static void pass_barrier(const char *round, uintptr_t pc)
{
    if (!round)
        return;
    sync_edge(EVENT_ATOMIC_LOAD, round, pc);
    sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->ended, pc); /* tasks */
}

#define BARRIER(name)                                                                              \
    EXPORT void name(void);                                                                        \
    EXPORT void name(void)                                                                         \
    {                                                                                              \
        FIND(void, name, (void));                                                                  \
        const char *round = reach_barrier(CALLER);                                                 \
        next();                                                                                    \
        pass_barrier(round, CALLER);                                                               \
    }
/* Where something may be cancelled: whoever was (true) leaves the barrier like the others. */
#define BARRIER_OR_CANCEL(name)                                                                    \
    EXPORT bool name(void);                                                                        \
    EXPORT bool name(void)                                                                         \
    {                                                                                              \
        FIND(bool, name, (void));                                                                  \
        const char *round = reach_barrier(CALLER);                                                 \
        bool cancelled = next();                                                                   \
        pass_barrier(round, CALLER);                                                               \
        return cancelled;                                                                          \
    }

BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER_OR_CANCEL(GOMP_barrier_cancel)
BARRIER_OR_CANCEL(GOMP_loop_end_cancel)
BARRIER_OR_CANCEL(GOMP_sections_end_cancel)

/* Ends what shares reductions with its tasks. */
EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled);
EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    FIND(void, GOMP_workshare_task_reduction_unregister, (bool));
    const char *round = cancelled ? NULL : reach_barrier(CALLER);
    next(cancelled);
    pass_barrier(round, CALLER);
}

/* --- locks ------------------------------------------------------------------------------- */

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
