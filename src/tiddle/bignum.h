/* SPDX-License-Identifier: MIT */
/* Unsigned numbers of a fixed number of 64-bit limbs, the lowest first: just what
 * counting and drawing linear extensions needs. */
#ifndef PREPLAY_TIDDLE_BIGNUM_H
#define PREPLAY_TIDDLE_BIGNUM_H

#include "base/random.h"

#include <stddef.h>

void bignum_add(uint64_t *sum, const uint64_t *number, size_t limbs);
void bignum_subtract(uint64_t *from, const uint64_t *number, size_t limbs);
bool bignum_less(const uint64_t *a, const uint64_t *b, size_t limbs);
/* Uniform below `bound`, which must not be 0. */
void bignum_random_below(uint64_t *out, const uint64_t *bound, size_t limbs, struct random *random);
/* In decimal; the caller frees it. */
char *bignum_text(const uint64_t *number, size_t limbs);

#endif
