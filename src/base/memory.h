/* Allocation for the offline tool. Running out of memory is not a condition any
 * caller can mend, so these never return NULL: they print one line and exit
 * with code 4. Nothing here may be used inside a target (src/runtime). */
#ifndef PREPLAY_BASE_MEMORY_H
#define PREPLAY_BASE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t count, size_t size) __attribute__((malloc));
void *memory_zero(size_t count, size_t size) __attribute__((malloc));
void *memory_resize(void *block, size_t count, size_t size);
void *memory_copy(const void *block, size_t bytes) __attribute__((malloc));

/* Zeroed memory for large tables that are looked up at random, on huge pages where
 * the system has them: a look-up then waits for its cache line, not for the page
 * table as well. */
void *memory_pages(size_t bytes) __attribute__((malloc));
void memory_pages_free(void *block, size_t bytes);
/* A larger copy, the new part zeroed; `block` may be NULL with `bytes` 0. */
void *memory_pages_grow(void *block, size_t bytes, size_t wanted);

#define NEW(type)              ((type *)memory_zero(1, sizeof(type)))
#define NEW_ARRAY(type, count) ((type *)memory_zero((count), sizeof(type)))

#endif
