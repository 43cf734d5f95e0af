/* SPDX-License-Identifier: MIT */
/* When two operations of a trace commute. Two traces are equivalent (Sadowski,
 * Chapter 7) if swapping adjacent operations that do not depend on each other
 * leads from one to the other; they have the same happens-before order then.
 *
 *   depend     operations of one thread; a fork or a join and the thread's own;
 *              accesses of one variable, at least one a write; allocation and any
 *              access; operations of one lock, but for those of readers among
 *              themselves and two failed tries; of one condition variable, but for
 *              two signals; entering and leaving one use of a barrier, and any
 *              operations of two uses; a post and a wait of one semaphore, and a
 *              failed wait and either; a once-block's end and those who pass it
 *   commute    everything else */
#ifndef PREPLAY_TIDDLE_DEPENDENCE_H
#define PREPLAY_TIDDLE_DEPENDENCE_H

#include "trace/event.h"

bool events_depend(const struct event *a, const struct event *b);

#endif
