/* SPDX-License-Identifier: MIT */
/* Whose turn it is: the schedule that this process follows, and the control block through
 * which its threads, and the tool, agree how far they are. */
#ifndef PREPLAY_RUNTIME_TURNS_H
#define PREPLAY_RUNTIME_TURNS_H

#include "runtime/schedule.h"

#include <stdatomic.h>

/* Both are set up before the first thread looks (enforce_start.c). */
extern struct schedule turns_schedule;
extern struct replay_control *turns_control;

/* The gates are open: everybody does as they like. */
static inline bool turns_are_free(void)
{
    return atomic_load_explicit(&turns_control->free, memory_order_acquire);
}
/* Opens the gates, for good. */
void turns_open(void);

/* Asleep until it is the turn of the step at `position`, or, beyond the last one, until all are
 * done. False: the gates are open. */
bool turns_wait(struct schedule_thread *thread, uint32_t position);
/* A step is done: the turn goes to the next one, or to all of the next group. */
void turns_pass(const struct schedule_thread *thread);
/* For the watchdog: where the thread is. */
void turns_note(const struct schedule_thread *thread, enum control_where where);

/* The error is reached. A debugger, if there is one, stops the program here. */
void turns_reached(void);
/* A thread does something else than its next step (NULL: an access of its target): the first
 * to do so is told of, and the gates open. */
void turns_diverge(const struct schedule_thread *thread, const struct schedule_step *expected,
                   unsigned op, uint32_t index);
/* Whoever sleeps on this word looks again. */
void turns_wake_at(_Atomic uint32_t *word);

#endif
