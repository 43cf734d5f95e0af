/* SPDX-License-Identifier: MIT */
/* What misuse happened in the recorded run: one pass over its events, with the state that the
 * rules ask for, and no more: who holds which lock since when, and what was destroyed. */
#ifndef PREPLAY_MISUSE_OBSERVED_H
#define PREPLAY_MISUSE_OBSERVED_H

#include "misuse/told.h"

struct observed;

/* `tell` is called for each misuse of the trace, when its event comes; with `advise` also for what
 * is dubious. */
struct observed *observed_create(const struct trace *trace, bool advise, misuse_tell *tell,
                                 void *context);
/* Told as well from now on: signals of condition variables that are destroyed. Not of any run,
 * since one that is made anew by an assignment, or by its constructor in C++, is the same to a
 * recording; a replay is asked for one certain signal, of one that stayed destroyed. */
void observed_tell_signals(struct observed *observed);
void observed_destroy(struct observed *observed);

/* The next event of the run. */
void observed_step(struct observed *observed, const struct event *event, uint32_t pos);
/* After the last one. */
void observed_finish(struct observed *observed);

#endif
