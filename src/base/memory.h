/* SPDX-License-Identifier: MIT */
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
/* The same on small pages, which come one by one as they are used. */
void *memory_small_pages(size_t bytes) __attribute__((malloc));
/* Frees either; `block` may be NULL. */
void memory_pages_free(void *block, size_t bytes);

#define NEW(type)              ((type *)memory_zero(1, sizeof(type)))
#define NEW_ARRAY(type, count) ((type *)memory_zero((count), sizeof(type)))

#endif
