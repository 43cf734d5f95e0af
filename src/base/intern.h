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

/* What tells a text from others: all of it, if it is no longer than INTERN_SHORT
 * bytes, as most are; else a hash. At least INTERN_PADDING bytes are read of any. */
#define INTERN_SHORT   11
#define INTERN_PADDING 12
struct intern_key {
    uint64_t first;
    uint32_t rest;
    uint32_t length;
    size_t hash;
};

/* intern() in two steps, for a caller that has other work in between: the first
 * brings the text's slot into the cache. At least INTERN_PADDING bytes can be read
 * from `text`, whatever they are. */
void intern_prepare(const struct interner *interner, const char *text, size_t length,
                    struct intern_key *key);
uint32_t intern_prepared(struct interner *interner, const char *text, const struct intern_key *key);
/* INTERN_NONE when the text was never interned. */
uint32_t intern_find(const struct interner *interner, const char *text, size_t length);
const char *intern_text(const struct interner *interner, uint32_t id);
size_t intern_length(const struct interner *interner, uint32_t id);
uint32_t intern_count(const struct interner *interner);

#endif
