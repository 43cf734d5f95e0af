/* SPDX-License-Identifier: MIT */
/* Interned strings: equal strings get the same dense id, 0, 1, 2 ... in order of
 * first appearance, and a stable, NUL-terminated copy. */
#ifndef PREPLAY_BASE_INTERN_H
#define PREPLAY_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct interner;

struct interner *interner_create(void);
void interner_destroy(struct interner *interner);

uint32_t intern(struct interner *interner, const char *text, size_t length);

/* INTERN_NONE when the text was never interned. */
uint32_t intern_find(const struct interner *interner, const char *text, size_t length);
const char *intern_text(const struct interner *interner, uint32_t id);
size_t intern_length(const struct interner *interner, uint32_t id);
uint32_t intern_count(const struct interner *interner);

#endif
