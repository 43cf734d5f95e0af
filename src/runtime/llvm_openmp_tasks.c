/* SPDX-License-Identifier: MIT */
/* OpenMP's tasks as clang compiles them (openmp_tasks.c says what they mean). libomp allocates a
 * task, the program fills it in and hands it over: then its function is changed for ours, which
 * finds in a table what belongs to the task. Tasks of a taskloop are the library's copies: not
 * followed. */
#include "runtime/caller.h"
#include "runtime/library.h"
#include "runtime/openmp.h"

#define LIBRARY "libomp.so.5"

enum { WAITING = 4096, MOST_DEPENDENCES = 8 };

struct llvm_task {
    void *shared;
    int (*run)(int number, void *task);
};

struct dependence {
    const void *base;
    size_t length;
    uint8_t flags;
};

/* A task that was allocated and has not begun. */
static struct waiting {
    _Atomic uintptr_t task; /* 0: free */
    size_t size;
    int (*run)(int, void *);
    uintptr_t pc;
    const char *parent, *group;
    struct region *region;
    unsigned count;
    const void *on[MOST_DEPENDENCES];
} waiting[WAITING];

/* The place of a task, or with `wanted` 0 a free one. */
static struct waiting *find(uintptr_t task, uintptr_t wanted)
{
    for (unsigned i = 0; i < WAITING; i++) {
        struct waiting *at = &waiting[((task >> 6) + i) % WAITING];
        uintptr_t found = 0;
        if (wanted ? atomic_load(&at->task) == wanted
                   : atomic_compare_exchange_strong(&at->task, &found, task))
            return at;
    }
    return NULL;
}

static void edges(const struct waiting *mine, unsigned op)
{
    for (unsigned i = 0; i < mine->count; i++)
        sync_edge(op, mine->on[i], mine->pc);
}

static int run(const struct waiting *mine, int number, struct llvm_task *task, const void *begun)
{
    struct task outer = openmp_task;
    struct region *outer_region = openmp_region;
    uint8_t ignored = openmp_listen();
    openmp_region = mine->region;
    openmp_task = (struct task){.children = openmp_token(), .group = mine->group};
    sync_edge(EVENT_ATOMIC_LOAD, begun, mine->pc);
    edges(mine, EVENT_ATOMIC_LOAD);
    int result;
    {
        CALL_FROM(mine->pc);
        result = mine->run(number, task);
    }
    edges(mine, EVENT_ATOMIC_RMW);
    sync_edge(EVENT_ATOMIC_RMW, mine->parent, mine->pc);
    if (mine->group)
        sync_edge(EVENT_ATOMIC_RMW, mine->group, mine->pc);
    if (mine->region)
        sync_edge(EVENT_ATOMIC_RMW, &mine->region->tasks, mine->pc);
    library_block(EVENT_ALLOC, task, mine->size, mine->pc); /* whoever gets it next */
    openmp_listen_no_more(ignored);
    openmp_task = outer;
    openmp_region = outer_region;
    return result;
}

static int preplay_run_llvm_task(int number, void *argument)
{
    struct llvm_task *task = argument;
    struct waiting *found = find((uintptr_t)task, (uintptr_t)task);
    if (!found)
        return 0;
    struct waiting mine = *found;
    atomic_store(&found->task, 0);
    task->run = mine.run; /* one that is not tied comes again, by being handed over again */
    return run(&mine, number, task, task);
}

LIBRARY_FUNCTION(struct llvm_task *, __kmpc_omp_task_alloc,
                 (void *place, int number, int flags, size_t size, size_t shared,
                  int (*run_task)(int, void *)))
{
    LIBRARY_NEXT(struct llvm_task *, __kmpc_omp_task_alloc,
                 (void *, int, int, size_t, size_t, int (*)(int, void *)));
    struct llvm_task *task = next(place, number, flags, size, shared, run_task);
    struct waiting *mine = recorder_self() ? find((uintptr_t)task, 0) : NULL;
    if (mine)
        mine->size = size + shared;
    library_block(EVENT_ALLOC, task, size + shared, CALLER);
    return task;
}

/* Run by the one who made it, at once. */
LIBRARY_FUNCTION(void, __kmpc_omp_task_begin_if0, (void *place, int number, void *task))
{
    LIBRARY_NEXT(void, __kmpc_omp_task_begin_if0, (void *, int, void *));
    struct waiting *mine = find((uintptr_t)task, (uintptr_t)task);
    if (mine)
        atomic_store(&mine->task, 0);
    next(place, number, task);
}

static void describe(struct waiting *mine, const struct llvm_task *task, uintptr_t pc)
{
    mine->run = task->run;
    mine->pc = pc;
    mine->parent = openmp_children();
    mine->group = openmp_task.group;
    mine->region = openmp_region;
    mine->count = 0;
}

static void hand_over(struct llvm_task *task, int count, const struct dependence *on, uintptr_t pc)
{
    if (!recorder_self() || task->run == preplay_run_llvm_task)
        return;
    struct waiting *mine = find((uintptr_t)task, (uintptr_t)task);
    if (!mine)
        return;
    describe(mine, task, pc);
    for (int i = 0; i < count && i < MOST_DEPENDENCES; i++)
        mine->on[mine->count++] = on[i].base;
    sync_edge(EVENT_ATOMIC_RMW, task, pc);
    task->run = preplay_run_llvm_task;
}

LIBRARY_FUNCTION(int, __kmpc_omp_task, (void *place, int number, struct llvm_task *task))
{
    LIBRARY_NEXT(int, __kmpc_omp_task, (void *, int, struct llvm_task *));
    hand_over(task, 0, NULL, CALLER);
    return next(place, number, task);
}

LIBRARY_FUNCTION(int, __kmpc_omp_task_with_deps,
                 (void *place, int number, struct llvm_task *task, int count, struct dependence *on,
                  int more, struct dependence *more_on))
{
    LIBRARY_NEXT(
        int, __kmpc_omp_task_with_deps,
        (void *, int, struct llvm_task *, int, struct dependence *, int, struct dependence *));
    hand_over(task, count, on, CALLER);
    return next(place, number, task, count, on, more, more_on);
}

LIBRARY_FUNCTION(void, __kmpc_omp_wait_deps,
                 (void *place, int number, int count, struct dependence *on, int more,
                  struct dependence *more_on))
{
    LIBRARY_NEXT(void, __kmpc_omp_wait_deps,
                 (void *, int, int, struct dependence *, int, struct dependence *));
    next(place, number, count, on, more, more_on);
    for (int i = 0; i < count; i++)
        sync_edge(EVENT_ATOMIC_LOAD, on[i].base, CALLER);
}

LIBRARY_FUNCTION(int, __kmpc_omp_taskwait, (void *place, int number))
{
    LIBRARY_NEXT(int, __kmpc_omp_taskwait, (void *, int));
    int result = next(place, number);
    sync_edge(EVENT_ATOMIC_LOAD, openmp_children(), CALLER);
    return result;
}

LIBRARY_FUNCTION(void, __kmpc_taskgroup, (void *place, int number))
{
    LIBRARY_NEXT(void, __kmpc_taskgroup, (void *, int));
    openmp_begin_group();
    next(place, number);
}

/* --- taskloops: a function each, while they last --------------------------------------------- */

static struct loop {
    _Atomic bool taken;
    struct waiting tasks;
} loops[8];

#define LOOP(n)                                                                                    \
    static int preplay_run_loop_##n(int number, void *task)                                        \
    {                                                                                              \
        return run(&loops[n].tasks, number, task, &loops[n]);                                      \
    }
LOOP(0)
LOOP(1)
LOOP(2)
LOOP(3)
LOOP(4)
LOOP(5)
LOOP(6)
LOOP(7)
static int (*const loop_functions[])(int, void *) = {
    preplay_run_loop_0, preplay_run_loop_1, preplay_run_loop_2, preplay_run_loop_3,
    preplay_run_loop_4, preplay_run_loop_5, preplay_run_loop_6, preplay_run_loop_7};

/* Its tasks belong to the group around it, which clang makes; without one it is not followed. */
static void begin_loop(struct llvm_task *task, uintptr_t pc)
{
    struct waiting *first = find((uintptr_t)task, (uintptr_t)task);
    for (unsigned i = 0; first && openmp_task.group && i < sizeof loops / sizeof *loops; i++) {
        if (atomic_exchange(&loops[i].taken, true))
            continue;
        describe(&loops[i].tasks, task, pc);
        loops[i].tasks.size = first->size;
        task->run = loop_functions[i];
        sync_edge(EVENT_ATOMIC_RMW, &loops[i], pc);
        atomic_store(&first->task, 0);
        return;
    }
}

LIBRARY_FUNCTION(void, __kmpc_taskloop,
                 (void *place, int number, struct llvm_task *task, int condition, uint64_t *low,
                  uint64_t *high, int64_t step, int no_group, int how, uint64_t size, void *copy))
{
    LIBRARY_NEXT(void, __kmpc_taskloop,
                 (void *, int, struct llvm_task *, int, uint64_t *, uint64_t *, int64_t, int, int,
                  uint64_t, void *));
    begin_loop(task, CALLER);
    next(place, number, task, condition, low, high, step, no_group, how, size, copy);
}

/* The group whose tasks reduce something: at its end the library calls the program's functions for
 * that, in the thread that ends it. */
static __thread const char *reducing __attribute__((tls_model("initial-exec")));

LIBRARY_FUNCTION(void *, __kmpc_taskred_init, (int number, int count, void *data))
{
    LIBRARY_NEXT(void *, __kmpc_taskred_init, (int, int, void *));
    reducing = openmp_task.group;
    return next(number, count, data);
}

LIBRARY_FUNCTION(void, __kmpc_end_taskgroup, (void *place, int number))
{
    LIBRARY_NEXT(void, __kmpc_end_taskgroup, (void *, int));
    const char *group = openmp_task.group;
    if (group && group == reducing) {
        __kmpc_omp_taskwait(place, number);
        sync_edge(EVENT_ATOMIC_LOAD, group, CALLER);
        reducing = NULL;
    }
    next(place, number);
    openmp_end_group(CALLER);
    for (unsigned i = 0; group && i < sizeof loops / sizeof *loops; i++)
        if (atomic_load(&loops[i].taken) && loops[i].tasks.group == group)
            atomic_store(&loops[i].taken, false);
}
