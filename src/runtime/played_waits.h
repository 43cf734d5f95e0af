/* SPDX-License-Identifier: MIT */
/* Waits for conditions that a replay plays. The schedule says which waiter a signal
 * wakes, and the C library has its own idea of that; so a scheduled waiter sleeps
 * here and not in the real condition, and signals come here first.
 *
 * A signal wakes one waiter that was there before it. If the schedule then ends the
 * wait of another one, the two have changed places. When the gates open, whoever no
 * signal has woken goes on waiting for one: a wake-up that is lost stays lost. */
#ifndef PREPLAY_RUNTIME_PLAYED_WAITS_H
#define PREPLAY_RUNTIME_PLAYED_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct played_wait {
    uintptr_t condition;
    _Atomic uint32_t state; /* a futex */
    struct played_wait *next;
};

/* The calling thread waits from now on; before it releases the mutex. */
void played_wait_begin(struct played_wait *wait, uintptr_t condition);
/* Its wait is over, because a signal woke it or the schedule says so. */
void played_wait_end(struct played_wait *wait);
/* Asleep until a signal comes: true. False: somebody was cancelled, perhaps it. */
bool played_wait_sleep(struct played_wait *wait);

/* Wakes one waiter, or all; false if none is here. */
bool played_waits_wake(uintptr_t condition, bool all);
/* A thread was cancelled: let every sleeper look whether it was it. */
void played_waits_look(void);
/* In a forked child: the waiters are gone. */
void played_waits_forget(void);

#endif
