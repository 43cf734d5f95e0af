/* SPDX-License-Identifier: MIT */
#include "tiddle/bignum.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void bignum_add(uint64_t *sum, const uint64_t *number, size_t limbs)
{
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < limbs; i++) {
        carry += (unsigned __int128)sum[i] + number[i];
        sum[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

void bignum_subtract(uint64_t *from, const uint64_t *number, size_t limbs)
{
    bool borrow = false;
    for (size_t i = 0; i < limbs; i++) {
        uint64_t left = from[i];
        from[i] = left - number[i] - borrow;
        borrow = borrow ? left <= number[i] : left < number[i];
    }
}

bool bignum_less(const uint64_t *a, const uint64_t *b, size_t limbs)
{
    while (limbs--)
        if (a[limbs] != b[limbs])
            return a[limbs] < b[limbs];
    return false;
}

void bignum_random_below(uint64_t *out, const uint64_t *bound, size_t limbs, struct random *random)
{
    size_t top = limbs - 1;
    while (top && !bound[top])
        top--;
    uint64_t mask = UINT64_MAX >> __builtin_clzll(bound[top]);
    do {
        memset(out, 0, limbs * sizeof *out);
        for (size_t i = 0; i <= top; i++)
            out[i] = random_next(random);
        out[top] &= mask;
    } while (!bignum_less(out, bound, limbs));
}

char *bignum_text(const uint64_t *number, size_t limbs)
{
    const uint64_t group = UINT64_C(1000000000000000000); /* the digits of one division */
    uint64_t *rest = memory_copy(number, limbs * sizeof *rest);
    size_t room = limbs * 20 + 2;
    char *text = memory_alloc(room, 1), *at = text + room;
    *--at = '\0';
    bool more = true;
    while (more) {
        unsigned __int128 remainder = 0;
        more = false;
        for (size_t i = limbs; i-- > 0;) {
            remainder = remainder << 64 | rest[i];
            rest[i] = (uint64_t)(remainder / group);
            remainder %= group;
            more |= rest[i] != 0;
        }
        uint64_t digits = (uint64_t)remainder;
        for (int i = 0; i < 18 && (more || digits || at == text + room - 1); i++) {
            *--at = (char)('0' + digits % 10);
            digits /= 10;
        }
    }
    memmove(text, at, (size_t)(text + room - at));
    free(rest);
    return text;
}
