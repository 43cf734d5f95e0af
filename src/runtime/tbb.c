/* SPDX-License-Identifier: MIT */
/* oneTBB. Its algorithms are headers, and instrumented; how a task comes to the thread that runs it
 * is in the library. A task comes after whoever spawned it, and what waits comes after all that was
 * waited for: headers count that by an atomic variable, which the library reads.
 *
 * The library runs a task by its table of virtual functions. A task that is handed over gets a
 * table of ours instead, a copy with two functions changed, and its own one back when it runs. */
#include "runtime/caller.h"
#include "runtime/library.h"

#define LIBRARY "libtbb.so.12"

enum {
    TABLES = 1024,    /* types of tasks, at most; a power of two */
    TABLE_SLOTS = 16, /* functions that are copied, at most */
    TABLE_ABOVE = 2,  /* what a table has before its functions */
    SLOT_EXECUTE = 2, /* behind two destructors */
    SLOT_CANCEL = 3,
    PAGE = 4096,
};

struct table {
    _Atomic uintptr_t original; /* 0: free */
    _Atomic bool ready;
    void *slots[TABLE_ABOVE + TABLE_SLOTS];
};
static struct table tables[TABLES];

/* What a task has first. */
struct task {
    void **functions;
};
typedef struct task *run_function(struct task *task, void *data);

static struct table *table_of(const struct task *task)
{
    return (struct table *)(void *)((char *)(task->functions - TABLE_ABOVE) -
                                    offsetof(struct table, slots));
}

static struct task *run(struct task *task, void *data, unsigned slot, uintptr_t pc)
{
    struct table *table = table_of(task);
    void **functions = (void **)atomic_load_explicit(&table->original, memory_order_relaxed);
    task->functions = functions; /* it is this thread's alone now */
    sync_edge(EVENT_ATOMIC_LOAD, task, pc);
    return ((run_function *)functions[slot])(task, data);
}

static struct task *preplay_execute(struct task *task, void *data)
{
    return run(task, data, SLOT_EXECUTE, CALLER);
}

static struct task *preplay_cancel(struct task *task, void *data)
{
    return run(task, data, SLOT_CANCEL, CALLER);
}

/* How long the original is nobody knows; the page that it begins in is there. */
static void fill(struct table *table, void **functions)
{
    uintptr_t left = (PAGE - (uintptr_t)functions % PAGE) / sizeof(void *);
    unsigned count = left > SLOT_CANCEL && left < TABLE_SLOTS ? (unsigned)left : TABLE_SLOTS;
    for (unsigned i = 0; i < TABLE_ABOVE + count; i++)
        table->slots[i] = functions[(long)i - TABLE_ABOVE];
    table->slots[TABLE_ABOVE + SLOT_EXECUTE] = (void *)preplay_execute;
    table->slots[TABLE_ABOVE + SLOT_CANCEL] = (void *)preplay_cancel;
    atomic_store_explicit(&table->ready, true, memory_order_release);
}

/* NULL: no more room, or another thread is about to fill it. */
static struct table *find_table(void **functions)
{
    uintptr_t wanted = (uintptr_t)functions;
    for (unsigned i = 0; i < TABLES; i++) {
        struct table *table = &tables[((wanted >> 3) + i) % TABLES];
        uintptr_t found = 0;
        if (atomic_compare_exchange_strong(&table->original, &found, wanted))
            fill(table, functions);
        if (found == 0 || found == wanted) {
            for (unsigned naps = 0; naps < LIBRARY_TRIES && !atomic_load(&table->ready); naps++)
                system_yield();
            return atomic_load_explicit(&table->ready, memory_order_acquire) ? table : NULL;
        }
    }
    return NULL;
}

static bool is_ours(void **functions)
{
    return (char *)functions >= (char *)tables && (char *)functions < (char *)(tables + TABLES);
}

static void hand_over(struct task *task, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (!self || self->ignore_sync)
        return;
    struct table *table = is_ours(task->functions) ? NULL : find_table(task->functions);
    sync_release(task, pc);
    if (table)
        task->functions = table->slots + TABLE_ABOVE;
}

#define HANDS_OVER(name, parameters, arguments)                                                    \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        hand_over(task, CALLER);                                                                   \
        next arguments;                                                                            \
    }

HANDS_OVER(_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE,
           (struct task * task, void *context), (task, context))
HANDS_OVER(_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt,
           (struct task * task, void *context, unsigned short slot), (task, context, slot))
HANDS_OVER(_ZN3tbb6detail2r16submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm,
           (struct task * task, void *context, void *arena, uintptr_t critical),
           (task, context, arena, critical))
HANDS_OVER(_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE,
           (struct task * task, void *arena), (task, arena))
HANDS_OVER(
    _ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE,
    (struct task * task, void *context, void *arena), (task, context, arena))

/* --- waiting ------------------------------------------------------------------------- */

struct wait_context {
    uint64_t version;
    uint64_t count; /* of what is still to be done */
};

static void done_waiting(const struct wait_context *context, uintptr_t pc)
{
    sync_observe(&context->count, sizeof context->count, pc);
}

LIBRARY_FUNCTION(void, _ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE,
                 (struct wait_context * wait, void *context))
{
    LIBRARY_NEXT(void, _ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE,
                 (struct wait_context *, void *));
    CALL_FROM(CALLER);
    next(wait, context);
    done_waiting(wait, CALLER);
}

#define EXECUTE_AND_WAIT                                                                           \
    _ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_
#define NEXT_OF(result, name, parameters) LIBRARY_NEXT(result, name, parameters)

LIBRARY_FUNCTION(void, EXECUTE_AND_WAIT,
                 (struct task * task, void *context, struct wait_context *wait, void *waiting))
{
    NEXT_OF(void, EXECUTE_AND_WAIT, (struct task *, void *, struct wait_context *, void *));
    CALL_FROM(CALLER);
    next(task, context, wait, waiting); /* the task itself runs here */
    done_waiting(wait, CALLER);
}

/* --- memory that tasks pass around ------------------------------------------------------- */

#define ALLOCATE(name, parameters, arguments)                                                      \
    LIBRARY_FUNCTION(void *, name, parameters)                                                     \
    {                                                                                              \
        LIBRARY_NEXT(void *, name, parameters);                                                    \
        void *answer = next arguments;                                                             \
        library_block(EVENT_ALLOC, answer, size, CALLER);                                          \
        return answer;                                                                             \
    }
#define DEALLOCATE(name, parameters, arguments)                                                    \
    LIBRARY_FUNCTION(void, name, parameters)                                                       \
    {                                                                                              \
        LIBRARY_NEXT(void, name, parameters);                                                      \
        library_block(EVENT_FREE, block, 0, CALLER);                                               \
        next arguments;                                                                            \
    }

ALLOCATE(_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm, (void **pool, size_t size),
         (pool, size))
ALLOCATE(_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE,
         (void **pool, size_t size, const void *data), (pool, size, data))
DEALLOCATE(_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvm,
           (void *pool, void *block, size_t size), (pool, block, size))
DEALLOCATE(_ZN3tbb6detail2r110deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE,
           (void *pool, void *block, size_t size, const void *data), (pool, block, size, data))
ALLOCATE(_ZN3tbb6detail2r122cache_aligned_allocateEm, (size_t size), (size))
DEALLOCATE(_ZN3tbb6detail2r124cache_aligned_deallocateEPv, (void *block), (block))
ALLOCATE(_ZN3tbb6detail2r115allocate_memoryEm, (size_t size), (size))
DEALLOCATE(_ZN3tbb6detail2r117deallocate_memoryEPv, (void *block), (block))

/* --- locks that are not in headers --------------------------------------------------------- */

/* What holds a lock names it first, once it is got and until it is given back. */
struct holder {
    void *mutex;
};

LIBRARY_LOCK(_ZN3tbb6detail2r17acquireERNS0_2d19rtm_mutexERNS3_11scoped_lockEb, EVENT_ACQUIRE,
             (void *mutex, struct holder *holder, bool speculate), (mutex, holder, speculate),
             mutex)
LIBRARY_UNLOCK(_ZN3tbb6detail2r17releaseERNS0_2d19rtm_mutex11scoped_lockE, EVENT_RELEASE,
               (struct holder * holder), (holder), holder->mutex)
