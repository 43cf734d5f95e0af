/* SPDX-License-Identifier: MIT */
/* Who may a condition variable wake? A signal wakes one of the threads that
 * wait at that moment, which one is not said; a broadcast wakes all of them; a
 * signal that finds nobody waiting is lost.
 *
 * The choice is left open as long as possible: a signal becomes a token that
 * any thread may take that began to wait before it. A thread that returns takes
 * the oldest token it may take, which leaves the more widely usable ones to the
 * others, so a return is refused only if no choice of wake-ups allows it. There
 * are never more tokens than waiting threads, and every prefix of the tokens
 * can be served by the threads that waited before it. */
#ifndef PREPLAY_TRACE_CONDITION_H
#define PREPLAY_TRACE_CONDITION_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct condition_waiter {
    uint32_t thread;
    bool woken;     /* by a broadcast */
    uint32_t since; /* clock of its wait_begin */
};

struct condition {
    struct condition_waiter *waiters;
    size_t waiting, waiters_room;
    uint32_t *tokens; /* clocks of pending signals, ascending */
    size_t token_count, tokens_room;
    uint32_t clock;
};

void condition_wait(struct condition *condition, uint32_t thread);
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);
/* May `thread`, which waits, return because of a signal? */
bool condition_may_wake(const struct condition *condition, uint32_t thread);
/* The thread returns; `signalled` is false for time-outs and spurious wake-ups,
 * which consume no token unless one is left without another taker. */
void condition_wake(struct condition *condition, uint32_t thread, bool signalled);

/* One of the four above, as the event on this condition says. */
void condition_step(struct condition *condition, const struct event *event);

/* Can signals so far have chosen exactly these of the `count` threads, which all wait:
 * those with chosen[i]? (Of others that wait nothing is said.) */
bool condition_may_choose(const struct condition *condition, const uint32_t *threads,
                          const bool *chosen, size_t count);

void condition_copy(struct condition *to, const struct condition *from);
void condition_free(struct condition *condition);

#endif
