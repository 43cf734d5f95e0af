/* SPDX-License-Identifier: MIT */
/* OpenMP's tasks as gcc compiles them. What its creator did comes before a task; what the task did
 * comes before what its creator does after a taskwait, before the end of every group around it,
 * before whatever comes behind the next barrier, and before later tasks that depend on it.
 *
 * libgomp copies a task's arguments and runs it later, maybe elsewhere: what the task needs for
 * its edges travels in front of the arguments. */
#include "runtime/openmp.h"

#include "runtime/caller.h"

enum {
    TASK_DEPENDS = 1 << 3,
    TASK_HAS_NO_GROUP = 1 << 11,
    TASK_IS_DETACHED = 1 << 13,
};

/* Of a taskloop libgomp writes the first two words, and reads the third. */
struct head {
    long range[2];
    void *reductions;
    void (*run)(void *);
    void (*copy)(void *, void *); /* NULL: bytes */
    void *data;                   /* the arguments, until they are copied behind this */
    size_t size, offset;
    bool loops;
    uintptr_t pc;
    const char *begun, *parent, *group;
    struct region *region; /* whoever runs the task at its end may have left it already */
    void **depend;         /* as libgomp gets it; until it is copied behind this, too */
    unsigned count;
    const void *on[]; /* what it depends on */
};

/* A reader may see this name in a schedule. */
static char openmp_tasks[1 << 16];

const char *openmp_token(void)
{
    static _Atomic uint32_t used;
    return &openmp_tasks[atomic_fetch_add(&used, 1) % sizeof openmp_tasks];
}

/* A list of dependences begins with how many there are, in one of two ways. */
static unsigned count_dependences(void **list)
{
    return list ? (unsigned)(uintptr_t)list[!list[0]] : 0;
}

/* In the other way kinds are counted, too; behind those come pointers to objects that have the
 * address (depobj). */
static const void *dependence(void **list, unsigned i)
{
    if (list[0])
        return list[2 + i];
    uintptr_t plain = (uintptr_t)list[2] + (uintptr_t)list[3] + (uintptr_t)list[4];
    return i < plain ? list[5 + i] : *(void **)list[5 + i];
}

/* In the creator, once for every task. Its edge begins here, since an argument may have a
 * constructor that is the program's. */
static void copy_task(void *to, void *from)
{
    struct head *head = to;
    *head = *(const struct head *)from;
    for (unsigned i = 0; i < head->count; i++)
        head->on[i] = dependence(head->depend, i);
    if (head->copy)
        head->copy((char *)to + head->offset, head->data);
    else
        REAL(memcpy)((char *)to + head->offset, head->data, head->size);
    head->begun = openmp_token();
    sync_edge(EVENT_ATOMIC_RMW, head->begun, head->pc);
}

static void preplay_run_task(void *argument)
{
    struct head *head = argument;
    struct task outer = openmp_task;
    struct region *outer_region = openmp_region;
    openmp_region = head->region;
    openmp_task = (struct task){.children = openmp_token(), .group = head->group};
    sync_edge(EVENT_ATOMIC_LOAD, head->begun, head->pc);
    for (unsigned i = 0; i < head->count; i++)
        sync_edge(EVENT_ATOMIC_LOAD, head->on[i], head->pc);
    void *data = (char *)argument + head->offset;
    if (head->loops)
        REAL(memcpy)(data, head->range, sizeof head->range);
    {
        CALL_FROM(head->pc);
        head->run(data);
    }
    for (unsigned i = 0; i < head->count; i++)
        sync_edge(EVENT_ATOMIC_RMW, head->on[i], head->pc);
    sync_edge(EVENT_ATOMIC_RMW, head->parent, head->pc);
    if (head->group)
        sync_edge(EVENT_ATOMIC_RMW, head->group, head->pc);
    if (head->region)
        sync_edge(EVENT_ATOMIC_RMW, &head->region->tasks, head->pc);
    openmp_task = outer;
    openmp_region = outer_region;
}

/* Threads of a pool, and the first one outside of any region, have no token yet. */
const char *openmp_children(void)
{
    if (!openmp_task.children)
        openmp_task.children = openmp_token();
    return openmp_task.children;
}

static struct head head_of(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,
                           long align, void **depend, uintptr_t pc)
{
    unsigned count = count_dependences(depend);
    size_t offset = sizeof(struct head) + count * sizeof(void *),
           to = align > 1 ? (size_t)align : 1;
    return (struct head){.run = run,
                         .copy = copy,
                         .data = data,
                         .size = (size_t)size,
                         .offset = (offset + to - 1) / to * to,
                         .pc = pc,
                         .depend = depend,
                         .count = count,
                         .parent = openmp_children(),
                         .region = openmp_region,
                         .group = openmp_task.group};
}

static long aligned(long align)
{
    return align > (long)_Alignof(struct head) ? align : (long)_Alignof(struct head);
}

EXPORT void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,
                      long align, bool deferred, unsigned flags, void **depend, int priority,
                      void *detach);
EXPORT void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,
                      long align, bool deferred, unsigned flags, void **depend, int priority,
                      void *detach)
{
    FIND(void, GOMP_task,
         (void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **,
          int, void *));
    if (flags & TASK_IS_DETACHED) { /* it ends when somebody says so */
        next(run, data, copy, size, align, deferred, flags, depend, priority, detach);
        return;
    }
    struct head head =
        head_of(run, data, copy, size, align, flags & TASK_DEPENDS ? depend : NULL, CALLER);
    next(preplay_run_task, &head, copy_task, (long)head.offset + size, aligned(align), deferred,
         flags, depend, priority, detach);
}

/* All of a taskloop's tasks have ended when it returns, unless it says nogroup. */
#define TASKLOOP(name, number)                                                                     \
    EXPORT void name(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,     \
                     long align, unsigned flags, unsigned long tasks, int priority, number start,  \
                     number end, number step);                                                     \
    EXPORT void name(void (*run)(void *), void *data, void (*copy)(void *, void *), long size,     \
                     long align, unsigned flags, unsigned long tasks, int priority, number start,  \
                     number end, number step)                                                      \
    {                                                                                              \
        FIND(void, name,                                                                           \
             (void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned,            \
              unsigned long, int, number, number, number));                                        \
        struct head head = head_of(run, data, copy, size, align, NULL, CALLER);                    \
        bool grouped = !(flags & TASK_HAS_NO_GROUP);                                               \
        head.loops = true;                                                                         \
        if (size >= (long)(3 * sizeof(void *)))                                                    \
            head.reductions = ((void **)data)[2];                                                  \
        if (grouped)                                                                               \
            head.group = openmp_token();                                                           \
        next(preplay_run_task, &head, copy_task, (long)head.offset + size, aligned(align), flags,  \
             tasks, priority, start, end, step);                                                   \
        if (grouped)                                                                               \
            sync_edge(EVENT_ATOMIC_LOAD, head.group, CALLER);                                      \
    }

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

EXPORT void GOMP_taskwait(void);
EXPORT void GOMP_taskwait(void)
{
    FIND(void, GOMP_taskwait, (void));
    next();
    sync_edge(EVENT_ATOMIC_LOAD, openmp_children(), CALLER);
}

EXPORT void GOMP_taskwait_depend(void **depend);
EXPORT void GOMP_taskwait_depend(void **depend)
{
    FIND(void, GOMP_taskwait_depend, (void **));
    next(depend);
    for (unsigned i = 0; i < count_dependences(depend); i++)
        sync_edge(EVENT_ATOMIC_LOAD, dependence(depend, i), CALLER);
}

/* Groups inside groups: what a task of the inner one did is done for the outer one, too, since
 * their end is a step of the same thread. */
enum { MOST_GROUPS = 32 };
static __thread const char *outer_groups[MOST_GROUPS] __attribute__((tls_model("initial-exec")));
static __thread unsigned groups __attribute__((tls_model("initial-exec")));

void openmp_begin_group(void)
{
    if (groups < MOST_GROUPS)
        outer_groups[groups] = openmp_task.group;
    groups++;
    openmp_task.group = openmp_token();
}

void openmp_end_group(uintptr_t pc)
{
    if (openmp_task.group)
        sync_edge(EVENT_ATOMIC_LOAD, openmp_task.group, pc);
    if (groups && --groups < MOST_GROUPS)
        openmp_task.group = outer_groups[groups];
}

EXPORT void GOMP_taskgroup_start(void);
EXPORT void GOMP_taskgroup_start(void)
{
    FIND(void, GOMP_taskgroup_start, (void));
    openmp_begin_group();
    next();
}

EXPORT void GOMP_taskgroup_end(void);
EXPORT void GOMP_taskgroup_end(void)
{
    FIND(void, GOMP_taskgroup_end, (void));
    next();
    openmp_end_group(CALLER);
}
