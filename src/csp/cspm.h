/* SPDX-License-Identifier: MIT */
/* The CSP model of a trace and its refinements as CSPM, for FDR4 and for people:
 * threads and synchronisation objects as processes in the shape of the figures of
 * Carril & Tichy, an assertion a shared object (no race) and one for the program
 * (no deadlock). One access of an object a segment is kept, a write rather than a
 * read, and only objects that two threads access and one writes.
 *
 * Beyond the papers: an operation on a condition variable is one on the variable
 * and one on its mutex (wait.t.c -> unlock.t.m, woken.t.c -> lock.t.m); atomic
 * operations carry the number of the write they see or make; failed tries have
 * channels of their own, and what may be left where it comes out otherwise is announced
 * (optional.t), as is that a thread has no signal or post left, for the assertion of deadlocks
 * (cspm_stuck.c). The program's end is the event `finished`, for parallel
 * processes end only together, and those of the objects never do. */
#ifndef PREPLAY_CSP_CSPM_H
#define PREPLAY_CSP_CSPM_H

#include "trace/history.h"

#include <stdio.h>

/* With `per_pair` an assertion for each pair of threads that may conflict over a shared object. */
void cspm_write(FILE *out, const struct history *history, bool per_pair);

#endif
