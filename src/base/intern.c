#include "base/intern.h"

#include "base/array.h"
#include "base/map.h"

#define XXH_INLINE_ALL
#include <stdbool.h>
#include <xxhash.h>

/* Texts lie end to end, 8-byte aligned (they may be arrays of words), in large
 * chunks that never move, so ids and pointers stay valid while the table grows.
 * A slot holds the text's key: short texts are found with one cache miss. */

#define CHUNK_SIZE ((size_t)1 << 16)

struct slot {
    struct intern_key key;
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

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first bytes are the low ones");

/* The first `bytes` bytes of a word; all of it, if there are 8 or more. */
static inline uint64_t mask_of(size_t bytes)
{
    return bytes < 8 ? (UINT64_C(1) << (8 * bytes)) - 1 : UINT64_MAX;
}

/* No branch on the length of a short text, which is as good as random: the bytes
 * that lie behind the text are masked out. */
static inline void key_of_padded(const char *text, size_t length, struct intern_key *key)
{
    key->length = (uint32_t)length;
    if (length > INTERN_PADDING) {
        key->first = word_at(text);
        key->last = word_at(text + length - 8);
        key->hash = (uint32_t)XXH3_64bits(text, length);
        return;
    }
    key->first = word_at(text) & mask_of(length);
    key->last = word_at(text + 8) & mask_of(length > 8 ? length - 8 : 0);
    unsigned __int128 product = (unsigned __int128)(key->first ^ UINT64_C(0x9e3779b97f4a7c15)) *
                                (key->last ^ UINT64_C(0xd6e8feb86659fd93) ^ length);
    key->hash = (uint32_t)map_mix((uint64_t)product ^ (uint64_t)(product >> 64));
}

static void key_of(const char *text, size_t length, struct intern_key *key)
{
    char padded[INTERN_PADDING] = {0};
    if (length && length <= INTERN_PADDING)
        text = memcpy(padded, text, length);
    key_of_padded(length ? text : padded, length, key);
}

static inline bool holds(const struct interner *interner, const struct slot *slot,
                         const struct intern_key *key, const char *text)
{
    if (slot->key.first != key->first || slot->key.last != key->last ||
        slot->key.length != key->length)
        return false;
    return key->length <= INTERN_PADDING ||
           memcmp(interner->texts.items[slot->id_plus_one - 1].start, text, key->length) == 0;
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
        size_t at = old[i].key.hash & interner->mask;
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
    *slot = (struct slot){*key, id + 1};
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
