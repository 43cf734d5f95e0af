#include "trace/binary_objects.h"

#include "base/array.h"
#include "base/map.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1u << PAGE_SHIFT)
#define GRANULES   (PAGE_SIZE / 8)
#define SHARED     UINT16_MAX
#define ADDRESSES  (UINT64_C(1) << 56) /* beyond this nothing is mapped */

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

/* A uniform page as a map value: the lowest bit set, then wrote, owner and life.
 * A pointer to a struct learned has the lowest bit clear. */
static uint64_t uniform(uint16_t owner, bool wrote, uint32_t life)
{
    return (uint64_t)life << 32 | (uint64_t)owner << 8 | (uint64_t)wrote << 1 | 1;
}

static bool is_uniform(uint64_t value)
{
    return value & 1;
}

struct extent {
    uint64_t address;
    uint32_t life, length;
};

struct objects {
    bool settled;
    uint32_t lives;   /* objects_begin() calls so far in this pass */
    struct map pages; /* page number -> struct learned *, or uint32_t * in pass two */
    struct extents ARRAY_OF(struct extent) extents;   /* sorted once settled */
    struct page_numbers ARRAY_OF(uint64_t) populated; /* pass two: pages that ever have objects */
    size_t installed;                                 /* pass two: extents whose life has begun */
    struct ended_objects ARRAY_OF(uint32_t) ended;    /* pass two: not taken yet */
    /* The page of the last access: most are near. */
    uint64_t last_page;
    void *last;
};

struct objects *objects_create(void)
{
    struct objects *self = NEW(struct objects);
    self->last_page = UINT64_MAX;
    return self;
}

static void free_pages(struct objects *self)
{
    for (size_t i = map_first(&self->pages); i < self->pages.capacity;
         i = map_following(&self->pages, i))
        if (!is_uniform(self->pages.entries[i].value))
            free((void *)(uintptr_t)self->pages.entries[i].value);
    map_free(&self->pages);
    self->last_page = UINT64_MAX;
    self->last = NULL;
}

void objects_destroy(struct objects *self)
{
    if (!self)
        return;
    free_pages(self);
    array_free(&self->extents);
    array_free(&self->populated);
    array_free(&self->ended);
    free(self);
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
static struct learned *expand(uint64_t value)
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

/* The page's content, expanded if need be; NULL if nothing is known about it. */
static void *page_find(struct objects *self, uint64_t page)
{
    if (page == self->last_page)
        return self->last;
    uint64_t *found = map_find(&self->pages, page);
    if (!found)
        return NULL;
    if (is_uniform(*found))
        *found = (uint64_t)(uintptr_t)expand(*found);
    self->last_page = page;
    return self->last = (void *)(uintptr_t)*found;
}

static struct learned *page_learned(struct objects *self, uint64_t page)
{
    struct learned *learned = page_find(self, page);
    if (learned)
        return learned;
    learned = expand(uniform(0, false, self->lives));
    learned->edge[0] = 0;
    *map_at(&self->pages, page, NULL) = (uint64_t)(uintptr_t)learned;
    self->last_page = page;
    return self->last = learned;
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
        struct extent extent = {.address = page << PAGE_SHIFT | start,
                                .life = learned->life[start / 8],
                                .length = at - start};
        array_push(&self->extents, extent);
    }
}

static void renew_page(struct objects *self, uint64_t page, struct learned *learned, uint32_t first,
                       uint32_t last)
{
    collect(self, page, learned, first, last);
    memset(learned->owner + first, 0, (last - first + 1) * sizeof *learned->owner);
    clear_bits(learned->edge, first, last);
    clear_bits(learned->wrote, first, last);
    for (uint32_t i = first / 8; i <= last / 8; i++)
        learned->life[i] = self->lives;
}

/* Those that lie within the bytes as a whole: of others something is left. */
static void list_ended(struct objects *self, const uint32_t *objects, uint64_t start,
                       uint32_t first, uint32_t last)
{
    for (uint32_t at = first; at <= last; at++) {
        if (!objects[at])
            continue;
        const struct extent *extent = &self->extents.items[objects[at] - 1];
        if (extent->address != start + at)
            continue;
        if (at + extent->length - 1 <= last)
            array_push(&self->ended, objects[at] - 1);
        at += extent->length - 1;
    }
}

static void clear_page(uint32_t *objects, uint32_t first, uint32_t last)
{
    memset(objects + first, 0, (last - first + 1) * sizeof *objects);
}

static void begin_page(struct objects *self, uint64_t page, uint64_t low, uint64_t high)
{
    uint64_t start = page << PAGE_SHIFT;
    void *content = page_find(self, page);
    if (!content)
        return;
    uint32_t first = low > start ? (uint32_t)(low - start) : 0;
    uint32_t last = high < start + PAGE_SIZE ? (uint32_t)(high - start) - 1 : PAGE_SIZE - 1;
    if (self->settled) {
        list_ended(self, content, start, first, last);
        clear_page(content, first, last);
    } else {
        renew_page(self, page, content, first, last);
    }
}

/* Pass two: the objects of the lives that have begun get their bytes. */
static void install(struct objects *self)
{
    while (self->installed < self->extents.count &&
           self->extents.items[self->installed].life <= self->lives) {
        const struct extent *extent = &self->extents.items[self->installed++];
        uint64_t page = extent->address >> PAGE_SHIFT;
        uint32_t *objects = page_find(self, page);
        if (!objects) {
            objects = NEW_ARRAY(uint32_t, PAGE_SIZE);
            *map_at(&self->pages, page, NULL) = (uint64_t)(uintptr_t)objects;
        }
        uint32_t first = extent->address & (PAGE_SIZE - 1);
        for (uint32_t i = 0; i < extent->length; i++)
            objects[first + i] = (uint32_t)self->installed; /* its number plus one */
    }
}

void objects_begin(struct objects *self, uint64_t address, uint64_t length)
{
    if (!length || address >= ADDRESSES)
        return;
    if (length > ADDRESSES - address)
        length = ADDRESSES - address;
    uint64_t high = address + length;
    uint64_t first = address >> PAGE_SHIFT, last = (high - 1) >> PAGE_SHIFT;
    self->lives++;
    if (last - first < self->pages.count) {
        for (uint64_t page = first; page <= last; page++)
            begin_page(self, page, address, high);
    } else {
        for (size_t i = map_first(&self->pages); i < self->pages.capacity;
             i = map_following(&self->pages, i)) {
            const struct map_entry *entry = &self->pages.entries[i];
            if (entry->key >= first && entry->key <= last)
                begin_page(self, entry->key, address, high);
        }
    }
    if (self->settled)
        install(self);
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

static int by_life(const void *a, const void *b)
{
    const struct extent *left = a, *right = b;
    if (left->life != right->life)
        return left->life < right->life ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
}

static void collect_uniform(struct objects *self, uint64_t page, uint64_t value)
{
    struct extent extent = {
        .address = page << PAGE_SHIFT, .life = (uint32_t)(value >> 32), .length = PAGE_SIZE};
    if ((uint16_t)(value >> 8) == SHARED && value & 2)
        array_push(&self->extents, extent);
}

static int by_page(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* So that a long access skips what nobody shares. */
static void list_pages(struct objects *self)
{
    for (size_t i = 0; i < self->extents.count; i++) {
        uint64_t page = self->extents.items[i].address >> PAGE_SHIFT;
        if (!self->populated.count || array_last(&self->populated) != page)
            array_push(&self->populated, page);
    }
    if (self->populated.count)
        qsort(self->populated.items, self->populated.count, sizeof(uint64_t), by_page);
}

/* The first page from this one on that ever has objects. */
static uint64_t next_populated(const struct objects *self, uint64_t page)
{
    size_t low = 0, high = self->populated.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->populated.items[middle] < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->populated.count ? self->populated.items[low] : UINT64_MAX >> PAGE_SHIFT;
}

void objects_settle(struct objects *self)
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
    free_pages(self);
    if (self->extents.count)
        qsort(self->extents.items, self->extents.count, sizeof *self->extents.items, by_life);
    list_pages(self);
    self->settled = true;
    self->lives = 0;
    install(self);
}

uint32_t objects_find(const struct objects *const_self, uint64_t *address, uint64_t end)
{
    struct objects *self = (struct objects *)const_self; /* the cache of the last page */
    uint64_t at = *address;
    if (end > ADDRESSES)
        end = ADDRESSES;
    while (at < end) {
        uint64_t page = at >> PAGE_SHIFT;
        uint64_t stop = (page + 1) << PAGE_SHIFT;
        if (stop > end)
            stop = end;
        const uint32_t *objects = page_find(self, page);
        for (; objects && at < stop; at++) {
            uint32_t number = objects[at & (PAGE_SIZE - 1)];
            if (!number)
                continue;
            const struct extent *extent = &self->extents.items[number - 1];
            *address = extent->address + extent->length;
            return number - 1;
        }
        at = stop;
        if (!objects && at < end) {
            uint64_t next = next_populated(self, page + 1) << PAGE_SHIFT;
            at = next > at ? next : at;
        }
    }
    *address = end;
    return OBJECT_NONE;
}

uint64_t objects_address(const struct objects *self, uint32_t object)
{
    return self->extents.items[object].address;
}

uint64_t objects_length(const struct objects *self, uint32_t object)
{
    return self->extents.items[object].length;
}

uint32_t objects_count(const struct objects *self)
{
    return (uint32_t)self->extents.count;
}

size_t objects_take_ended(struct objects *self, const uint32_t **ended)
{
    size_t count = self->ended.count;
    *ended = self->ended.items;
    self->ended.count = 0;
    return count;
}
