/* SPDX-License-Identifier: MIT */
#include "relations/bad_set.h"

#include "base/array.h"
#include "engine/found.h"

void bad_set_free(struct bad_set *bad)
{
    for (size_t i = 0; i < bad->capacity; i++)
        vclock_free(&bad->items[i].clock);
    free(bad->items);
    map_free(&bad->known);
}

static bool is_ordered(struct embracer *embracer, struct bad_pair *pair)
{
    embracer_adjust(embracer, &pair->clock);
    return vclock_saw(&pair->clock, (struct epoch){pair->earlier.thread, pair->earlier.tick});
}

/* What is ordered stays ordered. */
static void weed(struct bad_set *bad, struct embracer *embracer)
{
    size_t kept = 0;
    for (size_t i = 0; i < bad->count; i++) {
        if (is_ordered(embracer, &bad->items[i]))
            continue;
        struct bad_pair pair = bad->items[i]; /* swapped: clocks keep their memory */
        bad->items[i] = bad->items[kept];
        bad->items[kept++] = pair;
    }
    bad->count = kept;
    bad->weed_at = kept * 2 < 1024 ? 1024 : kept * 2;
}

void bad_set_add(struct bad_set *bad, struct embracer *embracer, uint32_t variable,
                 const struct access *earlier, const struct access *later,
                 const struct vclock *clock)
{
    if (bad->count && bad->count >= bad->weed_at)
        weed(bad, embracer);
    size_t room = bad->capacity;
    array_reserve(bad, bad->count + 1);
    if (room < bad->capacity)
        memset(bad->items + room, 0, (bad->capacity - room) * sizeof *bad->items);
    struct bad_pair *pair = &bad->items[bad->count++];
    pair->earlier = *earlier;
    pair->later = *later;
    pair->variable = variable;
    vclock_copy(&pair->clock, clock);
}

static uint64_t places(const struct access *a, const struct access *b)
{
    return a->location < b->location ? map_pair(a->location, b->location)
                                     : map_pair(b->location, a->location);
}

bool bad_set_knows(const struct bad_set *bad, const struct access *a, const struct access *b)
{
    return map_find(&bad->known, places(a, b));
}

static void report(struct engine_run *run, const struct bad_pair *pair)
{
    struct finding_event events[2];
    access_fill(&events[0], &pair->earlier);
    access_fill(&events[1], &pair->later);
    struct finding finding = found_race(run, run->engine->default_model, pair->variable, events);
    finding.verdict = VERDICT_CANDIDATE;
    finding.note = "happens-before orders the two in the observed run";
    findings_add(run->findings, &finding);
}

void bad_set_judge(struct bad_set *bad, struct embracer *embracer, struct engine_run *run)
{
    for (size_t i = 0; i < bad->count; i++)
        if (!is_ordered(embracer, &bad->items[i])) {
            report(run, &bad->items[i]);
            map_at(&bad->known, places(&bad->items[i].earlier, &bad->items[i].later), NULL);
        }
    bad->count = 0;
}
