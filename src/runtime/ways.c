/* SPDX-License-Identifier: MIT */
#include "runtime/ways.h"

#include "runtime/edges.h"

#include <stdatomic.h>

enum { OURS = 1 << 14 };

/* Newer ones take the places of older ones. */
static _Atomic uint64_t ours[OURS];

static _Atomic uint64_t *ours_at(uint64_t way)
{
    return &ours[edge_mix(way, 1) % OURS];
}

bool way_is_ours(uint64_t way)
{
    return atomic_load_explicit(ours_at(way), memory_order_relaxed) == way;
}

void way_note_ours(uint64_t way)
{
    atomic_store_explicit(ours_at(way), way, memory_order_relaxed);
}

void way_forget(uint64_t way)
{
    uint64_t expected = way;
    atomic_compare_exchange_strong(ours_at(way), &expected, 0);
}
