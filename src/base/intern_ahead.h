/* SPDX-License-Identifier: MIT */
/* intern() in two steps, for a reader that has other work in between and millions of
 * names to look up: the first brings the text's slot into the cache, the second is
 * a comparison where the text is short, known and where it belongs. */
#ifndef PREPLAY_BASE_INTERN_AHEAD_H
#define PREPLAY_BASE_INTERN_AHEAD_H

#include "base/array.h"
#include "base/intern.h"

/* What tells a text from others: all of it, if it is no longer than INTERN_SHORT
 * bytes, as most are; else a hash. */
#define INTERN_SHORT   11
#define INTERN_PADDING 12
struct intern_key {
    uint64_t first;
    uint32_t rest; /* the lowest byte is the length, or INTERN_LONG */
    uint32_t length;
    size_t hash;
};
#define INTERN_LONG 0xff

/* A slot is small, since those of 10^6 names are in no cache, and holds all of a
 * short text, which is found with one cache miss. */
struct intern_slot {
    uint64_t first; /* of the key */
    uint32_t rest;
    uint32_t id_plus_one;
};

struct intern_text {
    const char *start;
    size_t length;
};

struct interner {
    struct intern_slot *slots;
    size_t mask;
    struct intern_texts ARRAY_OF(struct intern_text) texts;
    struct intern_chunks ARRAY_OF(char *) chunks;
    size_t room; /* bytes left in the last chunk */
    char *free_start;
};

/* The slow ways: of the empty text and long ones; of texts that are new or displaced. */
void intern_key_of_long(const char *text, size_t length, struct intern_key *key);
uint32_t intern_search(struct interner *interner, const char *text, const struct intern_key *key);

static inline size_t intern_hash(uint64_t first, uint32_t rest)
{
    unsigned __int128 product = (unsigned __int128)(first ^ UINT64_C(0x9e3779b97f4a7c15)) *
                                (rest ^ UINT64_C(0xd6e8feb86659fd93));
    return (size_t)product ^ (size_t)(product >> 64);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first bytes are the low ones");

/* At least INTERN_PADDING bytes can be read from `text`, whatever they are. No branch
 * on the length of a short text, which is as good as random: the bytes that lie
 * behind the text are shifted out. */
static inline void intern_key_of(const char *text, size_t length, struct intern_key *key)
{
    uint64_t first;
    uint32_t behind;
    if (__builtin_expect(length - 1 >= INTERN_SHORT, 0)) {
        intern_key_of_long(text, length, key);
        return;
    }
    memcpy(&first, text, sizeof first);
    memcpy(&behind, text + 8, sizeof behind);
    size_t short_of_8 = length < 8 ? 8 * (8 - length) : 0;
    size_t beyond_8 = length > 8 ? 8 * (length - 8) : 0;
    key->first = first << short_of_8 >> short_of_8;
    key->rest = (behind & ((1u << beyond_8) - 1)) << 8 | (uint32_t)length;
    key->length = (uint32_t)length;
    key->hash = intern_hash(key->first, key->rest);
}

static inline void intern_prepare(const struct interner *interner, const char *text, size_t length,
                                  struct intern_key *key)
{
    intern_key_of(text, length, key);
    __builtin_prefetch(&interner->slots[key->hash & interner->mask]);
}

static inline uint32_t intern_prepared(struct interner *interner, const char *text,
                                       const struct intern_key *key)
{
    const struct intern_slot *slot = &interner->slots[key->hash & interner->mask];
    if (slot->first == key->first && slot->rest == key->rest && key->length <= INTERN_SHORT &&
        slot->id_plus_one)
        return slot->id_plus_one - 1;
    return intern_search(interner, text, key);
}

#endif
