/* SPDX-License-Identifier: MIT */
#include "base/paged.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The first page comes piece by piece as it is used: a huge page would have to be
 * cleared whole, for traces that mostly are small. */
static void *new_page(struct paged_pages *pages, size_t bytes)
{
    void *page = pages->spare;
    if (!page)
        return pages->count ? memory_pages(bytes) : memory_small_pages(bytes);
    memcpy(&pages->spare, page, sizeof pages->spare);
    memset(page, 0, bytes);
    return page;
}

void paged_add(struct paged_pages *pages, size_t last, size_t bytes)
{
    pages->items = memory_resize(pages->items, last + 1, sizeof *pages->items);
    pages->dropped = memory_resize(pages->dropped, last + 1, sizeof *pages->dropped);
    for (; pages->count <= last; pages->count++) {
        pages->items[pages->count] = new_page(pages, bytes);
        pages->dropped[pages->count] = 0;
    }
}

void paged_drop_from(struct paged_pages *pages, size_t page)
{
    if (++pages->dropped[page] < PAGED_ITEMS)
        return;
    memcpy(pages->items[page], &pages->spare, sizeof pages->spare);
    pages->spare = pages->items[page];
    pages->items[page] = NULL;
}

void paged_release(struct paged_pages *pages, size_t bytes)
{
    for (void *page = pages->spare, *next; page; page = next) {
        memcpy(&next, page, sizeof next);
        memory_pages_free(page, bytes);
    }
    for (size_t i = 0; i < pages->count; i++)
        memory_pages_free(pages->items[i], bytes);
    free(pages->items);
    free(pages->dropped);
    *pages = (struct paged_pages){0};
}
