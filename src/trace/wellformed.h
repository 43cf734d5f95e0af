/* SPDX-License-Identifier: MIT */
/* The rules of a well-formed trace, checked event by event as it is read, and
 * the small repairs that make every reader deliver the same thing:
 *
 *  - a thread does nothing before its fork, after its join, or while it waits
 *    at a condition variable or a barrier;
 *  - a lock has one owner (or readers); only the owner releases it. Re-entrant
 *    inner pairs are dropped;
 *  - a wait is entered with the mutex held, and re-acquires it;
 *  - a wait that returns though no signal can have woken it is marked
 *    EVENT_FAILED (a spurious wake-up);
 *  - barrier events get the number of their instance;
 *  - once-blocks run once; atomic blocks nest.
 *
 * Locks held, threads waiting and blocks open at the end are fine: programs end
 * in the middle of things. */
#ifndef PREPLAY_TRACE_WELLFORMED_H
#define PREPLAY_TRACE_WELLFORMED_H

#include "trace/trace.h"

enum wellformed_answer { WELLFORMED_KEEP, WELLFORMED_DROP, WELLFORMED_BROKEN };

struct wellformed;

struct wellformed *wellformed_create(void);
void wellformed_destroy(struct wellformed *wellformed);

enum wellformed_answer wellformed_check(struct wellformed *wellformed, const struct trace *trace,
                                        struct event *event);
/* Why the last event was broken, as a phrase without a place. */
const char *wellformed_reason(const struct wellformed *wellformed);

/* The count that a semaphore starts with, where it is known; otherwise the least
 * that the observed order needs. Before its first event. */
void wellformed_semaphore_start(struct wellformed *wellformed, uint32_t semaphore, uint32_t count);
uint32_t wellformed_semaphore_initial(const struct wellformed *wellformed, uint32_t semaphore);
uint32_t wellformed_barrier_parties(const struct wellformed *wellformed, uint32_t instance);
uint32_t wellformed_barrier_instances(const struct wellformed *wellformed);

#endif
