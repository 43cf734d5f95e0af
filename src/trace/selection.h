/* SPDX-License-Identifier: MIT */
/* Which plain accesses of a long recording are delivered (model/sift.h decides). Every other
 * event is: what is left out are accesses of variables that come in the same order in every
 * correct reordering, but for a sample of them. */
#ifndef PREPLAY_TRACE_SELECTION_H
#define PREPLAY_TRACE_SELECTION_H

#include "base/array.h"
#include "base/map.h"

/* Shared by a trace and those that read it again. */
struct selection {
    uint32_t references;
    struct kept_variables ARRAY_OF(uint64_t) kept; /* bits by variable: all accesses of it are */
    struct map moments;  /* thread, and its synchronisation so far: something is sampled there */
    struct map accesses; /* those samples, as selection_key() */
};

struct selection *selection_create(void);
struct selection *selection_share(struct selection *selection);
void selection_release(struct selection *selection);

/* Delivers all accesses of a variable. */
void selection_keep(struct selection *selection, uint32_t variable);
/* Delivers those of a variable by the code at a location, in the thread's n-th segment. */
void selection_sample(struct selection *selection, uint32_t thread, uint32_t segment,
                      uint32_t location, uint32_t variable);

static inline bool selection_keeps(const struct selection *selection, uint32_t variable)
{
    return variable / 64 < selection->kept.count &&
           selection->kept.items[variable / 64] >> (variable % 64) & 1;
}

/* Is anything of that segment sampled? */
static inline bool selection_looks(const struct selection *selection, uint32_t thread,
                                   uint32_t segment)
{
    return map_find(&selection->moments, map_pair(thread, segment)) != NULL;
}

bool selection_has_sample(const struct selection *selection, uint32_t thread, uint32_t segment,
                          uint32_t location, uint32_t variable);

#endif
