#include "base/intern.h"

#include "base/array.h"

#define XXH_INLINE_ALL
#include <stdbool.h>
#include <xxhash.h>

/* Texts lie end to end, 8-byte aligned (they may be arrays of words), in large
 * chunks that never move, so ids and pointers stay valid while the table grows.
 * A slot holds the beginning of its text: names of up to HEAD_SIZE bytes, which
 * is nearly all of them, are found with one cache miss. */

#define CHUNK_SIZE ((size_t)1 << 16)

#define HEAD_SIZE 20

struct slot {
    uint32_t hash;
    uint32_t id_plus_one;
    uint32_t length;
    char head[HEAD_SIZE];
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

static uint32_t hash_of(const char *text, size_t length)
{
    return (uint32_t)XXH3_64bits(text, length);
}

static bool holds(const struct interner *interner, const struct slot *slot, uint32_t hash,
                  const char *text, size_t length)
{
    if (slot->hash != hash || slot->length != length)
        return false;
    if (length <= HEAD_SIZE)
        return memcmp(slot->head, text, length) == 0;
    return memcmp(interner->texts.items[slot->id_plus_one - 1].start, text, length) == 0;
}

static struct slot *find_slot(const struct interner *interner, uint32_t hash, const char *text,
                              size_t length)
{
    for (size_t i = hash & interner->mask;; i = (i + 1) & interner->mask) {
        struct slot *slot = &interner->slots[i];
        if (!slot->id_plus_one || holds(interner, slot, hash, text, length))
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
        size_t at = old[i].hash & interner->mask;
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

uint32_t intern_prepare(const struct interner *interner, const char *text, size_t length)
{
    uint32_t hash = hash_of(text, length);
    __builtin_prefetch(&interner->slots[hash & interner->mask]);
    return hash;
}

uint32_t intern(struct interner *interner, const char *text, size_t length)
{
    return intern_prepared(interner, text, length, hash_of(text, length));
}

uint32_t intern_prepared(struct interner *interner, const char *text, size_t length, uint32_t hash)
{
    struct slot *slot = find_slot(interner, hash, text, length);
    if (slot->id_plus_one)
        return slot->id_plus_one - 1;
    uint32_t id = (uint32_t)interner->texts.count;
    struct text added = {store(interner, text, length), length};
    array_push(&interner->texts, added);
    *slot = (struct slot){.hash = hash, .id_plus_one = id + 1, .length = (uint32_t)length};
    memcpy(slot->head, text, length < HEAD_SIZE ? length : HEAD_SIZE);
    if (interner->texts.count * 2 > interner->mask)
        grow(interner);
    return id;
}

uint32_t intern_find(const struct interner *interner, const char *text, size_t length)
{
    return find_slot(interner, hash_of(text, length), text, length)->id_plus_one - 1;
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
