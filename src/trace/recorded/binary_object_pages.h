/* SPDX-License-Identifier: MIT */
/* A page of memory in the second pass: which extent (binary_objects_state.h) each of its bytes
 * belongs to. An array takes one piece; a page of many small objects gets a table of bytes. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_OBJECT_PAGES_H
#define PREPLAY_TRACE_RECORDED_BINARY_OBJECT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

enum { PAGE_PIECES = 6 };

#define PAGE_SHIFT 12
#define PAGE_SIZE  (1u << PAGE_SHIFT)

struct page_piece {
    uint16_t first, last;
    uint32_t extent;
};

struct object_page {
    uint32_t *table; /* by byte: extent plus one; NULL: pieces instead */
    uint32_t count;
    struct page_piece pieces[PAGE_PIECES]; /* ascending */
};

struct object_page *object_page_create(void);
void object_page_destroy(struct object_page *page);

/* These bytes, which belong to none, belong to the extent. */
void object_page_set(struct object_page *page, uint32_t first, uint32_t last, uint32_t extent);
void object_page_clear(struct object_page *page, uint32_t first, uint32_t last);

/* The first byte from `at` up to `last` that belongs to an extent: PAGE_SIZE if there is none. */
uint32_t object_page_find(const struct object_page *page, uint32_t at, uint32_t last,
                          uint32_t *extent);

#endif
