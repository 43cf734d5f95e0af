/* SPDX-License-Identifier: MIT */
#include "trace/recorded/binary_object_pages.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct object_page *object_page_create(void)
{
    return NEW(struct object_page);
}

void object_page_destroy(struct object_page *page)
{
    free(page->table);
    free(page);
}

static void fill(uint32_t *table, uint32_t first, uint32_t last, uint32_t value)
{
    for (uint32_t i = first; i <= last; i++)
        table[i] = value;
}

static void make_table(struct object_page *page)
{
    page->table = NEW_ARRAY(uint32_t, PAGE_SIZE);
    for (uint32_t i = 0; i < page->count; i++)
        fill(page->table, page->pieces[i].first, page->pieces[i].last, page->pieces[i].extent + 1);
    page->count = 0;
}

static void insert(struct object_page *page, uint32_t at, struct page_piece piece)
{
    assert(page->count < PAGE_PIECES);
    memmove(&page->pieces[at + 1], &page->pieces[at], (page->count - at) * sizeof piece);
    page->pieces[at] = piece;
    page->count++;
}

void object_page_set(struct object_page *page, uint32_t first, uint32_t last, uint32_t extent)
{
    if (!page->table && page->count == PAGE_PIECES)
        make_table(page);
    if (page->table) {
        fill(page->table, first, last, extent + 1);
        return;
    }
    uint32_t at = page->count;
    while (at && page->pieces[at - 1].first > first)
        at--;
    insert(page, at, (struct page_piece){(uint16_t)first, (uint16_t)last, extent});
}

/* What is left of a piece: nothing, one end, or both. */
void object_page_clear(struct object_page *page, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; !page->table && i < page->count;) {
        struct page_piece *piece = &page->pieces[i], right = *piece;
        bool keeps_left = piece->first<first, keeps_right = piece->last> last;
        if (piece->last < first || piece->first > last) {
            i++;
        } else if (!keeps_left && !keeps_right) {
            memmove(piece, piece + 1, (--page->count - i) * sizeof *piece);
        } else if (keeps_left && keeps_right && page->count == PAGE_PIECES) {
            make_table(page);
        } else {
            if (keeps_left)
                piece->last = (uint16_t)(first - 1);
            else
                piece->first = (uint16_t)(last + 1);
            right.first = (uint16_t)(last + 1);
            if (keeps_left && keeps_right)
                insert(page, i + 1, right);
            i++;
        }
    }
    if (page->table)
        memset(page->table + first, 0, (last - first + 1) * sizeof *page->table);
}

uint32_t object_page_find(const struct object_page *page, uint32_t at, uint32_t last,
                          uint32_t *extent)
{
    if (page->table) {
        for (; at <= last; at++)
            if (page->table[at]) {
                *extent = page->table[at] - 1;
                return at;
            }
        return PAGE_SIZE;
    }
    for (uint32_t i = 0; i < page->count && page->pieces[i].first <= last; i++)
        if (page->pieces[i].last >= at) {
            *extent = page->pieces[i].extent;
            return page->pieces[i].first > at ? page->pieces[i].first : at;
        }
    return PAGE_SIZE;
}
