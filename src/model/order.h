/* SPDX-License-Identifier: MIT */
/* Happens-before as vector clocks, in the strengths that engines ask for.
 *
 * Always: program order, fork, join, barriers, once, and what an atomic load saw (a look only
 * with ORDER_LOCKS or ORDER_C11).
 * These orders hold in every correct reordering of the trace, so alone (flags 0)
 * they are the must-happen-before that filters candidates without losing any.
 *
 *   ORDER_LOCKS    release before the next acquire (rwlocks: readers do not order
 *                  readers), the holder's acquire before a failed try
 *   ORDER_SIGNALS  signal before the wait it may have ended, post before a later
 *                  semaphore wait
 *   ORDER_READS    write before the read that saw it (schedulable happens-before)
 *   ORDER_C11      atomics order as their memory orders say, not as a sequentially
 *                  consistent observer would: a relaxed load orders nothing, with
 *                  ORDER_READS neither
 *   ORDER_VALUES   an atomic load is not ordered by the write it saw where values
 *                  are known: under `value` it may see another one that is alike
 *
 * ORDER_LOCKS | ORDER_SIGNALS | ORDER_C11 is the happens-before of detectors. */
#ifndef PREPLAY_MODEL_ORDER_H
#define PREPLAY_MODEL_ORDER_H

#include "model/vclock.h"
#include "trace/event.h"
#include "trace/finding.h"
#include "trace/history.h"

enum order_flag {
    ORDER_LOCKS = 1 << 0,
    ORDER_SIGNALS = 1 << 1,
    ORDER_READS = 1 << 2,
    ORDER_C11 = 1 << 3,
    ORDER_VALUES = 1 << 4,
};

/* The flags for what holds in every correct reordering under the model; MODEL_NONE: under all. */
static inline unsigned order_must(enum model model)
{
    return model == MODEL_VALUE || model == MODEL_NONE ? ORDER_VALUES : 0;
}

struct order;

struct order *order_create(unsigned flags);
void order_destroy(struct order *order);
/* Who has all of a trace at hand says so, and which event is over (whether it was stepped past or
 * orders nothing): then no clock is kept of a thread that is through and that nobody joins. */
void order_know(struct order *order, const struct history *history);
void order_passed(struct order *order, uint32_t pos);

/* The clock of `thread` at its next event; its own entry is that event's tick.
 * Valid until the next call with another thread that has not been seen before. */
const struct vclock *order_clock(struct order *order, uint32_t thread);
/* Moves past the event. For accesses: compare clocks first, then step. */
void order_step(struct order *order, const struct event *event);
/* Of each thread, what every thread so far has seen; nothing while more threads that
 * nobody forks may come, which is at the beginning of a trace. */
const struct vclock *order_seen_by_all(struct order *order);

#endif
