/* SPDX-License-Identifier: MIT */
/* OpenMP as gcc compiles it. Its library, libgomp, synchronises by atomic operations and futexes
 * of its own that nobody reports, so that without this everything that a parallel region does
 * would race with what comes before and after it.
 *
 * A region: what its creator did comes before each thread's part, and each part before what the
 * creator does next. A barrier: what anybody did before it comes before what anybody does after
 * it. Both are announced as edges (sync_edge). */
#include "runtime/openmp.h"

#include "runtime/caller.h"
#include "runtime/symbols.h"

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
    void *found = symbols_next(name);
    if (found && !library.low)
        dl_iterate_phdr(find_code, found);
    return found;
}

/* --- regions -------------------------------------------------------------------------- */

uint8_t openmp_listen(void)
{
    struct recorder *self = recorder_self();
    uint8_t before = self ? self->ignore_sync : 0;
    if (self)
        self->ignore_sync = 0;
    return before;
}

void openmp_listen_no_more(uint8_t before)
{
    struct recorder *self = recorder_current;
    if (self)
        self->ignore_sync = before;
}

void openmp_run_part(void *argument)
{
    struct region *region = argument, *outer = openmp_region;
    struct task outer_task = openmp_task;
    unsigned outer_rounds = rounds;
    uint8_t ignored = openmp_listen();
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
    openmp_listen_no_more(ignored);
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
        give next(openmp_run_part, &region, threads UNPACK arguments);                             \
        sync_edge(EVENT_ATOMIC_LOAD, &region.ended, CALLER);                                       \
        sync_edge(EVENT_ATOMIC_LOAD, &region.tasks, CALLER);                                       \
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
const char *openmp_reach_barrier(uintptr_t pc)
{
    const char *round = openmp_region ? &openmp_region->barrier[rounds++ % 2] : NULL;
    if (round)
        sync_edge(EVENT_ATOMIC_RMW, round, pc);
    return round;
}

void openmp_pass_barrier(const char *round, uintptr_t pc)
{
    if (!round)
        return;
    sync_edge(EVENT_ATOMIC_LOAD, round, pc);
    sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->tasks, pc);
}

#define BARRIER(name)                                                                              \
    EXPORT void name(void);                                                                        \
    EXPORT void name(void)                                                                         \
    {                                                                                              \
        FIND(void, name, (void));                                                                  \
        const char *round = openmp_reach_barrier(CALLER);                                          \
        next();                                                                                    \
        openmp_pass_barrier(round, CALLER);                                                        \
    }
/* Where something may be cancelled: whoever was (true) leaves the barrier like the others. */
#define BARRIER_OR_CANCEL(name)                                                                    \
    EXPORT bool name(void);                                                                        \
    EXPORT bool name(void)                                                                         \
    {                                                                                              \
        FIND(bool, name, (void));                                                                  \
        const char *round = openmp_reach_barrier(CALLER);                                          \
        bool cancelled = next();                                                                   \
        openmp_pass_barrier(round, CALLER);                                                        \
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
    const char *round = cancelled ? NULL : openmp_reach_barrier(CALLER);
    next(cancelled);
    openmp_pass_barrier(round, CALLER);
}
