/* What threads do with each other: each operation is told, then performed on the objects of
 * steps.h. The C library's own are only called where there is nothing to step. */
#include "stepper/heap.h"
#include "stepper/real.h"
#include "stepper/steps.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

/* --- what each operation does -------------------------------------------------------------------
 */

static struct stepped *oldest_waiter(const struct object *object)
{
    struct stepped *oldest = NULL;
    for (uint32_t i = 0; i < stepper->threads; i++) {
        struct stepped *thread = step_thread(i);
        if (thread->queue != object)
            continue;
        if (step_waiter() && (uint32_t)stepper->thread[i].name == step_waiter())
            return thread;
        if (!oldest || thread->queued < oldest->queued)
            oldest = thread;
    }
    return oldest;
}

static void wake_all(const struct object *object)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (step_thread(i)->queue == object)
            step_thread(i)->queue = NULL;
}

static uint32_t count_waiting(const struct object *object)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stepper->threads; i++)
        count += step_thread(i)->queue == object;
    return count;
}

static void join_queue(struct stepped *self, struct object *object)
{
    static uint64_t sequence;
    self->queue = object;
    self->queued = ++sequence;
}

static void signal_one(struct object *object, struct step_event *event)
{
    struct stepped *woken = oldest_waiter(object);
    event->made = woken ? stepper->thread[woken->id].name : 0;
    if (woken)
        woken->queue = NULL;
}

static void enter_barrier(struct stepped *self, struct object *object, uint64_t wanted)
{
    if (count_waiting(object) + 1 >= wanted)
        wake_all(object);
    else
        join_queue(self, object);
}

static void apply_lock(struct stepped *self, struct object *object, struct step_event *event)
{
    switch (event->op) {
    case STEP_TRY_LOCK:
    case STEP_TRY_WRITE_LOCK:
        event->seen = !object->owner && !object->readers;
        if (!event->seen)
            return;
        object->owner = self;
        object->depth = 1;
        return;
    case STEP_LOCK:
    case STEP_WRITE_LOCK:
        object->owner = self;
        object->depth = 1;
        return;
    case STEP_TRY_READ_LOCK:
        event->seen = !object->owner;
        object->readers += event->seen != 0;
        return;
    case STEP_READ_LOCK:
        object->readers++;
        return;
    case STEP_UNLOCK_EITHER:
        if (!object->owner && object->readers)
            object->readers--;
        object->owner = NULL;
        return;
    default:
        object->owner = NULL;
    }
}

static void apply(struct stepped *self, struct step_event *event)
{
    struct object *object = object_at(event->object);
    switch (event->op) {
    case STEP_QUEUE:
        join_queue(self, object);
        break;
    case STEP_AWAKE:
        event->seen = !self->queue;
        self->queue = NULL;
        break;
    case STEP_SIGNAL:
        signal_one(object, event);
        break;
    case STEP_BROADCAST:
        wake_all(object);
        break;
    case STEP_ENTER:
        enter_barrier(self, object, event->made);
        break;
    case STEP_SET:
        object->owner = NULL;
        object->readers = 0;
        object->value = event->made;
        break;
    case STEP_TRY_WAIT:
        event->seen = object->value > 0;
        object->value -= event->seen;
        break;
    case STEP_WAIT:
        object->value--;
        break;
    case STEP_POST:
        object->value++;
        break;
    case STEP_ONCE:
        event->seen = object->value == 0;
        object->value += event->seen;
        break;
    case STEP_ONCE_DONE:
        object->value = event->made;
        break;
    case STEP_FORK:
    case STEP_JOIN:
    case STEP_LEAVE:
    case STEP_END:
        break;
    default:
        apply_lock(self, object, event);
    }
}

/* What it saw. */
static uint64_t perform(struct stepped *self, enum step_op op, unsigned flags, uint64_t object,
                        uint64_t made, uintptr_t pc)
{
    struct step_event event = {
        .op = (uint8_t)op, .flags = (uint8_t)flags, .object = object, .made = made, .pc = pc};
    step_before(self, &event);
    if (op < STEP_FORK)
        heap_check(object, pc);
    apply(self, &event);
    step_tell(self, event);
    return event.seen;
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* Time that passes only when nobody can run. */
#define EPOCH UINT64_C(1767225600) /* 2026: a program sees the same date in every run */

static void set_alarm(struct stepped *self, const struct timespec *until)
{
    uint64_t seconds = (uint64_t)until->tv_sec;
    self->alarm =
        seconds < EPOCH ? 0 : (seconds - EPOCH) * UINT64_C(1000000000) + (uint64_t)until->tv_nsec;
}

/* --- mutexes ------------------------------------------------------------------------------------
 */

static int mutex_again(struct stepped *self, const pthread_mutex_t *mutex, bool try)
{
    struct object *object = object_at((uintptr_t)mutex);
    int kind = mutex->__data.__kind & 3;
    if (object->owner != self)
        return -1;
    if (kind == PTHREAD_MUTEX_RECURSIVE_NP) {
        object->depth++;
        return 0;
    }
    if (try)
        return EBUSY;
    return kind == PTHREAD_MUTEX_ERRORCHECK_NP ? EDEADLK : -1;
}

FUNCTION(int, pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes))
{
    struct stepped *self = stepped_current();
    if (self)
        perform(self, STEP_SET, 0, (uintptr_t)mutex, 0, CALLER);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

FUNCTION(int, pthread_mutex_lock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_lock)(mutex);
    int again = mutex_again(self, mutex, false);
    if (again >= 0)
        return again;
    perform(self, STEP_LOCK, 0, (uintptr_t)mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_mutex_trylock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_trylock)(mutex);
    int again = mutex_again(self, mutex, true);
    if (again >= 0)
        return again;
    return perform(self, STEP_TRY_LOCK, 0, (uintptr_t)mutex, 0, CALLER) ? 0 : EBUSY;
}

FUNCTION(int, pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_timedlock)(mutex, until);
    int again = mutex_again(self, mutex, false);
    if (again >= 0)
        return again;
    set_alarm(self, until);
    return perform(self, STEP_TRY_LOCK, STEP_TIMED, (uintptr_t)mutex, 0, CALLER) ? 0 : ETIMEDOUT;
}

FUNCTION(int, pthread_mutex_unlock, (pthread_mutex_t * mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_mutex_unlock)(mutex);
    struct object *object = object_at((uintptr_t)mutex);
    if (object->owner == self && object->depth > 1) {
        object->depth--;
        return 0;
    }
    if (object->owner != self && (mutex->__data.__kind & 3) != PTHREAD_MUTEX_NORMAL)
        return EPERM;
    perform(self, STEP_UNLOCK, 0, (uintptr_t)mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_spin_init, (pthread_spinlock_t * lock, int shared))
{
    struct stepped *self = stepped_current();
    (void)shared;
    if (self)
        perform(self, STEP_SET, 0, (uintptr_t)lock, 0, CALLER);
    *lock = 1;
    return 0;
}

FUNCTION(int, pthread_spin_lock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_lock)(lock);
    perform(self, STEP_LOCK, 0, (uintptr_t)lock, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_spin_trylock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_trylock)(lock);
    return perform(self, STEP_TRY_LOCK, 0, (uintptr_t)lock, 0, CALLER) ? 0 : EBUSY;
}

FUNCTION(int, pthread_spin_unlock, (pthread_spinlock_t * lock))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_spin_unlock)(lock);
    perform(self, STEP_UNLOCK, 0, (uintptr_t)lock, 0, CALLER);
    return 0;
}

/* --- readers-writer locks -----------------------------------------------------------------------
 */

#define RWLOCK(name, op, failure)                                                                  \
    FUNCTION(int, pthread_rwlock_##name, (pthread_rwlock_t * lock))                                \
    {                                                                                              \
        struct stepped *self = stepped_current();                                                  \
        if (!self)                                                                                 \
            return REAL(pthread_rwlock_##name)(lock);                                              \
        uint64_t seen = perform(self, op, 0, (uintptr_t)lock, 0, CALLER);                          \
        return seen ? 0 : failure;                                                                 \
    }
RWLOCK(rdlock, STEP_READ_LOCK, 0)
RWLOCK(wrlock, STEP_WRITE_LOCK, 0)
RWLOCK(tryrdlock, STEP_TRY_READ_LOCK, EBUSY)
RWLOCK(trywrlock, STEP_TRY_WRITE_LOCK, EBUSY)
RWLOCK(unlock, STEP_UNLOCK_EITHER, 0)

/* --- condition variables ------------------------------------------------------------------------
 */

/* Who holds the mutex joins the queue and then releases: a signal in between wakes it as well as
 * one that comes later. */
static bool wait_on(struct stepped *self, pthread_cond_t *condition, pthread_mutex_t *mutex,
                    unsigned flags, uintptr_t pc)
{
    struct object *lock = object_at((uintptr_t)mutex);
    uint32_t depth = lock->depth;
    perform(self, STEP_QUEUE, 0, (uintptr_t)condition, 0, pc);
    perform(self, STEP_UNLOCK, 0, (uintptr_t)mutex, 0, pc);
    bool woken = perform(self, STEP_AWAKE, flags, (uintptr_t)condition, 0, pc);
    perform(self, STEP_LOCK, 0, (uintptr_t)mutex, 0, pc);
    lock->depth = depth;
    return woken;
}

FUNCTION(int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes))
{
    return REAL(pthread_cond_init)(condition, attributes);
}

FUNCTION(int, pthread_cond_destroy, (pthread_cond_t * condition))
{
    return stepped_current() ? 0 : REAL(pthread_cond_destroy)(condition);
}

FUNCTION(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_wait)(condition, mutex);
    wait_on(self, condition, mutex, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_cond_timedwait,
         (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_timedwait)(condition, mutex, until);
    set_alarm(self, until);
    return wait_on(self, condition, mutex, STEP_TIMED, CALLER) ? 0 : ETIMEDOUT;
}

FUNCTION(int, pthread_cond_clockwait,
         (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
          const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
    set_alarm(self, until);
    return wait_on(self, condition, mutex, STEP_TIMED, CALLER) ? 0 : ETIMEDOUT;
}

FUNCTION(int, pthread_cond_signal, (pthread_cond_t * condition))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_signal)(condition);
    perform(self, STEP_SIGNAL, 0, (uintptr_t)condition, 0, CALLER);
    return 0;
}

FUNCTION(int, pthread_cond_broadcast, (pthread_cond_t * condition))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_cond_broadcast)(condition);
    perform(self, STEP_BROADCAST, 0, (uintptr_t)condition, 0, CALLER);
    return 0;
}

/* --- barriers, semaphores, once -----------------------------------------------------------------
 */

FUNCTION(int, pthread_barrier_init,
         (pthread_barrier_t * barrier, const pthread_barrierattr_t *attributes, unsigned count))
{
    struct stepped *self = stepped_current();
    if (self)
        object_at((uintptr_t)barrier)->wanted = count;
    return REAL(pthread_barrier_init)(barrier, attributes, count);
}

FUNCTION(int, pthread_barrier_wait, (pthread_barrier_t * barrier))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_barrier_wait)(barrier);
    uint32_t wanted = object_at((uintptr_t)barrier)->wanted;
    perform(self, STEP_ENTER, 0, (uintptr_t)barrier, wanted, CALLER);
    bool last = !self->queue;
    perform(self, STEP_LEAVE, 0, (uintptr_t)barrier, 0, CALLER);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

FUNCTION(int, sem_init, (sem_t * semaphore, int shared, unsigned value))
{
    struct stepped *self = stepped_current();
    if (self)
        perform(self, STEP_SET, 0, (uintptr_t)semaphore, value, CALLER);
    return REAL(sem_init)(semaphore, shared, value);
}

FUNCTION(int, sem_wait, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_wait)(semaphore);
    perform(self, STEP_WAIT, 0, (uintptr_t)semaphore, 0, CALLER);
    return 0;
}

FUNCTION(int, sem_trywait, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_trywait)(semaphore);
    if (perform(self, STEP_TRY_WAIT, 0, (uintptr_t)semaphore, 0, CALLER))
        return 0;
    errno = EAGAIN;
    return -1;
}

FUNCTION(int, sem_timedwait, (sem_t * semaphore, const struct timespec *until))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_timedwait)(semaphore, until);
    set_alarm(self, until);
    if (perform(self, STEP_TRY_WAIT, STEP_TIMED, (uintptr_t)semaphore, 0, CALLER))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

FUNCTION(int, sem_post, (sem_t * semaphore))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_post)(semaphore);
    perform(self, STEP_POST, 0, (uintptr_t)semaphore, 0, CALLER);
    return 0;
}

FUNCTION(int, sem_getvalue, (sem_t * semaphore, int *value))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sem_getvalue)(semaphore, value);
    stepper->unknown = 1; /* what it sees is no choice yet */
    *value = (int)object_at((uintptr_t)semaphore)->value;
    return 0;
}

FUNCTION(int, pthread_once, (pthread_once_t * control, void (*function)(void)))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_once)(control, function);
    if (perform(self, STEP_ONCE, 0, (uintptr_t)control, 0, CALLER)) {
        function();
        perform(self, STEP_ONCE_DONE, 0, (uintptr_t)control, 2, CALLER);
    }
    return 0;
}

FUNCTION(int, __cxa_guard_acquire, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(__cxa_guard_acquire)(guard);
    return (int)perform(self, STEP_ONCE, 0, (uintptr_t)guard, 0, CALLER);
}

FUNCTION(void, __cxa_guard_release, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (!self) {
        REAL(__cxa_guard_release)(guard);
        return;
    }
    memory_access(STEP_WRITE, (uintptr_t)guard, 1, CALLER);
    *(volatile char *)guard = 1;
    perform(self, STEP_ONCE_DONE, 0, (uintptr_t)guard, 2, CALLER);
}

FUNCTION(void, __cxa_guard_abort, (uint64_t * guard))
{
    struct stepped *self = stepped_current();
    if (self)
        perform(self, STEP_ONCE_DONE, 0, (uintptr_t)guard, 0, CALLER);
    else
        REAL(__cxa_guard_abort)(guard);
}

/* --- threads ------------------------------------------------------------------------------------
 */

static void finish(struct stepped **self)
{
    perform(*self, STEP_END, 0, 0, 0, 0);
    (*self)->inside = true; /* what the C library does at a thread's end is nobody's business */
    step_leave(*self);
}

/* The same way if the function returns, is cancelled or calls pthread_exit(). */
static void *begin(void *argument)
{
    __attribute__((cleanup(finish))) struct stepped *self = argument;
    step_arrive(self);
    return self->start(self->argument);
}

enum { SMALLEST_STACK = 1 << 18, USUAL_STACK = 1 << 23 };

static int start_thread(struct stepped *child, pthread_t *thread, const pthread_attr_t *wanted)
{
    pthread_attr_t attributes;
    int detached = PTHREAD_CREATE_JOINABLE;
    size_t size = USUAL_STACK;
    if (wanted) {
        pthread_attr_getdetachstate(wanted, &detached);
        pthread_attr_getstacksize(wanted, &size);
    }
    if (size < SMALLEST_STACK)
        size = SMALLEST_STACK;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, detached);
    void *stack = heap_stack(child, size);
    if (!stack || pthread_attr_setstack(&attributes, stack, size))
        pthread_attr_setstacksize(&attributes, size);
    int result = REAL(pthread_create)(thread, &attributes, begin, child);
    pthread_attr_destroy(&attributes);
    return result;
}

FUNCTION(int, pthread_create,
         (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *),
          void *argument))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(pthread_create)(thread, attributes, start, argument);
    uint64_t name = stepper_child(stepper->thread[self->id].name, self->children + 1);
    perform(self, STEP_FORK, 0, name, 0, CALLER);
    struct stepped *child = step_new(self);
    if (!child)
        return EAGAIN;
    child->start = start;
    child->argument = argument;
    self->inside = true;
    int result = start_thread(child, thread, attributes);
    self->inside = false;
    if (result)
        stepper->thread[child->id].state = STEP_ENDED;
    else
        child->pthread = *thread;
    return result;
}

static uint64_t name_of(pthread_t thread)
{
    for (uint32_t i = stepper->threads; i-- > 0;)
        if (step_thread(i)->pthread == thread)
            return stepper->thread[i].name;
    return 0;
}

FUNCTION(int, pthread_join, (pthread_t thread, void **result))
{
    struct stepped *self = stepped_current();
    uint64_t name = self ? name_of(thread) : 0;
    if (name)
        perform(self, STEP_JOIN, 0, name, 0, CALLER);
    return REAL(pthread_join)(thread, result);
}

FUNCTION(void, pthread_exit, (void *result))
{
    struct stepped *self = stepped_current();
    if (self && self->id == 0) {
        perform(self, STEP_END, 0, 0, 0, CALLER);
        self->inside = true;
        step_leave(self);
    }
    REAL(pthread_exit)(result);
    __builtin_unreachable();
}

/* --- C11 ----------------------------------------------------------------------------------------
 */

static int c11(int result)
{
    return result == 0           ? thrd_success
           : result == EBUSY     ? thrd_busy
           : result == ETIMEDOUT ? thrd_timedout
                                 : thrd_error;
}

FUNCTION(int, mtx_lock, (mtx_t * mutex))
{
    return c11(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

FUNCTION(int, mtx_trylock, (mtx_t * mutex))
{
    return c11(pthread_mutex_trylock((pthread_mutex_t *)mutex));
}

FUNCTION(int, mtx_unlock, (mtx_t * mutex))
{
    return c11(pthread_mutex_unlock((pthread_mutex_t *)mutex));
}

FUNCTION(int, cnd_wait, (cnd_t * condition, mtx_t *mutex))
{
    return c11(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

FUNCTION(int, cnd_signal, (cnd_t * condition))
{
    return c11(pthread_cond_signal((pthread_cond_t *)condition));
}

FUNCTION(int, cnd_broadcast, (cnd_t * condition))
{
    return c11(pthread_cond_broadcast((pthread_cond_t *)condition));
}

FUNCTION(int, thrd_create, (thrd_t * thread, thrd_start_t function, void *argument))
{
    return c11(pthread_create(thread, NULL, (void *(*)(void *))(uintptr_t)function, argument));
}

FUNCTION(int, thrd_join, (thrd_t thread, int *result))
{
    void *value = NULL;
    int failed = pthread_join(thread, &value);
    if (result)
        *result = (int)(intptr_t)value;
    return c11(failed);
}

/* --- time ---------------------------------------------------------------------------------------
 */

static void rest(struct stepped *self, const struct timespec *length)
{
    step_rest(self, (uint64_t)length->tv_sec * UINT64_C(1000000000) + (uint64_t)length->tv_nsec);
}

FUNCTION(int, sched_yield, (void))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sched_yield)();
    step_rest(self, 0);
    return 0;
}

FUNCTION(int, nanosleep, (const struct timespec *length, struct timespec *left))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(nanosleep)(length, left);
    rest(self, length);
    return 0;
}

FUNCTION(int, clock_nanosleep,
         (clockid_t clock, int flags, const struct timespec *length, struct timespec *left))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(clock_nanosleep)(clock, flags, length, left);
    if (flags & TIMER_ABSTIME) {
        step_rest(self, 0);
        set_alarm(self, length);
    } else {
        rest(self, length);
    }
    return 0;
}

FUNCTION(int, usleep, (unsigned microseconds))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(usleep)(microseconds);
    step_rest(self, (uint64_t)microseconds * 1000);
    return 0;
}

FUNCTION(unsigned, sleep, (unsigned seconds))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(sleep)(seconds);
    step_rest(self, seconds * UINT64_C(1000000000));
    return 0;
}

FUNCTION(int, clock_gettime, (clockid_t clock, struct timespec *time))
{
    struct stepped *self = stepped_current();
    if (!self)
        return REAL(clock_gettime)(clock, time);
    uint64_t now = step_time();
    time->tv_sec = (time_t)(EPOCH + now / 1000000000);
    time->tv_nsec = (long)(now % 1000000000);
    return 0;
}

FUNCTION(time_t, time, (time_t * result))
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}
