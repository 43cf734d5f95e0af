/* SPDX-License-Identifier: MIT */
/* The causal cone of a pair: a prefix of every thread, large enough that if the
 * two events can race at all, then a reordering of events of the cone shows it.
 *
 * Nothing outside is worth executing: the cone holds what the events before the
 * pair need (forks, joined threads, writes that reads may see, signals, posts),
 * and where two threads of the cone use a lock, the releases that hand it on.
 * Leaving out the rest of a reordering keeps it correct. */
#ifndef PREPLAY_SMT_SMT_CONE_H
#define PREPLAY_SMT_SMT_CONE_H

#include "constraints/smt_window.h"

struct smt_cone;

/* Room for cones of one window, made once and used for many pairs. */
struct smt_cone *smt_cone_create(const struct smt_window *window);
void smt_cone_destroy(struct smt_cone *cone);

/* By thread: the number of its events in the cone of the pair. Valid until the
 * next call. */
const uint32_t *smt_cone_find(struct smt_cone *cone, uint32_t first, uint32_t second);

#endif
