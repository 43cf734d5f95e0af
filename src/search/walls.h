/* SPDX-License-Identifier: MIT */
/* What was proved of one question and holds for many: while a thread has not gone beyond
 * its first `stays` events, another cannot come through its first `goes`. So no thread
 * that stops at or before the one meets the other at or beyond it. Whoever is refuted at
 * some cost leaves such walls behind, and most of those who come after meet one of them.
 *
 * Walls hold under one model, for goals that keep all reads. */
#ifndef PREPLAY_SEARCH_WALLS_H
#define PREPLAY_SEARCH_WALLS_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct wall {
    uint32_t staying, going; /* threads */
    uint32_t stays, goes;    /* numbers of events */
};

/* A zeroed one is empty. */
struct walls ARRAY_OF(struct wall);

/* Adds a wall; those behind it go. */
void walls_add(struct walls *walls, struct wall wall);
bool walls_refute(const struct walls *walls, struct wall asked);

#endif
