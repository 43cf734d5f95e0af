#include "base/paged.h"

#include "base/memory.h"

#include <stdlib.h>

/* The first page comes piece by piece as it is used: a huge page would have to be
 * cleared whole, for traces that mostly are small. */
void paged_add(void ***pages, size_t *count, size_t last, size_t bytes)
{
    *pages = memory_resize(*pages, last + 1, sizeof **pages);
    for (; *count <= last; ++*count)
        (*pages)[*count] = *count ? memory_pages(bytes) : memory_small_pages(bytes);
}

void paged_release(void ***pages, size_t *count, size_t bytes)
{
    for (size_t i = 0; i < *count; i++)
        memory_pages_free((*pages)[i], bytes);
    free(*pages);
    *pages = NULL;
    *count = 0;
}
