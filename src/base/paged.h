/* An array that grows and whose items never move: zeroed pages of PAGED_ITEMS items,
 * huge ones where the system has them. For tables with an item per variable of the
 * trace, looked up at random.
 *
 *     struct variables PAGED_OF(struct variable);
 *     struct variable *variable = paged_reach(&variables, id);
 */
#ifndef PREPLAY_BASE_PAGED_H
#define PREPLAY_BASE_PAGED_H

#include <stddef.h>

#define PAGED_LOG   15
#define PAGED_ITEMS ((size_t)1 << PAGED_LOG)

#define PAGED_OF(type)                                                                             \
    {                                                                                              \
        type **pages;                                                                              \
        size_t count; /* of pages */                                                               \
    }

/* Is items[index] there? */
#define paged_has(array, index) ((index) >> PAGED_LOG < (array)->count)
#define paged_at(array, index)  (&(array)->pages[(index) >> PAGED_LOG][(index) & (PAGED_ITEMS - 1)])

/* The item, which is there from now on. */
#define paged_reach(array, index)                                                                  \
    (paged_has(array, index)                                                                       \
         ? (void)0                                                                                 \
         : paged_add((void ***)&(array)->pages, &(array)->count, (index) >> PAGED_LOG,             \
                     PAGED_ITEMS * sizeof **(array)->pages),                                       \
     paged_at(array, index))
#define paged_free(array)                                                                          \
    paged_release((void ***)&(array)->pages, &(array)->count, PAGED_ITEMS * sizeof **(array)->pages)

void paged_add(void ***pages, size_t *count, size_t last, size_t bytes);
void paged_release(void ***pages, size_t *count, size_t bytes);

#endif
