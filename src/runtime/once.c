/* Things done once: pthread_once, call_once and C++'s function-local statics. */
#include "runtime/real.h"
#include "runtime/sync.h"

/* The routine takes no argument: which once it belongs to is told per thread.
 * Once-routines may run others inside, so the outer one is restored. */
struct running {
    void (*routine)(void);
    void *object;
    uintptr_t pc;
    bool ran, done;
};
static __thread struct running *running __attribute__((tls_model("initial-exec")));

static void once_event(unsigned op, void *object, uintptr_t pc)
{
    struct sync sync = SYNC_AT(op, object, pc);
    sync_before(&sync);
    sync_after(&sync);
}

/* The routine was cancelled or threw: the next one to come begins anew. */
static void abandoned(struct running **mine)
{
    if (!(*mine)->done)
        sync_note_init(RECORD_OP_INIT, (*mine)->object, 0, (*mine)->pc);
}

static void run_once(void)
{
    __attribute__((cleanup(abandoned))) struct running *mine = running;
    mine->ran = true;
    once_event(EVENT_ONCE_BEGIN, mine->object, mine->pc);
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

static void arrive(struct recorder *self)
{
    if (unlikely(self != NULL))
        enforce_blocking(self, false);
}

/* Cancelled or thrown out of: the outer one is the current one again. */
static void restore(struct running **outer)
{
    running = *outer;
}

EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    struct running mine = {.routine = routine, .object = once, .pc = CALLER};
    __attribute__((cleanup(restore), unused)) struct running *outer = running;
    running = &mine;
    struct recorder *self = approach();
    int result = REAL(pthread_once)(once, run_once);
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
    REAL(call_once)(once, run_once);
    arrive(self);
    if (!mine.ran)
        once_event(EVENT_ONCE_PASS, once, mine.pc);
}

EXPORT int __cxa_guard_acquire(void *guard);
EXPORT int __cxa_guard_acquire(void *guard)
{
    struct recorder *self = approach();
    int first = REAL(__cxa_guard_acquire)(guard);
    arrive(self);
    once_event(first ? EVENT_ONCE_BEGIN : EVENT_ONCE_PASS, guard, CALLER);
    return first;
}

EXPORT void __cxa_guard_release(void *guard);
EXPORT void __cxa_guard_release(void *guard)
{
    once_event(EVENT_ONCE_END, guard, CALLER);
    REAL(__cxa_guard_release)(guard);
}

EXPORT void __cxa_guard_abort(void *guard);
EXPORT void __cxa_guard_abort(void *guard)
{
    sync_note_init(RECORD_OP_INIT, guard, 0, CALLER); /* the next one to try begins anew */
    REAL(__cxa_guard_abort)(guard);
}
