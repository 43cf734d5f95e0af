/* SPDX-License-Identifier: MIT */
/* Which waiting thread gets which signal, as glibc's condition variables do it:
 *
 *  - threads wait in two groups; signals go to the older group, G1, until each of
 *    its threads has got one, and only then does the younger group take its place;
 *  - before that, a signal waits until all threads of the older group have left.
 *
 * A thread that keeps its signal until its turn would block the next one. So every
 * signalled thread leaves the condition variable at once, as far as its mutex
 * (templates/blocking.c); this says which. Some traces remain that glibc cannot
 * perform: a program for them would hang, so it is refused. */
#ifndef PREPLAY_TIDDLE_CONDITIONS_H
#define PREPLAY_TIDDLE_CONDITIONS_H

#include "trace/history.h"

/* By pos of each wait_begin: the pos of the signal or broadcast that its thread gets,
 * POS_NONE if none. The caller frees it. NULL with the pos of the first event that a
 * program could not perform, and why. */
uint32_t *conditions_plan(const struct history *history, uint32_t *broken, const char **reason);

#endif
