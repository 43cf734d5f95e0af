/* Must-before (Sadowski, Definition 8) and its races (chapter 14), united with
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

/* A section that is open at the end ends there. */
static uint32_t end_of(const struct history *history, const uint32_t *partners, uint32_t acquire)
{
    uint32_t thread = history->events[acquire].thread;
    if (partners[acquire] != POS_NONE)
        return partners[acquire];
    return history_pos(history, thread, history_thread_length(history, thread) - 1);
}

static bool apply(const struct history *history, const uint32_t *partners, struct relation *mb)
{
    const struct event *events = history->events;
    bool grew = false;
    for (uint32_t h = 0; h < history->count; h++)
        for (uint32_t k = 0; k < h; k++)
            if (event_acquires(&events[k]) && event_acquires(&events[h]) &&
                reference_is_mutex(&events[k]) && reference_is_mutex(&events[h]) &&
                event_lock(&events[k]) == event_lock(&events[h]) &&
                related(mb, k, end_of(history, partners, h)))
                grew |= relate(mb, partners[k], h);
    return grew;
}

/* a is before some event that precedes b in its thread, or where a hard edge to b
 * starts. */
static bool ordered(const struct history *history, const struct relation *mb,
                    const struct relation *hard, uint32_t a, uint32_t b)
{
    const struct event *events = history->events;
    for (uint32_t c = 0; c < b; c++)
        if ((events[c].thread == events[b].thread || related(hard, c, b)) &&
            (a == c || related(mb, a, c)))
            return true;
    return false;
}

void reference_mb(const struct history *history, struct relation *races)
{
    struct relation mb = relation_create(history->count);
    struct relation hard = relation_create(history->count);
    reference_add_hard(history, &hard);
    uint32_t *partners = reference_partners(history);
    add_basics(history, &mb);
    do
        relation_close(&mb);
    while (apply(history, partners, &mb));
    for (uint32_t b = 0; b < history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&history->events[a], &history->events[b]) &&
                !ordered(history, &mb, &hard, a, b))
                relate(races, a, b);
    reference_hb(history, races);
    relation_free(&mb);
    relation_free(&hard);
    free(partners);
}
