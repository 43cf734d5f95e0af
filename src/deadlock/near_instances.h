/* SPDX-License-Identifier: MIT */
/* Of all tuples of instances of a cycle's dependencies, those that lie closest
 * together in the observed order: where a little disorder most likely suffices. */
#ifndef PREPLAY_DEADLOCK_NEAR_INSTANCES_H
#define PREPLAY_DEADLOCK_NEAR_INSTANCES_H

#include "deadlock/lock_order.h"

struct instance_tuples ARRAY_OF(uint32_t);

/* Leaves in `tuples`, one after the other and closest first, a few tuples: for each
 * dependency of the cycle, the number of an instance of it. Returns how many. */
uint32_t near_instances(const struct lock_order *order, const uint32_t *cycle, uint32_t length,
                        struct instance_tuples *tuples);

#endif
