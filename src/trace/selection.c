/* SPDX-License-Identifier: MIT */
#include "trace/selection.h"

struct selection *selection_create(void)
{
    struct selection *selection = NEW(struct selection);
    selection->references = 1;
    return selection;
}

struct selection *selection_share(struct selection *selection)
{
    if (selection)
        selection->references++;
    return selection;
}

void selection_release(struct selection *selection)
{
    if (!selection || --selection->references)
        return;
    array_free(&selection->kept);
    map_free(&selection->moments);
    map_free(&selection->accesses);
    free(selection);
}

void selection_keep(struct selection *selection, uint32_t variable)
{
    array_grow(&selection->kept, (size_t)variable / 64 + 1);
    selection->kept.items[variable / 64] |= UINT64_C(1) << (variable % 64);
}

/* A hash: if two share one, both are delivered, which does no harm. */
static uint64_t key_of(uint32_t thread, uint32_t segment, uint32_t location, uint32_t variable)
{
    uint64_t when = map_mix(map_pair(thread, segment)), what = map_pair(location, variable);
    return (when * 31 + map_mix(what)) >> 1;
}

void selection_sample(struct selection *selection, uint32_t thread, uint32_t segment,
                      uint32_t location, uint32_t variable)
{
    map_at(&selection->moments, map_pair(thread, segment), NULL);
    map_at(&selection->accesses, key_of(thread, segment, location, variable), NULL);
}

bool selection_has_sample(const struct selection *selection, uint32_t thread, uint32_t segment,
                          uint32_t location, uint32_t variable)
{
    return map_find(&selection->accesses, key_of(thread, segment, location, variable)) != NULL;
}
