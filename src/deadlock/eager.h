/* SPDX-License-Identifier: MIT */
/* Events that only make more possible, for everybody: releases that no failed try needs, joins,
 * private accesses and the like. Who visits states executes them as soon as they can be. */
#ifndef PREPLAY_DEADLOCK_EAGER_H
#define PREPLAY_DEADLOCK_EAGER_H

#include "model/machine.h"

/* By pos, from `from` on; the caller's to free. */
bool *eager_find(const struct rules *rules, uint32_t from, uint32_t to);

#endif
