/* Condition variables, C11's cnd_t among them. A wait is two operations: it
 * releases the mutex, and later re-acquires it. A thread that is cancelled in
 * the wait owns the mutex again when its cleanup handlers run: the end of the
 * wait is recorded then, too. */
#include "runtime/played_waits.h"
#include "runtime/real.h"
#include "runtime/wish.h"

#include <errno.h>

enum {
    CANCEL_NAPS = 200,
    CONDITION_SHARED = 1, /* a bit of the C library's: between processes */
};

struct wait {
    struct sync end;
    bool ended;
    bool played; /* a schedule says when it ends */
    struct wish wish;
    struct played_wait waiter;
};

static void wait_end(struct wait *wait, int result)
{
    wait->ended = true;
    wish_end(&wait->wish);
    if (wait->played)
        played_wait_end(&wait->waiter);
    if (result == ETIMEDOUT)
        wait->end.record.flags |= EVENT_TRY | EVENT_FAILED;
    else if (result)
        wait->end.record.flags |= EVENT_FAILED;
    sync_after(&wait->end);
}

static void wait_abandoned(struct wait *wait)
{
    if (!wait->ended)
        wait_end(wait, ECANCELED);
}

/* Cleanup handlers expect to own the mutex. */
static void look_for_cancel(pthread_mutex_t *mutex)
{
    REAL(pthread_mutex_lock)(mutex);
    pthread_testcancel();
    REAL(pthread_mutex_unlock)(mutex);
}

/* The gates are open, or the wait is where the predicted deadlock is: only a signal
 * ends it now. A wait with a time limit may end of itself. */
static int sleep_until_woken(struct wait *wait, pthread_mutex_t *mutex)
{
    if (wait->end.record.flags & EVENT_TRY)
        return 0;
    while (!played_wait_sleep(&wait->waiter))
        look_for_cancel(mutex);
    return 0;
}

/* An untimed wait that failed was cancelled, most likely, by somebody who may be on the
 * way to do so again. The mutex is ours. */
static void await_cancel(void)
{
    for (int i = 0; i < CANCEL_NAPS; i++) {
        pthread_testcancel();
        system_nap();
    }
}

/* A scheduled wait is played: the mutex is released, and acquired again when the
 * schedule says so. Which signal wakes whom is the schedule's choice, so the real
 * condition is not asked. */
static int play_wait(struct wait *wait, pthread_mutex_t *mutex)
{
    REAL(pthread_mutex_unlock)(mutex);
    enforce_passed(wait->end.recorder, EVENT_WAIT_BEGIN);
    /* Something else comes before the end of the wait: it is unwound. */
    while (enforce_leaves_wait(wait->end.recorder)) {
        look_for_cancel(mutex);
        system_nap();
    }
    sync_before(&wait->end);
    if (wait->end.outcome == OUTCOME_OPEN)
        sync_block(&wait->end, (sleep_until_woken(wait, mutex), REAL(pthread_mutex_lock)(mutex)));
    else
        REAL(pthread_mutex_lock)(mutex);
    bool failed = wait->end.outcome == OUTCOME_FAIL, timed = wait->end.record.flags & EVENT_TRY;
    if (failed && !timed)
        await_cancel();
    return failed && timed ? ETIMEDOUT : 0;
}

static void wait_begin(struct wait *wait, void *condition, void *mutex, uintptr_t pc,
                       unsigned flags)
{
    struct sync begin = SYNC_AT(EVENT_WAIT_BEGIN, condition, pc);
    begin.record.other = (uintptr_t)mutex;
    begin.record.flags = (uint8_t)flags;
    sync_approach(&begin);
    *wait = (struct wait){.played = begin.recorder && enforce_plays_wait(begin.recorder)};
    /* It waits before the turn passes on: the next step may be the signal. */
    if (wait->played) {
        played_wait_begin(&wait->waiter, (uintptr_t)condition);
        sync_take_note(begin.recorder, &begin.record); /* the turn passes with the mutex */
    } else if (begin.recorder) {
        sync_note(begin.recorder, &begin.record);
    }
    wait->end = begin;
    wait->end.record.op = EVENT_WAIT_END;
    if (!wait->played)
        sync_before(&wait->end);
    if (!(((const pthread_cond_t *)condition)->__data.__wrefs & CONDITION_SHARED))
        wait->wish = wish_begin(&wait->end, EVENT_WAIT_END);
}

#define WAIT(flags, call)                                                                          \
    __attribute__((cleanup(wait_abandoned))) struct wait wait;                                     \
    wait_begin(&wait, condition, mutex, CALLER, flags);                                            \
    int result = wait.played ? play_wait(&wait, mutex) : call;                                     \
    wait_end(&wait, result);                                                                       \
    return result

EXPORT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    int result = REAL(pthread_cond_init)(condition, attributes);
    if (result == 0)
        sync_note_init(RECORD_OP_INIT, condition, 0, CALLER);
    return result;
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    WAIT(0, REAL(pthread_cond_wait)(condition, mutex));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    WAIT(EVENT_TRY, REAL(pthread_cond_timedwait)(condition, mutex, until));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                  clockid_t clock, const struct timespec *until)
{
    WAIT(EVENT_TRY, REAL(pthread_cond_clockwait)(condition, mutex, clock, until));
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
    wait_begin(&wait, condition, mutex, CALLER, 0);
    int result = wait.played ? cnd_code(play_wait(&wait, (pthread_mutex_t *)(void *)mutex))
                             : REAL(cnd_wait)(condition, mutex);
    wait_end(&wait, cnd_result(result));
    return result;
}

EXPORT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    __attribute__((cleanup(wait_abandoned))) struct wait wait;
    wait_begin(&wait, condition, mutex, CALLER, EVENT_TRY);
    int result = wait.played ? cnd_code(play_wait(&wait, (pthread_mutex_t *)(void *)mutex))
                             : REAL(cnd_timedwait)(condition, mutex, until);
    wait_end(&wait, cnd_result(result));
    return result;
}

/* A signal is stamped and sent with the condition's slot locked: no waiter can
 * be stamped in between and be woken by a signal that seems to precede it. A played
 * waiter takes the signal; a broadcast is for all. */
#define WAKE(event, call)                                                                          \
    struct sync sync = SYNC(event, condition);                                                     \
    sync_before_locked(&sync);                                                                     \
    bool taken = unlikely(enforce_active) &&                                                       \
                 played_waits_wake((uintptr_t)condition, (event) == EVENT_BROADCAST);              \
    int result = taken && (event) == EVENT_SIGNAL ? 0 : call;                                      \
    sync_unlock(&sync);                                                                            \
    return result

EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    WAKE(EVENT_SIGNAL, REAL(pthread_cond_signal)(condition));
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    WAKE(EVENT_BROADCAST, REAL(pthread_cond_broadcast)(condition));
}

EXPORT int cnd_signal(cnd_t *condition)
{
    WAKE(EVENT_SIGNAL, REAL(cnd_signal)(condition));
}

EXPORT int cnd_broadcast(cnd_t *condition)
{
    WAKE(EVENT_BROADCAST, REAL(cnd_broadcast)(condition));
}

/* The C library wakes who is cancelled in a wait of its own, not in a played one. */
EXPORT int pthread_cancel(pthread_t thread)
{
    int result = REAL(pthread_cancel)(thread);
    if (unlikely(enforce_active))
        played_waits_look();
    return result;
}
