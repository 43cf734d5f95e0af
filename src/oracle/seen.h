/* SPDX-License-Identifier: MIT */
/* The states an exploration has been in: a set of keys of a few words each, all
 * in one block of memory that the next exploration uses again. */
#ifndef PREPLAY_ORACLE_SEEN_H
#define PREPLAY_ORACLE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
    uint64_t *keys;
    uint32_t *stamps; /* a slot is full if its stamp is the current one */
    uint32_t stamp, words;
    size_t count, slots; /* slots: a power of two, or 0 */
};

/* Empties the set; from now on keys have `words` words. */
void seen_reset(struct seen *seen, uint32_t words);
/* True if the key is new. */
bool seen_add(struct seen *seen, const uint64_t *key);
void seen_free(struct seen *seen);

#endif
