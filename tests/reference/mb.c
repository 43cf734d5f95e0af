/* Must-before (dissertation, Definition 8) and its races (chapter 14), united with
 * those of happens-before (section 16.3). */
#include "reference/reference.h"

#include <stdlib.h>

static void add_basics(const struct history *history, struct relation *mb)
{
    const struct event *events = history->events;
    reference_add_hard(history, mb);
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (events[a].thread == events[b].thread || event_conflict(&events[a], &events[b]))
                relate(mb, a, b);
}

static bool apply(const struct history *history, const uint32_t *partners, struct relation *mb)
{
    const struct event *events = history->events;
    bool grew = false;
    for (uint32_t h = 0; h < history->count; h++)
        for (uint32_t k = 0; k < h; k++)
            if (event_acquires(&events[k]) && event_acquires(&events[h]) &&
                reference_is_mutex(&events[k]) && reference_is_mutex(&events[h]) &&
                event_lock(&events[k]) == event_lock(&events[h]) && partners[h] != POS_NONE &&
                related(mb, k, partners[h]))
                grew |= relate(mb, partners[k], h);
    return grew;
}

/* a is before some event that precedes b in its thread (or is its fork). */
static bool ordered(const struct history *history, const struct relation *mb, uint32_t a,
                    uint32_t b)
{
    const struct event *events = history->events;
    uint32_t fork = history->fork_of[events[b].thread];
    if (fork != POS_NONE && (fork == a || related(mb, a, fork)))
        return true;
    for (uint32_t c = 0; c < b; c++)
        if (events[c].thread == events[b].thread && related(mb, a, c))
            return true;
    return false;
}

void reference_mb(const struct history *history, struct relation *races)
{
    struct relation mb = relation_create(history->count);
    uint32_t *partners = reference_partners(history);
    add_basics(history, &mb);
    do
        relation_close(&mb);
    while (apply(history, partners, &mb));
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&history->events[a], &history->events[b]) &&
                !ordered(history, &mb, a, b))
                relate(races, a, b);
    reference_hb(history, races);
    relation_free(&mb);
    free(partners);
}
