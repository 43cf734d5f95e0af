/* SPDX-License-Identifier: MIT */
#include "base/intern_ahead.h"

#define XXH_INLINE_ALL
#include <stdbool.h>
#include <xxhash.h>

/* Texts lie end to end, 8-byte aligned (they may be arrays of words), in large
 * chunks that never move, so ids and pointers stay valid while the table grows. */

#define CHUNK_SIZE ((size_t)1 << 16)

/* Tables of a few pages are not worth a mapping of their own. */
#define LARGE_TABLE ((size_t)1 << 16)

static struct intern_slot *new_slots(size_t count)
{
    return count < LARGE_TABLE ? NEW_ARRAY(struct intern_slot, count)
                               : memory_pages(count * sizeof(struct intern_slot));
}

static void free_slots(struct intern_slot *slots, size_t count)
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

void intern_key_of_long(const char *text, size_t length, struct intern_key *key)
{
    key->first = length ? XXH3_64bits(text, length) : 0;
    key->rest = length ? (uint32_t)length << 8 | INTERN_LONG : 0;
    key->length = (uint32_t)length;
    key->hash = intern_hash(key->first, key->rest);
}

static void key_of_any(const char *text, size_t length, struct intern_key *key)
{
    char padded[INTERN_PADDING] = {0};
    if (length && length <= INTERN_SHORT)
        text = memcpy(padded, text, length);
    intern_key_of(text, length, key);
}

static inline bool holds(const struct interner *interner, const struct intern_slot *slot,
                         const struct intern_key *key, const char *text)
{
    if (slot->first != key->first || slot->rest != key->rest)
        return false;
    if (key->length <= INTERN_SHORT)
        return true;
    const struct intern_text *known = &interner->texts.items[slot->id_plus_one - 1];
    return known->length == key->length && memcmp(known->start, text, key->length) == 0;
}

static inline struct intern_slot *find_slot(const struct interner *interner,
                                            const struct intern_key *key, const char *text)
{
    for (size_t i = key->hash & interner->mask;; i = (i + 1) & interner->mask) {
        struct intern_slot *slot = &interner->slots[i];
        if (!slot->id_plus_one || holds(interner, slot, key, text))
            return slot;
    }
}

static void grow(struct interner *interner)
{
    size_t old_size = interner->mask + 1;
    struct intern_slot *old = interner->slots;
    interner->mask = old_size * 2 - 1;
    interner->slots = new_slots(interner->mask + 1);
    for (size_t i = 0; i < old_size; i++) {
        if (!old[i].id_plus_one)
            continue;
        size_t at = intern_hash(old[i].first, old[i].rest) & interner->mask;
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

static uint32_t add(struct interner *interner, struct intern_slot *slot, const char *text,
                    const struct intern_key *key)
{
    uint32_t id = (uint32_t)interner->texts.count;
    struct intern_text added = {store(interner, text, key->length), key->length};
    array_push(&interner->texts, added);
    *slot = (struct intern_slot){key->first, key->rest, id + 1};
    if (interner->texts.count * 2 > interner->mask)
        grow(interner);
    return id;
}

uint32_t intern_search(struct interner *interner, const char *text, const struct intern_key *key)
{
    struct intern_slot *slot = find_slot(interner, key, text);
    return slot->id_plus_one ? slot->id_plus_one - 1 : add(interner, slot, text, key);
}

uint32_t intern(struct interner *interner, const char *text, size_t length)
{
    struct intern_key key;
    key_of_any(text, length, &key);
    return intern_prepared(interner, text, &key);
}

uint32_t intern_find(const struct interner *interner, const char *text, size_t length)
{
    struct intern_key key;
    key_of_any(text, length, &key);
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
