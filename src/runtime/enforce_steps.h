/* SPDX-License-Identifier: MIT */
/* A thread and its steps, for the parts of the enforcer. */
#ifndef PREPLAY_RUNTIME_ENFORCE_STEPS_H
#define PREPLAY_RUNTIME_ENFORCE_STEPS_H

#include "runtime/recorder.h"
#include "runtime/turns.h"

/* NULL: the schedule does not know it. */
static inline struct schedule_thread *enforce_thread_of(const struct recorder *self)
{
    return self->scheduled ? &turns_schedule.threads[self->scheduled - 1] : NULL;
}

/* The thread's next step; NULL after its last. */
static inline struct schedule_step *enforce_next_step(const struct recorder *self,
                                                      const struct schedule_thread *thread,
                                                      uint32_t *position)
{
    if (self->step_cursor >= thread->steps)
        return NULL;
    *position = turns_schedule.positions[thread->first + self->step_cursor];
    return &turns_schedule.steps[*position];
}

#endif
