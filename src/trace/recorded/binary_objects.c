/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_objects_state.h"

#include "base/sorted.h"

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
        if (self->settled)
            object_page_destroy((void *)(uintptr_t)self->pages.entries[i].value);
        else if (!is_uniform(self->pages.entries[i].value))
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
    array_free(&self->by_address);
    array_free(&self->ended);
    free(self);
}

/* The page's content, expanded if need be; NULL if nothing is known about it. */
void *objects_page(struct objects *self, uint64_t page)
{
    if (page == self->last_page)
        return self->last;
    uint64_t *found = map_find(&self->pages, page);
    if (!found)
        return NULL;
    if (is_uniform(*found))
        *found = (uint64_t)(uintptr_t)objects_expand(*found);
    self->last_page = page;
    return self->last = (void *)(uintptr_t)*found;
}

static uint32_t offset_of(const struct extent *extent)
{
    return (uint32_t)extent->address & (PAGE_SIZE - 1);
}

/* Those that lie within the bytes as a whole: of others something is left. */
static void list_ended(struct objects *self, const struct object_page *page, uint32_t first,
                       uint32_t last)
{
    uint32_t number;
    for (uint32_t at = first; (at = object_page_find(page, at, last, &number)) <= last;) {
        const struct extent *extent = &self->extents.items[number];
        uint32_t index = (at - offset_of(extent)) / extent->length,
                 start = offset_of(extent) + index * extent->length,
                 end = start + extent->length - 1;
        if (start >= first && end <= last && start == at)
            array_push(&self->ended, extent->first + index);
        at = end + 1;
    }
}

static void begin_page(struct objects *self, uint64_t page, uint64_t low, uint64_t high)
{
    uint64_t start = page << PAGE_SHIFT;
    void *content = objects_page(self, page);
    if (!content)
        return;
    uint32_t first = low > start ? (uint32_t)(low - start) : 0;
    uint32_t last = high < start + PAGE_SIZE ? (uint32_t)(high - start) - 1 : PAGE_SIZE - 1;
    if (self->settled) {
        list_ended(self, content, first, last);
        object_page_clear(content, first, last);
    } else {
        objects_renew(self, page, content, first, last);
    }
}

/* Pass two: the objects of the lives that have begun get their bytes. */
static void install(struct objects *self)
{
    while (self->installed < self->extents.count &&
           self->extents.items[self->installed].life <= self->lives) {
        const struct extent *extent = &self->extents.items[self->installed];
        uint64_t number = extent->address >> PAGE_SHIFT;
        struct object_page *page = objects_page(self, number);
        if (!page) {
            page = object_page_create();
            *map_at(&self->pages, number, NULL) = (uint64_t)(uintptr_t)page;
        }
        uint32_t first = offset_of(extent);
        object_page_set(page, first, first + (uint32_t)extent->length * extent->count - 1,
                        (uint32_t)self->installed++);
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

static int by_life(const void *a, const void *b)
{
    const struct extent *left = a, *right = b;
    if (left->life != right->life)
        return left->life < right->life ? -1 : 1;
    return (left->address > right->address) - (left->address < right->address);
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
    objects_collect(self);
    free_pages(self);
    if (self->extents.count)
        qsort(self->extents.items, self->extents.count, sizeof *self->extents.items, by_life);
    list_pages(self);
    for (size_t i = 0; i < self->extents.count; i++) {
        self->extents.items[i].first = self->count;
        self->count += self->extents.items[i].count;
    }
    self->settled = true;
    self->lives = 0;
    install(self);
}

void objects_rewind(struct objects *self)
{
    free_pages(self);
    self->lives = 0;
    self->installed = self->ended.count = 0;
    install(self);
}

/* The first byte in [at, end) that belongs to an extent: true, and where. */
static bool find_byte(struct objects *self, uint64_t *at, uint64_t end, uint32_t *extent)
{
    while (*at < end) {
        uint64_t page = *at >> PAGE_SHIFT, start = page << PAGE_SHIFT, stop = start + PAGE_SIZE;
        if (stop > end)
            stop = end;
        const struct object_page *objects = objects_page(self, page);
        uint32_t found = objects ? object_page_find(objects, (uint32_t)(*at - start),
                                                    (uint32_t)(stop - start) - 1, extent)
                                 : PAGE_SIZE;
        if (found < PAGE_SIZE) {
            *at = start + found;
            return true;
        }
        *at = stop;
        if (!objects && *at < end) {
            uint64_t next = next_populated(self, page + 1) << PAGE_SHIFT;
            *at = next > *at ? next : *at;
        }
    }
    return false;
}

uint32_t objects_next(const struct objects *const_self, uint64_t *address, uint64_t end,
                      uint32_t *length)
{
    struct objects *self = (struct objects *)const_self; /* the cache of the last page */
    uint64_t at = *address;
    uint32_t number;
    if (end > ADDRESSES)
        end = ADDRESSES;
    if (!find_byte(self, &at, end, &number)) {
        *address = end;
        return OBJECT_NONE;
    }
    const struct extent *extent = &self->extents.items[number];
    uint32_t index = (uint32_t)(at - extent->address) / extent->length;
    *address = extent->address + (uint64_t)(index + 1) * extent->length;
    *length = extent->length;
    return extent->first + index;
}

uint32_t objects_find(const struct objects *self, uint64_t *address, uint64_t end)
{
    uint32_t length;
    return objects_next(self, address, end, &length);
}

uint32_t objects_find_extent(const struct objects *const_self, uint64_t *address, uint64_t end)
{
    struct objects *self = (struct objects *)const_self;
    uint32_t number;
    if (end > ADDRESSES)
        end = ADDRESSES;
    if (!find_byte(self, address, end, &number))
        return OBJECT_NONE;
    const struct extent *extent = &self->extents.items[number];
    *address = extent->address + (uint64_t)extent->count * extent->length;
    return number;
}

uint32_t objects_extent(const struct objects *self, uint32_t object)
{
    return SORTED_POINT(middle, 0, (uint32_t)self->extents.count,
                        self->extents.items[middle].first <= object) -
           1;
}

uint64_t objects_address(const struct objects *self, uint32_t object)
{
    const struct extent *extent = &self->extents.items[objects_extent(self, object)];
    return extent->address + (uint64_t)(object - extent->first) * extent->length;
}

uint64_t objects_length(const struct objects *self, uint32_t object)
{
    return self->extents.items[objects_extent(self, object)].length;
}

uint32_t objects_count(const struct objects *self)
{
    return self->count;
}

size_t objects_take_ended(struct objects *self, const uint32_t **ended)
{
    size_t count = self->ended.count;
    *ended = self->ended.items;
    self->ended.count = 0;
    return count;
}
