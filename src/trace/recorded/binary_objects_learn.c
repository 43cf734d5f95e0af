/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_objects_state.h"

#define GRANULES (PAGE_SIZE / 8)
#define SHARED   UINT16_MAX

/* What the first pass knows about the bytes of a page. A page that was only ever
 * accessed as a whole (a large buffer copied or cleared) needs no more than the
 * map's own value: see uniform(). */
struct learned {
    uint16_t owner[PAGE_SIZE];      /* 0, thread + 1, or SHARED */
    uint64_t edge[PAGE_SIZE / 64];  /* an access begins, or ended just before, here */
    uint64_t wrote[PAGE_SIZE / 64]; /* somebody wrote */
    uint32_t life[GRANULES];        /* the objects_begin() its present content stems from */
    bool shared;                    /* some byte is */
};

/* A uniform page as a map value: the lowest bit set, then wrote, owner and life. */
static uint64_t uniform(uint16_t owner, bool wrote, uint32_t life)
{
    return (uint64_t)life << 32 | (uint64_t)owner << 8 | (uint64_t)wrote << 1 | 1;
}

static bool get_bit(const uint64_t *bits, uint32_t at)
{
    return bits[at / 64] >> (at % 64) & 1;
}

static void set_bit(uint64_t *bits, uint32_t at)
{
    bits[at / 64] |= UINT64_C(1) << (at % 64);
}

static uint64_t word_mask(uint32_t word, uint32_t first, uint32_t last)
{
    uint64_t mask = UINT64_MAX;
    if (word == first / 64)
        mask &= UINT64_MAX << (first % 64);
    if (word == last / 64)
        mask &= UINT64_MAX >> (63 - last % 64);
    return mask;
}

static void set_bits(uint64_t *bits, uint32_t first, uint32_t last)
{
    for (uint32_t word = first / 64; word <= last / 64; word++)
        bits[word] |= word_mask(word, first, last);
}

static void clear_bits(uint64_t *bits, uint32_t first, uint32_t last)
{
    for (uint32_t word = first / 64; word <= last / 64; word++)
        bits[word] &= ~word_mask(word, first, last);
}

/* Every byte of it alike, with an edge at its start. */
struct learned *objects_expand(uint64_t value)
{
    struct learned *learned = NEW(struct learned);
    for (uint32_t i = 0; i < PAGE_SIZE; i++)
        learned->owner[i] = (uint16_t)(value >> 8);
    memset(learned->wrote, value & 2 ? 0xff : 0, sizeof learned->wrote);
    for (uint32_t i = 0; i < GRANULES; i++)
        learned->life[i] = (uint32_t)(value >> 32);
    set_bit(learned->edge, 0);
    learned->shared = (uint16_t)(value >> 8) == SHARED;
    return learned;
}

static struct learned *page_learned(struct objects *self, uint64_t page)
{
    struct learned *learned = objects_page(self, page);
    if (learned)
        return learned;
    learned = objects_expand(uniform(0, false, self->lives));
    learned->edge[0] = 0;
    *map_at(&self->pages, page, NULL) = (uint64_t)(uintptr_t)learned;
    self->last_page = page;
    return self->last = learned;
}

static void add_object(struct objects *self, uint64_t address, uint32_t life, uint32_t length)
{
    struct extent *last = self->extents.count ? &array_last(&self->extents) : NULL;
    if (last && last->life == life && last->length == length &&
        last->address + (uint64_t)last->length * last->count == address &&
        last->address >> PAGE_SHIFT == address >> PAGE_SHIFT) {
        last->count++;
        return;
    }
    struct extent extent = {
        .address = address, .life = life, .length = (uint16_t)length, .count = 1};
    array_push(&self->extents, extent);
}

/* An object never crosses a page, a life or an edge: a longer run of bytes is
 * several objects, which changes no verdict. */
static void collect(struct objects *self, uint64_t page, const struct learned *learned,
                    uint32_t first, uint32_t last)
{
    uint32_t at = first;
    if (!learned->shared)
        return;
    while (at <= last) {
        if (learned->owner[at] != SHARED || !get_bit(learned->wrote, at)) {
            at++;
            continue;
        }
        uint32_t start = at++;
        while (at <= last && learned->owner[at] == SHARED && get_bit(learned->wrote, at) &&
               !get_bit(learned->edge, at) && learned->life[at / 8] == learned->life[start / 8])
            at++;
        add_object(self, page << PAGE_SHIFT | start, learned->life[start / 8], at - start);
    }
}

void objects_renew(struct objects *self, uint64_t page, struct learned *learned, uint32_t first,
                   uint32_t last)
{
    collect(self, page, learned, first, last);
    memset(learned->owner + first, 0, (last - first + 1) * sizeof *learned->owner);
    clear_bits(learned->edge, first, last);
    clear_bits(learned->wrote, first, last);
    for (uint32_t i = first / 8; i <= last / 8; i++)
        learned->life[i] = self->lives;
}

static void learn_page(struct learned *learned, uint16_t owner, uint32_t first, uint32_t last,
                       bool write)
{
    unsigned shared = owner == SHARED;
    for (uint32_t i = first; i <= last; i++) {
        uint16_t known = learned->owner[i];
        bool other = known != owner && known;
        learned->owner[i] = other ? SHARED : owner;
        shared |= other;
    }
    learned->shared |= shared;
    if (write)
        set_bits(learned->wrote, first, last);
}

/* A whole page in one access: stays uniform, or becomes it. */
static bool learn_whole(struct objects *self, uint64_t page, uint16_t owner, bool write)
{
    bool added;
    if (page == self->last_page)
        return false;
    uint64_t *value = map_at(&self->pages, page, &added);
    if (added)
        *value = uniform(owner, write, self->lives);
    if (!is_uniform(*value))
        return false;
    uint16_t known = (uint16_t)(*value >> 8);
    if (known != owner)
        known = SHARED;
    *value = uniform(known, write || *value & 2, (uint32_t)(*value >> 32));
    return true;
}

/* An access of the same bytes told all of this: they lie between two edges without one
 * within. Bytes of one granule begin a new life from the first of them on, so that what is
 * true of that is true of all. */
static bool is_known(const struct learned *learned, uint16_t owner, uint32_t first, uint32_t last,
                     bool write)
{
    uint32_t word = first / 64;
    uint16_t known = learned->owner[first];
    return first / 8 == last / 8 &&
           (learned->edge[word] & word_mask(word, first, last)) == UINT64_C(1) << (first % 64) &&
           (last == PAGE_SIZE - 1 || get_bit(learned->edge, last + 1)) &&
           (known == owner || known == SHARED) && (!write || get_bit(learned->wrote, first));
}

void objects_learn(struct objects *self, uint32_t thread, uint64_t address, uint64_t length,
                   bool write)
{
    if (!length || address >= ADDRESSES || length > ADDRESSES - address)
        return;
    /* Numbers beyond 16 bits share one: sharing between those is assumed. */
    uint16_t owner = thread + 1 < SHARED ? (uint16_t)(thread + 1) : SHARED;
    uint64_t end = address + length;
    if (address >> PAGE_SHIFT == self->last_page && length <= 8 &&
        (end - 1) >> PAGE_SHIFT == self->last_page &&
        is_known(self->last, owner, address & (PAGE_SIZE - 1), (end - 1) & (PAGE_SIZE - 1), write))
        return;
    if (address & (PAGE_SIZE - 1)) /* objects end with their page anyway */
        set_bit(page_learned(self, address >> PAGE_SHIFT)->edge, address & (PAGE_SIZE - 1));
    while (address < end) {
        uint64_t page = address >> PAGE_SHIFT;
        uint64_t stop = (page + 1) << PAGE_SHIFT;
        uint32_t first = address & (PAGE_SIZE - 1);
        uint32_t last = stop <= end ? PAGE_SIZE - 1 : (uint32_t)(end - 1) & (PAGE_SIZE - 1);
        bool whole = first == 0 && last == PAGE_SIZE - 1;
        if (!whole || !learn_whole(self, page, owner, write))
            learn_page(page_learned(self, page), owner, first, last, write);
        address = stop <= end ? stop : end;
    }
    if (end & (PAGE_SIZE - 1))
        set_bit(page_learned(self, end >> PAGE_SHIFT)->edge, end & (PAGE_SIZE - 1));
}

static void collect_uniform(struct objects *self, uint64_t page, uint64_t value)
{
    if ((uint16_t)(value >> 8) == SHARED && value & 2)
        add_object(self, page << PAGE_SHIFT, (uint32_t)(value >> 32), PAGE_SIZE);
}

void objects_collect(struct objects *self)
{
    for (size_t i = map_first(&self->pages); i < self->pages.capacity;
         i = map_following(&self->pages, i)) {
        const struct map_entry *entry = &self->pages.entries[i];
        if (is_uniform(entry->value))
            collect_uniform(self, entry->key, entry->value);
        else
            collect(self, entry->key, (const struct learned *)(uintptr_t)entry->value, 0,
                    PAGE_SIZE - 1);
    }
}
