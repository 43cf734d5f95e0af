/* SPDX-License-Identifier: MIT */
/* Strongly connected components of the lock graph: an edge leads from each held
 * lock to the lock wanted. A deadlock lies inside one component. */
#ifndef PREPLAY_DEADLOCK_LOCK_COMPONENTS_H
#define PREPLAY_DEADLOCK_LOCK_COMPONENTS_H

#include "deadlock/lock_order.h"

/* By lock: its component's number, in the graph of those dependencies for which `some` is true,
 * or of all if it is NULL. The caller frees it. */
uint32_t *lock_components(const struct lock_order *order, const bool *some);

#endif
