/* SPDX-License-Identifier: MIT */
#include "relations/section_accesses.h"

struct section_access *section_access_at(struct section_accesses *accesses, uint32_t lock,
                                         uint32_t variable)
{
    bool added;
    uint64_t *place = map_at(&accesses->index, map_pair(lock, variable), &added);
    if (added) {
        struct section_access *access = arena_alloc(&accesses->arena, sizeof *access);
        *access = (struct section_access){0};
        *place = (uint64_t)(uintptr_t)access;
    }
    return (struct section_access *)(uintptr_t)*place;
}

void section_accesses_free(struct section_accesses *accesses)
{
    map_free(&accesses->index);
    arena_free(&accesses->arena);
}

void *section_ref_push(struct section_ref refs[2], uint32_t thread, void *section)
{
    struct section_ref fresh = {thread + 1, section};
    void *forgotten = refs[0].section;
    if (refs[0].thread_plus_one != thread + 1) {
        forgotten = refs[1].section;
        refs[1] = refs[0];
    }
    refs[0] = fresh;
    return forgotten;
}
