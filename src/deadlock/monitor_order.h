/* SPDX-License-Identifier: MIT */
/* What the mutex of a wait and the predicate read under it order for sure, under models that
 * keep reads: a thread reads a variable and then waits, all in one section of the mutex. If
 * another thread executes a write of that variable which can only come after the write that
 * was read, it comes after the read; and if that is in a section of the same mutex, the whole
 * section comes after the wait began. It is why a signal given under the mutex is not lost. */
#ifndef PREPLAY_DEADLOCK_MONITOR_ORDER_H
#define PREPLAY_DEADLOCK_MONITOR_ORDER_H

#include "search/index.h"

struct monitor_order;

/* `index` has clocks. */
struct monitor_order *monitor_order_create(const struct search_index *index);
void monitor_order_destroy(struct monitor_order *order);

/* An index of `thread` from which on all its events come after `begin`, the begin of a
 * wait, provided that it executes `executed` events in all; UINT32_MAX if none is known. */
uint32_t monitor_order_after(const struct monitor_order *order, uint32_t begin, uint32_t thread,
                             uint32_t executed);

#endif
