/* SPDX-License-Identifier: MIT */
/* GLib. Its mutexes and conditions are futexes, its queues and pools use those inside, where no
 * call is seen; recursive mutexes, read-write locks and threads are the C library's. */
#include "runtime/caller.h"
#include "runtime/library.h"
#include "runtime/waits.h"

#include <errno.h>

#define LIBRARY "libglib-2.0.so.0"

extern void *__libc_malloc(size_t);

/* --- locks -------------------------------------------------------------------------- */

LIBRARY_INIT(g_mutex_init, (void *mutex), (mutex), mutex)
LIBRARY_LOCK(g_mutex_lock, EVENT_ACQUIRE, (void *mutex), (mutex), mutex)
LIBRARY_TRY_LOCK(g_mutex_trylock, EVENT_ACQUIRE, (void *mutex), (mutex), mutex)
LIBRARY_UNLOCK(g_mutex_unlock, EVENT_RELEASE, (void *mutex), (mutex), mutex)

/* A bit is a lock: each has an address of its own here. */
LIBRARY_LOCK(g_bit_lock, EVENT_ACQUIRE, (int *word, int bit), (word, bit), (char *)word + bit)
LIBRARY_TRY_LOCK(g_bit_trylock, EVENT_ACQUIRE, (int *word, int bit), (word, bit),
                 (char *)word + bit)
LIBRARY_UNLOCK(g_bit_unlock, EVENT_RELEASE, (int *word, int bit), (word, bit), (char *)word + bit)
LIBRARY_LOCK(g_pointer_bit_lock, EVENT_ACQUIRE, (void *word, int bit), (word, bit),
             (char *)word + bit)
LIBRARY_TRY_LOCK(g_pointer_bit_trylock, EVENT_ACQUIRE, (void *word, int bit), (word, bit),
                 (char *)word + bit)
LIBRARY_UNLOCK(g_pointer_bit_unlock, EVENT_RELEASE, (void *word, int bit), (word, bit),
               (char *)word + bit)

/* --- conditions ---------------------------------------------------------------------- */

static void lock(void *mutex)
{
    LIBRARY_NEXT(void, g_mutex_lock, (void *));
    next(mutex);
}

static void unlock(void *mutex)
{
    LIBRARY_NEXT(void, g_mutex_unlock, (void *));
    next(mutex);
}

static const struct wait_lock glib_lock = {lock, unlock};

LIBRARY_INIT(g_cond_init, (void *condition), (condition), condition)

LIBRARY_FUNCTION(void, g_cond_wait, (void *condition, void *mutex))
{
    LIBRARY_NEXT(void, g_cond_wait, (void *, void *));
    __attribute__((cleanup(wait_abandoned))) struct wait wait;
    wait_begin(&wait, condition, mutex, &glib_lock, CALLER, 0, true);
    int result = wait.played ? wait_play(&wait) : (next(condition, mutex), 0);
    wait_end(&wait, result);
}

LIBRARY_FUNCTION(int, g_cond_wait_until, (void *condition, void *mutex, int64_t until))
{
    LIBRARY_NEXT(int, g_cond_wait_until, (void *, void *, int64_t));
    __attribute__((cleanup(wait_abandoned))) struct wait wait;
    wait_begin(&wait, condition, mutex, &glib_lock, CALLER, EVENT_TRY, true);
    int result = wait.played ? wait_play(&wait) : next(condition, mutex, until) ? 0 : ETIMEDOUT;
    wait_end(&wait, result);
    return result == 0;
}

LIBRARY_FUNCTION(void, g_cond_signal, (void *condition))
{
    LIBRARY_NEXT(void, g_cond_signal, (void *));
    WAIT_WAKE(EVENT_SIGNAL, condition, (next(condition), 0));
}

LIBRARY_FUNCTION(void, g_cond_broadcast, (void *condition))
{
    LIBRARY_NEXT(void, g_cond_broadcast, (void *));
    WAIT_WAKE(EVENT_BROADCAST, condition, (next(condition), 0));
}

/* --- once ---------------------------------------------------------------------------- */

struct once {
    uint32_t status;
    void *result;
};

struct once_call {
    void *(*run)(void *);
    void *argument;
    struct once *once;
    uintptr_t pc;
    bool ran;
};

static void once_event(unsigned op, const void *once, uintptr_t pc)
{
    struct sync sync = SYNC_AT(op, once, pc);
    sync_before(&sync);
    sync_after(&sync);
}

static void *preplay_run_g_once(void *argument)
{
    struct once_call *call = argument;
    call->ran = true;
    once_event(EVENT_ONCE_BEGIN, call->once, call->pc);
    void *result = call->run(call->argument);
    once_event(EVENT_ONCE_END, call->once, call->pc);
    /* Whoever comes later finds this set, by a macro. */
    sync_publish(&call->once->status, sizeof call->once->status, call->pc);
    return result;
}

LIBRARY_FUNCTION(void *, g_once_impl, (struct once * once, void *(*run)(void *), void *argument))
{
    LIBRARY_NEXT(void *, g_once_impl, (struct once *, void *(*)(void *), void *));
    struct once_call call = {.run = run, .argument = argument, .once = once, .pc = CALLER};
    void *result = next(once, preplay_run_g_once, &call);
    if (!call.ran)
        once_event(EVENT_ONCE_PASS, once, call.pc);
    return result;
}

#define ONCE_INIT(suffix)                                                                          \
    LIBRARY_FUNCTION(int, g_once_init_enter##suffix, (void *place))                                \
    {                                                                                              \
        LIBRARY_NEXT(int, g_once_init_enter##suffix, (void *));                                    \
        int first = next(place);                                                                   \
        once_event(first ? EVENT_ONCE_BEGIN : EVENT_ONCE_PASS, place, CALLER);                     \
        return first;                                                                              \
    }                                                                                              \
    LIBRARY_FUNCTION(void, g_once_init_leave##suffix, (void *place, uintptr_t result))             \
    {                                                                                              \
        LIBRARY_NEXT(void, g_once_init_leave##suffix, (void *, uintptr_t));                        \
        once_event(EVENT_ONCE_END, place, CALLER);                                                 \
        sync_publish(place, sizeof(void *), CALLER);                                               \
        next(place, result);                                                                       \
    }
ONCE_INIT()

/* --- queues: an item comes from who pushed it ---------------------------------------------- */

LIBRARY_LOCK(g_async_queue_lock, EVENT_ACQUIRE, (void *queue), (queue), queue)
LIBRARY_UNLOCK(g_async_queue_unlock, EVENT_RELEASE, (void *queue), (queue), queue)

#define PUSH(name) LIBRARY_RELEASES(name, (void *queue, void *item), (queue, item), item)
PUSH(g_async_queue_push)
PUSH(g_async_queue_push_unlocked)
PUSH(g_async_queue_push_front)
PUSH(g_async_queue_push_front_unlocked)
#define PUSH_SORTED(name)                                                                          \
    LIBRARY_RELEASES(name, (void *queue, void *item, void *compare, void *data),                   \
                     (queue, item, compare, data), item)
PUSH_SORTED(g_async_queue_push_sorted)
PUSH_SORTED(g_async_queue_push_sorted_unlocked)
#define POP(name) LIBRARY_ACQUIRES(void *, name, (void *queue), (queue), answer)
POP(g_async_queue_pop)
POP(g_async_queue_pop_unlocked)
POP(g_async_queue_try_pop)
POP(g_async_queue_try_pop_unlocked)
#define POP_UNTIL(name)                                                                            \
    LIBRARY_ACQUIRES(void *, name, (void *queue, uint64_t limit), (queue, limit), answer)
POP_UNTIL(g_async_queue_timeout_pop)
POP_UNTIL(g_async_queue_timeout_pop_unlocked)

/* --- pools: a task comes after who pushed it, the pool's end after all tasks ---------------- */

struct pool_work {
    void (*run)(void *item, void *data);
    void *data;
    uintptr_t pc;
};

static void preplay_run_pool_work(void *item, void *argument)
{
    struct pool_work *work = argument;
    sync_edge(EVENT_ATOMIC_LOAD, item, work->pc);
    work->run(item, work->data);
    sync_release(work, work->pc);
}

/* Lives as long as the process: the pool's threads may outlive the pool. */
static struct pool_work *wrap_work(void (*run)(void *, void *), void *data, uintptr_t pc)
{
    struct pool_work *work = recorder_self() ? __libc_malloc(sizeof *work) : NULL;
    if (work)
        *work = (struct pool_work){run, data, pc};
    return work;
}

LIBRARY_FUNCTION(void *, g_thread_pool_new,
                 (void (*run)(void *, void *), void *data, int most, int exclusive, void **error))
{
    LIBRARY_NEXT(void *, g_thread_pool_new, (void (*)(void *, void *), void *, int, int, void **));
    struct pool_work *work = wrap_work(run, data, CALLER);
    return work ? next(preplay_run_pool_work, work, most, exclusive, error)
                : next(run, data, most, exclusive, error);
}

LIBRARY_RELEASES_FOR(int, g_thread_pool_push, (void *pool, void *item, void **error),
                     (pool, item, error), item)

struct pool {
    void (*run)(void *, void *);
    void *data;
};

LIBRARY_FUNCTION(void, g_thread_pool_free, (struct pool * pool, int immediate, int wait))
{
    LIBRARY_NEXT(void, g_thread_pool_free, (struct pool *, int, int));
    void *work = pool->run == preplay_run_pool_work ? pool->data : NULL;
    next(pool, immediate, wait);
    if (work && wait)
        sync_edge(EVENT_ATOMIC_LOAD, work, CALLER);
}

/* --- main loops ------------------------------------------------------------------------- */

/* A loop that sleeps is woken by an eventfd, which is seen; one that comes later finds what was
 * given to it before. All loops are one here. */
static char main_loops;

#define GIVEN(name, parameters, arguments)                                                         \
    LIBRARY_RELEASES_FOR(unsigned, name, parameters, arguments, &main_loops)
typedef int (*source_function)(void *);
GIVEN(g_idle_add, (source_function run, void *data), (run, data))
GIVEN(g_idle_add_full, (int priority, source_function run, void *data, void *notify),
      (priority, run, data, notify))
GIVEN(g_timeout_add, (unsigned interval, source_function run, void *data), (interval, run, data))
GIVEN(g_timeout_add_full,
      (int priority, unsigned interval, source_function run, void *data, void *notify),
      (priority, interval, run, data, notify))
GIVEN(g_source_attach, (void *source, void *context), (source, context))
LIBRARY_RELEASES(g_main_context_invoke, (void *context, source_function run, void *data),
                 (context, run, data), &main_loops)

LIBRARY_RELEASES(g_main_loop_quit, (void *loop), (loop), loop)

LIBRARY_FUNCTION(void, g_main_loop_run, (void *loop))
{
    LIBRARY_NEXT(void, g_main_loop_run, (void *));
    sync_edge(EVENT_ATOMIC_LOAD, &main_loops, CALLER);
    next(loop);
    sync_edge(EVENT_ATOMIC_LOAD, loop, CALLER);
}

LIBRARY_FUNCTION(int, g_main_context_iteration, (void *context, int may_block))
{
    LIBRARY_NEXT(int, g_main_context_iteration, (void *, int));
    sync_edge(EVENT_ATOMIC_LOAD, &main_loops, CALLER);
    return next(context, may_block);
}

/* --- counts: the last one to let go comes after the others ------------------------------- */

LIBRARY_FUNCTION(int, g_atomic_ref_count_dec, (int *count))
{
    LIBRARY_NEXT(int, g_atomic_ref_count_dec, (int *));
    sync_release(count, CALLER);
    int last = next(count);
    if (last)
        sync_edge(EVENT_ATOMIC_LOAD, count, CALLER);
    return last;
}
