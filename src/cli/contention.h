/* SPDX-License-Identifier: MIT */
/* preplay info --contention: which locks are held long, and which are waited for, by place.
 *
 * A recording has an order and no clock. A hold is as long as what its thread recorded meanwhile; a
 * wait is as long as what all threads recorded between the waiting thread's last event and the
 * release that it needed. So a lock under which much is done counts, and one that is held while its
 * thread sleeps does not. */
#ifndef PREPLAY_CLI_CONTENTION_H
#define PREPLAY_CLI_CONTENTION_H

#include "trace/trace.h"

struct contention;

struct contention *contention_create(void);
void contention_destroy(struct contention *contention);
/* The next event of the trace. */
void contention_step(struct contention *contention, const struct event *event);
/* The longest first. */
void contention_print(const struct contention *contention, const struct trace *trace);

#endif
