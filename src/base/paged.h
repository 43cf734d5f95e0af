/* SPDX-License-Identifier: MIT */
/* An array that grows and whose items never move: zeroed pages of PAGED_ITEMS items,
 * huge ones where the system has them. For tables with an item per variable of the
 * trace, looked up at random.
 *
 *     struct variables PAGED_OF(struct variable);
 *     struct variable *variable = paged_reach(&variables, id);
 *
 * Items may be dropped, never to be asked for again; a page without any others is used
 * for new items. */
#ifndef PREPLAY_BASE_PAGED_H
#define PREPLAY_BASE_PAGED_H

#include <stddef.h>
#include <stdint.h>

#define PAGED_LOG   15
#define PAGED_ITEMS ((size_t)1 << PAGED_LOG)

struct paged_pages {
    void **items;
    size_t count;
    uint32_t *dropped; /* by page: items */
    void *spare;       /* pages to use again, each with a pointer to the next */
};

#define PAGED_OF(type)                                                                             \
    {                                                                                              \
        struct paged_pages pages;                                                                  \
        type *type_of_items; /* NULL */                                                            \
    }

#define PAGED_BYTES(array) (PAGED_ITEMS * sizeof *(array)->type_of_items)

/* Is items[index] there? */
#define paged_has(array, index) ((index) >> PAGED_LOG < (array)->pages.count)
#define paged_at(array, index)                                                                     \
    ((__typeof__((array)->type_of_items))(array)->pages.items[(index) >> PAGED_LOG] +              \
     ((index) & (PAGED_ITEMS - 1)))

/* The item, which is there from now on. */
#define paged_reach(array, index)                                                                  \
    (paged_has(array, index)                                                                       \
         ? (void)0                                                                                 \
         : paged_add(&(array)->pages, (index) >> PAGED_LOG, PAGED_BYTES(array)),                   \
     paged_at(array, index))
/* An item that was reached and dropped by nobody so far. */
#define paged_drop(array, index) paged_drop_from(&(array)->pages, (index) >> PAGED_LOG)
#define paged_free(array)        paged_release(&(array)->pages, PAGED_BYTES(array))

void paged_add(struct paged_pages *pages, size_t last, size_t bytes);
void paged_drop_from(struct paged_pages *pages, size_t page);
void paged_release(struct paged_pages *pages, size_t bytes);

#endif
