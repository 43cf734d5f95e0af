/* SPDX-License-Identifier: MIT */
/* What the program's operations on locks, conditions and threads do: each is told, then performed
 * on the objects of steps.h. The C library's own are only called where there is nothing to step. */
#ifndef PREPLAY_STEPPER_OPERATIONS_H
#define PREPLAY_STEPPER_OPERATIONS_H

#include "stepper/steps.h"

#include <time.h>

/* A function of the C library that ours stands in front of. */
#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* Time passes only when nobody can run, and begins here: a program sees the same date in every
 * run. */
#define EPOCH UINT64_C(1767225600) /* 2026 */

/* Stands before the operation until its turn has come, performs and tells it; what it saw. */
uint64_t step_perform(struct stepped *self, enum step_op op, unsigned flags, uint64_t object,
                      uint64_t made, uintptr_t pc);
/* Ends the thread if it was cancelled and may be. If it may not it waits on. */
void step_test_cancel(struct stepped *self);
/* The thread should go on at that time, if nothing lets it go on before. */
void step_set_alarm(struct stepped *self, const struct timespec *until);

#endif
