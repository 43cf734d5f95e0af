#include "base/intern.h"

#include "base/array.h"

#define XXH_INLINE_ALL
#include <stdbool.h>
#include <xxhash.h>

/* Texts lie end to end, 8-byte aligned (they may be arrays of words), in large
 * chunks that never move, so ids and pointers stay valid while the table grows.
 * A slot is small, since those of 10^6 names are in no cache, and holds all of a
 * short text, which is found with one cache miss. */

#define CHUNK_SIZE ((size_t)1 << 16)

struct slot {
    uint64_t first; /* of the key */
    uint32_t rest;
    uint32_t id_plus_one;
};

struct text {
    const char *start;
    size_t length;
};

struct interner {
    struct slot *slots;
    size_t mask;
    struct texts ARRAY_OF(struct text) texts;
    struct chunks ARRAY_OF(char *) chunks;
    size_t room; /* bytes left in the last chunk */
    char *free_start;
};

/* Tables of a few pages are not worth a mapping of their own. */
#define LARGE_TABLE ((size_t)1 << 16)

static struct slot *new_slots(size_t count)
{
    return count < LARGE_TABLE ? NEW_ARRAY(struct slot, count)
                               : memory_pages(count * sizeof(struct slot));
}

static void free_slots(struct slot *slots, size_t count)
{
    if (count < LARGE_TABLE)
        free(slots);
    else
        memory_pages_free(slots, count * sizeof *slots);
}

struct interner *interner_create(void)
{
    struct interner *interner = NEW(struct interner);
    interner->mask = 63;
    interner->slots = new_slots(interner->mask + 1);
    return interner;
}

void interner_destroy(struct interner *interner)
{
    if (!interner)
        return;
    for (size_t i = 0; i < interner->chunks.count; i++)
        free(interner->chunks.items[i]);
    array_free(&interner->chunks);
    array_free(&interner->texts);
    free_slots(interner->slots, interner->mask + 1);
    free(interner);
}

static inline uint64_t word_at(const char *text)
{
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

static inline uint32_t half_word_at(const char *text)
{
    uint32_t half;
    memcpy(&half, text, sizeof half);
    return half;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first bytes are the low ones");

static inline size_t hash_of(uint64_t first, uint32_t rest)
{
    unsigned __int128 product = (unsigned __int128)(first ^ UINT64_C(0x9e3779b97f4a7c15)) *
                                (rest ^ UINT64_C(0xd6e8feb86659fd93));
    return (size_t)product ^ (size_t)(product >> 64);
}

#define LONG_TEXT 0xff /* where the length of a short one stands */

/* No branch on the length of a short text, which is as good as random: the bytes
 * that lie behind the text are masked out. */
static inline void key_of_padded(const char *text, size_t length, struct intern_key *key)
{
    key->length = (uint32_t)length;
    if (length > INTERN_SHORT) {
        key->first = XXH3_64bits(text, length);
        key->rest = (uint32_t)length << 8 | LONG_TEXT;
    } else {
        uint64_t bits = 8 * length;
        key->first = word_at(text) & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
        uint32_t behind =
            half_word_at(text + 8) & (uint32_t)((UINT64_C(1) << (bits > 64 ? bits - 64 : 0)) - 1);
        key->rest = behind << 8 | (uint32_t)length;
    }
    key->hash = hash_of(key->first, key->rest);
}

static void key_of(const char *text, size_t length, struct intern_key *key)
{
    char padded[INTERN_PADDING] = {0};
    if (length && length <= INTERN_SHORT)
        text = memcpy(padded, text, length);
    key_of_padded(length ? text : padded, length, key);
}

static inline bool holds(const struct interner *interner, const struct slot *slot,
                         const struct intern_key *key, const char *text)
{
    if (slot->first != key->first || slot->rest != key->rest)
        return false;
    if (key->length <= INTERN_SHORT)
        return true;
    const struct text *known = &interner->texts.items[slot->id_plus_one - 1];
    return known->length == key->length && memcmp(known->start, text, key->length) == 0;
}

static inline struct slot *find_slot(const struct interner *interner, const struct intern_key *key,
                                     const char *text)
{
    for (size_t i = key->hash & interner->mask;; i = (i + 1) & interner->mask) {
        struct slot *slot = &interner->slots[i];
        if (!slot->id_plus_one || holds(interner, slot, key, text))
            return slot;
    }
}

static void grow(struct interner *interner)
{
    size_t old_size = interner->mask + 1;
    struct slot *old = interner->slots;
    interner->mask = old_size * 2 - 1;
    interner->slots = new_slots(interner->mask + 1);
    for (size_t i = 0; i < old_size; i++) {
        if (!old[i].id_plus_one)
            continue;
        size_t at = hash_of(old[i].first, old[i].rest) & interner->mask;
        while (interner->slots[at].id_plus_one)
            at = (at + 1) & interner->mask;
        interner->slots[at] = old[i];
    }
    free_slots(old, old_size);
}

static const char *store(struct interner *interner, const char *text, size_t length)
{
    size_t needed = (length + 1 + 7) & ~(size_t)7;
    if (interner->room < needed) {
        size_t size = needed > CHUNK_SIZE ? needed : CHUNK_SIZE;
        interner->free_start = memory_alloc(size, 1);
        interner->room = size;
        array_push(&interner->chunks, interner->free_start);
    }
    char *copy = interner->free_start;
    memcpy(copy, text, length);
    copy[length] = '\0';
    interner->free_start += needed;
    interner->room -= needed;
    return copy;
}

void intern_prepare(const struct interner *interner, const char *text, size_t length,
                    struct intern_key *key)
{
    key_of_padded(text, length, key);
    __builtin_prefetch(&interner->slots[key->hash & interner->mask]);
}

static uint32_t add(struct interner *interner, struct slot *slot, const char *text,
                    const struct intern_key *key)
{
    uint32_t id = (uint32_t)interner->texts.count;
    struct text added = {store(interner, text, key->length), key->length};
    array_push(&interner->texts, added);
    *slot = (struct slot){key->first, key->rest, id + 1};
    if (interner->texts.count * 2 > interner->mask)
        grow(interner);
    return id;
}

uint32_t intern_prepared(struct interner *interner, const char *text, const struct intern_key *key)
{
    struct slot *slot = find_slot(interner, key, text);
    return slot->id_plus_one ? slot->id_plus_one - 1 : add(interner, slot, text, key);
}

uint32_t intern(struct interner *interner, const char *text, size_t length)
{
    struct intern_key key;
    key_of(text, length, &key);
    return intern_prepared(interner, text, &key);
}

uint32_t intern_find(const struct interner *interner, const char *text, size_t length)
{
    struct intern_key key;
    key_of(text, length, &key);
    return find_slot(interner, &key, text)->id_plus_one - 1;
}

const char *intern_text(const struct interner *interner, uint32_t id)
{
    return interner->texts.items[id].start;
}

size_t intern_length(const struct interner *interner, uint32_t id)
{
    return interner->texts.items[id].length;
}

uint32_t intern_count(const struct interner *interner)
{
    return (uint32_t)interner->texts.count;
}
