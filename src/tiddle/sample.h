/* SPDX-License-Identifier: MIT */
/* How many traces are equivalent to a trace, and some of them at random.
 *
 * A prefix of an equivalent trace is given by how far each thread has come (an
 * ideal of the happens-before order), so counting is a walk over these prefixes:
 * the ways to finish from one are the sum over its next events. With the counts,
 * drawing the next event in proportion gives every equivalent trace the same
 * probability, exactly. That needs one big number for each prefix.
 *
 * Where there are too many prefixes, the Karzanov-Khachiyan Markov chain draws:
 * from the trace's own order, swap a random pair of neighbours, if it commutes,
 * with probability 1/2. Its stationary distribution is uniform; n^3 ln n steps,
 * which suffice for it to mix, are taken before each trace, but no more than
 * SAMPLE_STEPS, so that on long traces the draw is only nearly uniform. */
#ifndef PREPLAY_TIDDLE_SAMPLE_H
#define PREPLAY_TIDDLE_SAMPLE_H

#include "trace/history.h"

#define SAMPLE_STEPS UINT64_C(20000000)

struct sampler;

struct sampler *sampler_create(const struct history *history, uint64_t seed);
void sampler_destroy(struct sampler *sampler);

/* An equivalent order, as pos values, valid until the next call. */
const uint32_t *sampler_next(struct sampler *sampler);
/* The exact number in decimal, which the caller frees; NULL if there are too many
 * prefixes to count. */
char *sampler_count(const struct sampler *sampler);

#endif
