/* SPDX-License-Identifier: MIT */
#include "tlh/tlh_projected.h"

#include "tlh/sync_projection.h"
#include "tlh/tlh_search.h"
#include "engine/whole.h"
#include "search/suspects.h"
#include "trace/turns.h"

static int by_distance(const void *a, const void *b)
{
    const struct lockset_instance *x = a, *y = b;
    uint32_t left = x->later.pos - x->earlier.pos, right = y->later.pos - y->earlier.pos;
    if (left != right)
        return left < right ? -1 : 1;
    return (x->later.pos > y->later.pos) - (x->later.pos < y->later.pos);
}

static bool try_instance(struct tlh_search *search, const struct sync_projection *projection,
                         const struct lockset_instance *instance)
{
    uint32_t window = search->run->options->window;
    const uint32_t pos[2] = {sync_projection_pos(projection, instance->earlier.pos),
                             sync_projection_pos(projection, instance->later.pos)};
    struct finding_event events[2];
    access_fill(&events[0], &instance->earlier);
    access_fill(&events[1], &instance->later);
    return (!window || events[1].pos - events[0].pos <= window) &&
           !suspects_ordered(search->index, pos[0], pos[1]) &&
           tlh_search_pair(search, pos, instance->object, events);
}

/* True if it is found. */
static bool try_locations(struct tlh_search *search, const struct sync_projection *projection,
                          const struct lockset_pair *pair, uint32_t limit)
{
    size_t count = pair->instances.count;
    bool found = false;
    struct lockset_instance *instances =
        memory_copy(pair->instances.items, count * sizeof *instances);
    qsort(instances, count, sizeof *instances, by_distance);
    for (size_t i = 0; i < count && !found; i++)
        found = instances[i].later.pos < limit && try_instance(search, projection, &instances[i]);
    free(instances);
    return found;
}

/* When a pair of locations is tried: those that meet early first, so that one walk over the
 * trace serves the schedules of all (model/observed_run.h). */
struct place_in_order {
    uint32_t pos, number;
};

static int by_turn(const void *a, const void *b)
{
    const struct place_in_order *x = a, *y = b;
    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static struct place_in_order *in_order(const struct lockset_pairs *pairs)
{
    struct place_in_order *order = memory_alloc(pairs->list.count, sizeof *order);
    for (uint32_t i = 0; i < pairs->list.count; i++)
        order[i] = (struct place_in_order){pairs->list.items[i].instances.items[0].earlier.pos, i};
    qsort(order, pairs->list.count, sizeof *order, by_turn);
    return order;
}

_Static_assert(TURNS_FROM <= WHOLE_SMALL, "what is listed in full is at hand");

/* The turns of the projection are those of the whole one, in which threads do more
 * before each. Short traces are at hand: there every event is listed. */
static void name_in_whole(struct engine_run *run, const struct sync_projection *projection,
                          struct finding *finding)
{
    for (uint32_t i = 0; i < finding->witness_length; i++)
        finding->witness[i] = projection->origin[finding->witness[i]];
    if (run->trace->delivered > TURNS_FROM)
        return;
    uint32_t *turns = finding->witness;
    *finding = finding_in_full(finding, run->history);
    free(turns);
}

void tlh_projected_try(struct engine_run *run, const struct sync_log *log, uint32_t limit,
                       bool *found)
{
    const struct lockset_pairs *pairs = lockset_pairs_of(run->filter);
    size_t before = run->findings->count;
    struct sync_projection projection;
    struct tlh_search search;
    /* What was refuted so far is asked for again. */
    run->candidates -= run->refuted;
    run->refuted = 0;
    sync_projection_create(&projection, run->trace, log, pairs, limit);
    tlh_search_open(&search, run, projection.history);
    search.in_turns = true;
    struct place_in_order *order = in_order(pairs);
    for (size_t i = 0; i < pairs->list.count; i++) {
        uint32_t number = order[i].number;
        if (!found[number])
            found[number] = try_locations(&search, &projection, &pairs->list.items[number], limit);
    }
    free(order);
    tlh_search_close(&search);
    for (size_t i = before; i < run->findings->count; i++)
        if (run->findings->items[i].witness)
            name_in_whole(run, &projection, &run->findings->items[i]);
    sync_projection_free(&projection);
}
