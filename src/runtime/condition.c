/* SPDX-License-Identifier: MIT */
/* Condition variables, C11's cnd_t among them (waits.h). */
#include "runtime/clocks.h"
#include "runtime/mutex_state.h"
#include "runtime/played_waits.h"
#include "runtime/real.h"
#include "runtime/waits.h"

#include <errno.h>

enum { CONDITION_SHARED = 1 }; /* a bit of the C library's: between processes */

static void lock(void *mutex)
{
    REAL(pthread_mutex_lock)(mutex);
}

static void unlock(void *mutex)
{
    REAL(pthread_mutex_unlock)(mutex);
}

static const struct wait_lock pthread_lock = {lock, unlock};

static void begin(struct wait *wait, void *condition, void *mutex, uintptr_t pc, unsigned flags)
{
    bool shared = ((const pthread_cond_t *)condition)->__data.__wrefs & CONDITION_SHARED;
    if (unlikely(mutex_is_free(mutex))) {
        struct sync bad = SYNC_AT(EVENT_BAD_WAIT, mutex, pc);
        sync_before(&bad);
    }
    wait_begin(wait, condition, mutex, &pthread_lock, pc, flags, !shared);
}

#define WAIT(flags, call)                                                                          \
    __attribute__((cleanup(wait_abandoned))) struct wait wait;                                     \
    begin(&wait, condition, mutex, CALLER, flags);                                                 \
    int result = wait.played ? wait_play(&wait) : call;                                            \
    wait_end(&wait, result);                                                                       \
    return result

EXPORT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    int result = REAL(pthread_cond_init)(condition, attributes);
    if (result == 0)
        sync_note_init(RECORD_OP_INIT, condition, 0, CALLER);
    return result;
}

/* The C library waits here for those who still wait: noted before. */
EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    struct sync sync = SYNC(EVENT_CONDITION_DESTROY, condition);
    sync_before(&sync);
    return REAL(pthread_cond_destroy)(condition);
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    WAIT(0, REAL(pthread_cond_wait)(condition, mutex));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    WAIT(EVENT_TRY, REAL(pthread_cond_timedwait)(
                        condition, mutex, CLOCKS_UNTIL(clocks_of_condition(condition), until)));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  clockid_t clock, const struct timespec *until)
{
    WAIT(EVENT_TRY,
         REAL(pthread_cond_clockwait)(condition, mutex, clock, CLOCKS_UNTIL(clock, until)));
}

EXPORT int cnd_init(cnd_t *condition)
{
    int result = REAL(cnd_init)(condition);
    sync_note_init(RECORD_OP_INIT, condition, 0, CALLER);
    return result;
}

static int cnd_result(int result)
{
    return result == thrd_success ? 0 : result == thrd_timedout ? ETIMEDOUT : EINVAL;
}

static int cnd_code(int code)
{
    return code == ETIMEDOUT ? thrd_timedout : thrd_success;
}

EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    __attribute__((cleanup(wait_abandoned))) struct wait wait;
    begin(&wait, condition, mutex, CALLER, 0);
    int result = wait.played ? cnd_code(wait_play(&wait)) : REAL(cnd_wait)(condition, mutex);
    wait_end(&wait, cnd_result(result));
    return result;
}

EXPORT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    __attribute__((cleanup(wait_abandoned))) struct wait wait;
    begin(&wait, condition, mutex, CALLER, EVENT_TRY);
    int result = wait.played
                     ? cnd_code(wait_play(&wait))
                     : REAL(cnd_timedwait)(condition, mutex, CLOCKS_UNTIL(CLOCK_REALTIME, until));
    wait_end(&wait, cnd_result(result));
    return result;
}

EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    return WAIT_WAKE(EVENT_SIGNAL, condition, REAL(pthread_cond_signal)(condition));
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return WAIT_WAKE(EVENT_BROADCAST, condition, REAL(pthread_cond_broadcast)(condition));
}

EXPORT int cnd_signal(cnd_t *condition)
{
    return WAIT_WAKE(EVENT_SIGNAL, condition, REAL(cnd_signal)(condition));
}

EXPORT int cnd_broadcast(cnd_t *condition)
{
    return WAIT_WAKE(EVENT_BROADCAST, condition, REAL(cnd_broadcast)(condition));
}

/* The C library wakes who is cancelled in a wait of its own, not in a played one. */
EXPORT int pthread_cancel(pthread_t thread)
{
    int result = REAL(pthread_cancel)(thread);
    if (unlikely(enforce_active))
        played_waits_look();
    return result;
}
