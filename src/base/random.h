/* SPDX-License-Identifier: MIT */
/* A small seeded generator (splitmix64): the same seed, the same sequence, on
 * every machine. For tests and benchmarks, never for secrets. */
#ifndef PREPLAY_BASE_RANDOM_H
#define PREPLAY_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

uint64_t random_next(struct random *random);
/* Uniform in 0 .. bound - 1; bound must not be 0. */
uint32_t random_below(struct random *random, uint32_t bound);
/* True with probability percent / 100. */
bool random_chance(struct random *random, unsigned percent);

#endif
