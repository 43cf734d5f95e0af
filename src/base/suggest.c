/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <string.h>

enum { WORD_LIMIT = 32, FARTHEST = 2 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned row[WORD_LIMIT + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

void suggest(struct suggestion *suggestion, const char *word, size_t length, const char *candidate)
{
    size_t other = strlen(candidate);
    if (length > WORD_LIMIT || other > WORD_LIMIT)
        return;
    unsigned distance = distance_of(word, length, candidate, other);
    if (distance > FARTHEST || distance >= length ||
        (suggestion->nearest && distance >= suggestion->distance))
        return;
    *suggestion = (struct suggestion){candidate, distance};
}
