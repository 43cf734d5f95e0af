/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?": the word of a list that a misspelt one is nearest to. */
#ifndef PREPLAY_BASE_SUGGEST_H
#define PREPLAY_BASE_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *nearest; /* NULL: none is near */
    unsigned distance;   /* letters that are changed, added or removed */
};

/* Looks at one more candidate for `word`, which has `length` bytes. Start with {0}. */
void suggest(struct suggestion *suggestion, const char *word, size_t length, const char *candidate);

#endif
