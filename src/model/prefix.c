/* SPDX-License-Identifier: MIT */
#include "model/prefix.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void prefix_init(struct prefix *prefix, uint32_t threads)
{
    prefix->threads = threads;
    prefix->counts = NEW_ARRAY(uint32_t, threads);
    prefix->open = NEW_ARRAY(const struct holding *, threads);
}

void prefix_free(struct prefix *prefix)
{
    free(prefix->counts);
    free(prefix->open);
}

void prefix_copy(struct prefix *prefix, const struct prefix *from)
{
    memcpy(prefix->counts, from->counts, from->threads * sizeof *from->counts);
    memcpy(prefix->open, from->open, from->threads * sizeof *from->open);
}

bool prefix_raise(struct prefix *prefix, const struct sections *sections, uint32_t thread,
                  uint32_t count)
{
    if (prefix->counts[thread] >= count)
        return false;
    prefix->counts[thread] = count;
    prefix->open[thread] = sections_held_after(sections, thread, count);
    return true;
}

bool prefix_join(struct prefix *prefix, const struct sections *sections, const uint32_t *counts)
{
    bool grew = false;
    for (uint32_t thread = 0; thread < prefix->threads; thread++)
        if (prefix->counts[thread] < counts[thread])
            grew |= prefix_raise(prefix, sections, thread, counts[thread]);
    return grew;
}

/* Of the sections that the thread must end, the one it ends last. */
static const struct section *must_end(const struct prefix *prefix, const struct sections *sections,
                                      uint32_t thread)
{
    const struct section *last = NULL;
    for (const struct holding *held = prefix->open[thread]; held; held = held->outer) {
        const struct section *section = held->section;
        if (section->released_count && (!last || section->released_count > last->released_count) &&
            sections_followed(sections, section, prefix->counts))
            last = section;
    }
    return last;
}

bool prefix_close_until(struct prefix *prefix, const struct sections *sections, uint32_t stop,
                        uint32_t limit)
{
    bool grew = false;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t thread = 0; thread < prefix->threads; thread++) {
            if (!prefix->open[thread])
                continue;
            const struct section *section = must_end(prefix, sections, thread);
            if (!section)
                continue;
            prefix_join(prefix, sections, section->at_release);
            prefix_raise(prefix, sections, thread, section->released_count);
            grew = again = true;
            if (prefix->counts[stop] > limit)
                return true;
        }
    }
    return grew;
}
