/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_names.h"

#include "base/array.h"
#include "base/map.h"
#include "trace/encoding.h"

#include <inttypes.h>
#include <stdio.h>

struct addresses ARRAY_OF(uint64_t);

struct binary_names {
    struct symbols *symbols;
    struct map objects[CLASS_COUNT]; /* address -> number */
    struct map pages;                /* page -> index into `by_page` plus one */
    struct page_lists ARRAY_OF(struct addresses) by_page;
    struct map uses[CLASS_COUNT]; /* address -> how many names it has had */
    uint32_t count;
};

struct binary_names *binary_names_create(struct symbols *symbols)
{
    struct binary_names *self = NEW(struct binary_names);
    self->symbols = symbols;
    return self;
}

void binary_names_reset(struct binary_names *self)
{
    for (int class = 0; class < CLASS_COUNT; class ++) {
        map_free(&self->objects[class]);
        map_free(&self->uses[class]);
    }
    for (size_t i = 0; i < self->by_page.count; i++)
        array_free(&self->by_page.items[i]);
    array_free(&self->by_page);
    map_free(&self->pages);
    self->count = 0;
}

void binary_names_destroy(struct binary_names *self)
{
    if (!self)
        return;
    binary_names_reset(self);
    free(self);
}

static void list_address(struct binary_names *self, uint64_t address)
{
    bool added;
    uint64_t *list = map_at(&self->pages, address >> 12, &added);
    if (added) {
        struct addresses empty = {0};
        array_push(&self->by_page, empty);
        *list = self->by_page.count - 1;
    }
    array_push(&self->by_page.items[*list], address);
}

uint32_t binary_names_sync(struct binary_names *self, enum object_class class, uint64_t address)
{
    bool added;
    uint64_t *number = map_at(&self->objects[class], address == UINT64_MAX ? 0 : address, &added);
    if (added) {
        *number = self->count++;
        list_address(self, address);
    }
    return (uint32_t)*number;
}

static void forget_page(struct binary_names *self, struct addresses *list, uint64_t low,
                        uint64_t high)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t address = list->items[i];
        if (address < low || address >= high) {
            list->items[kept++] = address;
            continue;
        }
        for (int class = 0; class < CLASS_COUNT; class ++)
            map_remove(&self->objects[class], address == UINT64_MAX ? 0 : address);
    }
    list->count = kept;
}

void binary_names_forget(struct binary_names *self, uint64_t address, uint64_t length)
{
    if (!length || !self->pages.count)
        return;
    uint64_t high = address + length < address ? UINT64_MAX : address + length;
    uint64_t first = address >> 12, last = (high - 1) >> 12;
    if (last - first < self->pages.count) {
        for (uint64_t page = first; page <= last; page++) {
            uint64_t *list = map_find(&self->pages, page);
            if (list)
                forget_page(self, &self->by_page.items[*list], address, high);
        }
        return;
    }
    for (size_t i = 0; i < self->by_page.count; i++)
        forget_page(self, &self->by_page.items[i], address, high);
}

bool binary_names_is_global(const struct binary_names *self, uint64_t address)
{
    uint64_t offset;
    return symbols_data(self->symbols, address & ~RECORD_EDGE, &offset) != NULL;
}

/* "calls into libfoo.so.1" */
static int describe_library(const struct binary_names *self, uint64_t object,
                            char text[BINARY_NAME_LENGTH])
{
    uint64_t offset;
    const char *path = symbols_module(self->symbols, record_edge_library(object), &offset);
    const char *slash = path ? strrchr(path, '/') : NULL;
    int length = snprintf(text, BINARY_NAME_LENGTH, "calls into %s",
                          slash  ? slash + 1
                          : path ? path
                                 : "a library");
    return length < BINARY_NAME_LENGTH ? length : BINARY_NAME_LENGTH - 1;
}

int binary_names_describe(const struct binary_names *self, uint64_t address,
                          char text[BINARY_NAME_LENGTH])
{
    uint64_t offset = 0;
    if (record_is_library_edge(address))
        return describe_library(self, address, text);
    const char *beside = address & RECORD_EDGE ? "order of " : "";
    if (*beside)
        address &= ~RECORD_EDGE;
    const char *symbol = symbols_data(self->symbols, address, &offset);
    int length = symbol && offset
                     ? snprintf(text, BINARY_NAME_LENGTH, "%s%s+%" PRIu64, beside, symbol, offset)
                 : symbol ? snprintf(text, BINARY_NAME_LENGTH, "%s%s", beside, symbol)
                          : snprintf(text, BINARY_NAME_LENGTH, "%s0x%" PRIx64, beside, address);
    return length < BINARY_NAME_LENGTH ? length : BINARY_NAME_LENGTH - 1;
}

int binary_names_show(const struct binary_names *self, uint64_t address, uint64_t length,
                      char text[BINARY_NAME_LENGTH])
{
    char path[BINARY_NAME_LENGTH];
    uint64_t offset;
    const char *beside = address & RECORD_EDGE ? "order of " : "";
    const char *symbol = symbols_data(self->symbols, address & ~RECORD_EDGE, &offset);
    if (!symbol ||
        !symbols_member(self->symbols, address & ~RECORD_EDGE, length, path, sizeof path))
        return binary_names_describe(self, address, text);
    int used = snprintf(text, BINARY_NAME_LENGTH, "%s%s%s", beside, symbol, path);
    return used < BINARY_NAME_LENGTH ? used : BINARY_NAME_LENGTH - 1;
}

uint32_t binary_names_latch(struct binary_names *self, struct trace *trace, uint64_t address,
                            uint32_t number)
{
    char text[BINARY_NAME_LENGTH + 32];
    int length = binary_names_describe(self, address, text);
    length += snprintf(text + length, sizeof text - (size_t)length, ":signal:%" PRIu32, number);
    return intern(trace->names[CLASS_ONCE], text, (size_t)length);
}

uint32_t binary_names_intern(struct binary_names *self, struct trace *trace,
                             enum object_class class, uint64_t address)
{
    char text[BINARY_NAME_LENGTH + 32];
    int length = binary_names_show(self, address, 0, text);
    uint32_t before = intern_count(trace->names[class]);
    uint32_t id = intern(trace->names[class], text, (size_t)length);
    if (id == before) /* nearly always: the first of its name */
        return id;
    uint64_t *uses = map_at(&self->uses[class], address == UINT64_MAX ? 0 : address, NULL);
    do {
        int more = snprintf(text + length, sizeof text - (size_t)length, "#%" PRIu64, ++*uses + 1);
        before = intern_count(trace->names[class]);
        id = intern(trace->names[class], text, (size_t)(length + more));
    } while (id != before && *uses < UINT32_MAX);
    return id;
}
