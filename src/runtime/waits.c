/* SPDX-License-Identifier: MIT */
#include "runtime/waits.h"

#include <errno.h>
#include <pthread.h>

enum { CANCEL_NAPS = 200 };

void wait_end(struct wait *wait, int result)
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

void wait_abandoned(struct wait *wait)
{
    if (!wait->ended)
        wait_end(wait, ECANCELED);
}

/* Cleanup handlers expect to own the mutex. */
static void look_for_cancel(const struct wait *wait)
{
    wait->lock->lock(wait->mutex);
    pthread_testcancel();
    wait->lock->unlock(wait->mutex);
}

/* The gates are open, or the wait is where the predicted deadlock is: only a signal
 * ends it now. A wait with a time limit may end of itself. */
static void sleep_until_woken(struct wait *wait)
{
    while (!(wait->end.record.flags & EVENT_TRY) && !played_wait_sleep(&wait->waiter))
        look_for_cancel(wait);
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
int wait_play(struct wait *wait)
{
    wait->lock->unlock(wait->mutex);
    enforce_passed(wait->end.recorder, EVENT_WAIT_BEGIN);
    /* Something else comes before the end of the wait: it is unwound. */
    while (enforce_leaves_wait(wait->end.recorder)) {
        look_for_cancel(wait);
        system_nap();
    }
    sync_before(&wait->end);
    if (wait->end.outcome == OUTCOME_OPEN)
        sync_block(&wait->end, (sleep_until_woken(wait), wait->lock->lock(wait->mutex), 0));
    else
        wait->lock->lock(wait->mutex);
    bool failed = wait->end.outcome == OUTCOME_FAIL, timed = wait->end.record.flags & EVENT_TRY;
    if (failed && !timed)
        await_cancel();
    return failed && timed ? ETIMEDOUT : 0;
}

void wait_begin(struct wait *wait, void *condition, void *mutex, const struct wait_lock *lock,
                uintptr_t pc, unsigned flags, bool private)
{
    struct sync begin = SYNC_AT(EVENT_WAIT_BEGIN, condition, pc);
    begin.record.other = (uintptr_t)mutex;
    begin.record.flags = (uint8_t)flags;
    sync_approach(&begin);
    *wait = (struct wait){.mutex = mutex,
                          .lock = lock,
                          .played = begin.recorder && enforce_plays_wait(begin.recorder)};
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
    if (private)
        wait->wish = wish_begin(&wait->end, EVENT_WAIT_END);
}
