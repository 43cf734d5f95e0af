/* SPDX-License-Identifier: MIT */
/* What a thread may still do, as far as it is known: for each node the words and objects that it
 * or anything below it uses. */
#ifndef PREPLAY_EXPLORE_FUTURES_H
#define PREPLAY_EXPLORE_FUTURES_H

#include "explore/state.h"

struct futures;

struct futures *futures_create(const struct knowledge *knowledge);
void futures_destroy(struct futures *futures);

/* Does the thread's next operation concern no other thread, now or later? */
bool futures_alone(const struct futures *futures, const struct state_layout *layout,
                   const struct state *state, uint32_t thread);

#endif
