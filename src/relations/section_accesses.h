/* SPDX-License-Identifier: MIT */
/* Which critical sections of a mutex accessed which variable: for a new access,
 * the latest earlier section of the same mutex, by another thread, that contains a
 * conflicting one (rule (a) of causally-precedes and its weaker sister).
 *
 * Sections of one mutex follow each other, so the latest such section stands for
 * all; two are remembered per mutex, variable and kind, of different threads, so
 * that there is one that is not the reader's own. */
#ifndef PREPLAY_RELATIONS_SECTION_ACCESSES_H
#define PREPLAY_RELATIONS_SECTION_ACCESSES_H

#include "base/arena.h"
#include "base/map.h"

/* A section as its caller knows it; `thread_plus_one` 0 is none. */
struct section_ref {
    uint32_t thread_plus_one;
    void *section;
};

struct section_access {
    struct section_ref reads[2], writes[2]; /* the latest first */
    uint8_t pending;                        /* SECTION_*: by the section that is open now */
};

enum { SECTION_READS = 1, SECTION_WRITES = 2 };

/* A zeroed one is empty. */
struct section_accesses {
    struct map index; /* (lock, variable) -> struct section_access * */
    struct arena arena;
};

struct section_access *section_access_at(struct section_accesses *accesses, uint32_t lock,
                                         uint32_t variable);
void section_accesses_free(struct section_accesses *accesses);

/* The latest section in `refs` that is not of `thread`; NULL if there is none. */
static inline void *section_ref_of_other(const struct section_ref refs[2], uint32_t thread)
{
    return refs[refs[0].thread_plus_one == thread + 1].section;
}

/* `section`, of `thread`, is the latest now. Returns what is remembered no longer. */
void *section_ref_push(struct section_ref refs[2], uint32_t thread, void *section);

#endif
