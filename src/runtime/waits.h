/* SPDX-License-Identifier: MIT */
/* Waits for condition variables, the C library's and others'. A wait is two operations: it releases
 * the mutex, and later re-acquires it. A thread that is cancelled in the wait owns the mutex again
 * when its cleanup handlers run: the end of the wait is recorded then, too.
 *
 *     __attribute__((cleanup(wait_abandoned))) struct wait wait;
 *     wait_begin(&wait, condition, mutex, &lock, CALLER, 0, true);
 *     int result = wait.played ? wait_play(&wait) : REAL(...)(condition, mutex);
 *     wait_end(&wait, result);
 */
#ifndef PREPLAY_RUNTIME_WAITS_H
#define PREPLAY_RUNTIME_WAITS_H

#include "runtime/played_waits.h"
#include "runtime/wish.h"

/* How the mutex is locked behind the recorder's back. */
struct wait_lock {
    void (*lock)(void *mutex), (*unlock)(void *mutex);
};

struct wait {
    struct sync end;
    bool ended;
    bool played; /* a schedule says when it ends */
    struct wish wish;
    struct played_wait waiter;
    void *mutex;
    const struct wait_lock *lock;
};

/* `flags` of enum event_flag; `private`: no other process can end it. */
void wait_begin(struct wait *wait, void *condition, void *mutex, const struct wait_lock *lock,
                uintptr_t pc, unsigned flags, bool private);
/* In place of the real wait; 0 or ETIMEDOUT. */
int wait_play(struct wait *wait);
/* `result` as of pthread_cond_timedwait(). */
void wait_end(struct wait *wait, int result);
void wait_abandoned(struct wait *wait);

/* A signal is stamped and sent with the condition's slot locked: no waiter can
 * be stamped in between and be woken by a signal that seems to precede it. A played
 * waiter takes the signal; a broadcast is for all. */
#define WAIT_WAKE(event, condition, call)                                                          \
    ({                                                                                             \
        struct sync wake = SYNC(event, condition);                                                 \
        sync_before_locked(&wake);                                                                 \
        bool wake_taken = unlikely(enforce_active) &&                                              \
                          played_waits_wake((uintptr_t)(condition), (event) == EVENT_BROADCAST);   \
        int wake_result = wake_taken && (event) == EVENT_SIGNAL ? 0 : (call);                      \
        sync_unlock(&wake);                                                                        \
        wake_result;                                                                               \
    })

#endif
