/* SPDX-License-Identifier: MIT */
/* Things done once: pthread_once, call_once and C++'s function-local statics. */
#include "runtime/real.h"
#include "runtime/wish.h"

enum { ONCE_OVER = 2 };

/* The routine takes no argument: which once it belongs to is told per thread.
 * Once-routines may run others inside, so the outer one is restored. */
struct running {
    void (*routine)(void);
    void *object;
    uintptr_t pc;
    bool ran, done;
    struct wish wish; /* for the end of another thread's run */
};
static __thread struct running *running __attribute__((tls_model("initial-exec")));

static void once_event(unsigned op, void *object, uintptr_t pc)
{
    struct sync sync = SYNC_AT(op, object, pc);
    sync_before(&sync);
    sync_after(&sync);
}

/* A routine was cancelled or threw, here or anywhere else in the process. */
static _Atomic bool some_failed;

/* The next one to come begins anew, and knows what this one did. */
static void give_up(void *object, uintptr_t pc)
{
    atomic_store_explicit(&some_failed, true, memory_order_relaxed);
    sync_edge(EVENT_ATOMIC_RMW, object, pc);
    sync_note_init(RECORD_OP_INIT, object, 0, pc);
}

static void begin(void *object, uintptr_t pc)
{
    once_event(EVENT_ONCE_BEGIN, object, pc);
    if (unlikely(atomic_load_explicit(&some_failed, memory_order_relaxed)))
        sync_edge(EVENT_ATOMIC_LOAD, object, pc);
}

static void abandoned(struct running **mine)
{
    if (!(*mine)->done)
        give_up((*mine)->object, (*mine)->pc);
}

static void run_once(void)
{
    __attribute__((cleanup(abandoned))) struct running *mine = running;
    wish_end(&mine->wish);
    mine->ran = true;
    begin(mine->object, mine->pc);
    mine->routine();
    mine->done = true;
    once_event(EVENT_ONCE_END, mine->object, mine->pc);
}

/* Who runs the routine is decided inside the real call: a schedule must let the
 * thread come to it in its turn. Who does not run it may block there. */
static struct recorder *approach(void)
{
    struct recorder *self = recorder_self();
    if (likely(!enforce_active) || !self || self->ignore_sync)
        return NULL;
    enforce_approach(self, EVENT_ONCE_BEGIN);
    enforce_blocking(self, true);
    return self;
}

/* Whoever comes while another thread is inside waits for it. The flag says beforehand if all is
 * over (bit 1 in the C library's), which is how nearly all calls find it. */
static struct wish wish_to_pass(void *once, bool over, uintptr_t pc)
{
    struct sync sync = SYNC_AT(EVENT_ONCE_PASS, once, pc);
    if (likely(over) || !sync.recorder || sync.recorder->ignore_sync)
        return (struct wish){0};
    return wish_begin(&sync, EVENT_ONCE_PASS);
}

static void arrive(struct recorder *self)
{
    if (unlikely(self != NULL))
        enforce_blocking(self, false);
}

/* Cancelled or thrown out of: the outer one is the current one again. */
static void restore(struct running **outer)
{
    wish_end(&running->wish);
    running = *outer;
}

EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct running mine = {.routine = routine, .object = once, .pc = CALLER};
    __attribute__((cleanup(restore), unused)) struct running *outer = running;
    running = &mine;
    struct recorder *self = approach();
    mine.wish = wish_to_pass(once, __atomic_load_n(once, __ATOMIC_ACQUIRE) & ONCE_OVER, mine.pc);
    int result = REAL(pthread_once)(once, run_once);
    wish_end(&mine.wish);
    arrive(self);
    if (!mine.ran)
        once_event(EVENT_ONCE_PASS, once, mine.pc);
    return result;
}

EXPORT void call_once(once_flag *once, void (*routine)(void))
{
    struct running mine = {.routine = routine, .object = once, .pc = CALLER};
    __attribute__((cleanup(restore), unused)) struct running *outer = running;
    running = &mine;
    struct recorder *self = approach();
    mine.wish =
        wish_to_pass(once, __atomic_load_n(&once->__data, __ATOMIC_ACQUIRE) & ONCE_OVER, mine.pc);
    REAL(call_once)(once, run_once);
    wish_end(&mine.wish);
    arrive(self);
    if (!mine.ran)
        once_event(EVENT_ONCE_PASS, once, mine.pc);
}

EXPORT int __cxa_guard_acquire(void *guard);
EXPORT int __cxa_guard_acquire(void *guard)
{
    struct recorder *self = approach();
    struct wish wish = wish_to_pass(guard, false, CALLER); /* the compiler has looked already */
    int first = REAL(__cxa_guard_acquire)(guard);
    wish_end(&wish);
    arrive(self);
    if (first)
        begin(guard, CALLER);
    else
        once_event(EVENT_ONCE_PASS, guard, CALLER);
    return first;
}

EXPORT void __cxa_guard_release(void *guard);
EXPORT void __cxa_guard_release(void *guard)
{
    once_event(EVENT_ONCE_END, guard, CALLER);
    /* Whoever comes later finds this byte set, and calls nobody. */
    sync_set_bits(guard, 1, 1, CALLER);
    REAL(__cxa_guard_release)(guard);
}

EXPORT void __cxa_guard_abort(void *guard);
EXPORT void __cxa_guard_abort(void *guard)
{
    give_up(guard, CALLER);
    REAL(__cxa_guard_abort)(guard);
}
