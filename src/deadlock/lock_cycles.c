/* SPDX-License-Identifier: MIT */
#include "deadlock/lock_cycles.h"

#include "deadlock/location_sets.h"
#include "deadlock/lock_components.h"

#include <assert.h>

#define FAR UINT16_MAX

struct numbers ARRAY_OF(uint32_t);

struct search {
    const struct lock_order *order;
    cycle_visit *visit;
    void *context;
    struct numbers *holders; /* by lock: dependencies that hold it, of its component */
    struct numbers *before;  /* by lock: locks held where it is wanted */
    uint16_t **distances;    /* by lock, then by lock; NULL until asked for */
    struct numbers queue;
    bool *inside;                    /* by dependency: of a component with cycles */
    struct location_sets *locations; /* NULL: too many to tell which are settled */
    struct numbers path;
    uint32_t length; /* of the cycles looked for now */
    uint64_t steps;
    bool stopped;
    bool deeper; /* some path was given up only for its length */
};

static const struct dependency *dependency(const struct search *search, uint32_t number)
{
    return &search->order->dependencies.items[number];
}

/* Adds to `found` the dependencies of `some` (NULL: all) that lie inside a component. */
static void find_inside(const struct lock_order *order, const bool *some, bool *found)
{
    uint32_t *component = lock_components(order, some);
    for (uint32_t number = 0; number < order->dependencies.count; number++) {
        const struct dependency *self = &order->dependencies.items[number];
        const struct lock_set *set = &order->sets.items[self->held];
        for (uint32_t i = 0; i < set->count && (!some || some[number]); i++)
            found[number] |= component[order->set_locks.items[set->begin + i].lock] ==
                             component[self->wanted.lock];
    }
    free(component);
}

static void index_dependencies(struct search *search)
{
    const struct lock_order *order = search->order;
    uint32_t *component = lock_components(order, search->inside);
    struct map edges = {0};
    for (uint32_t number = 0; number < order->dependencies.count; number++) {
        const struct dependency *self = dependency(search, number);
        const struct lock_set *set = &order->sets.items[self->held];
        for (uint32_t i = 0; i < set->count && search->inside[number]; i++) {
            uint32_t lock = order->set_locks.items[set->begin + i].lock;
            if (component[lock] != component[self->wanted.lock])
                continue;
            array_push(&search->holders[lock], number);
            bool added;
            map_at(&edges, map_pair(lock, self->wanted.lock), &added);
            if (added)
                array_push(&search->before[self->wanted.lock], lock);
        }
    }
    map_free(&edges);
    free(component);
}

static void forget_index(struct search *search)
{
    for (uint32_t lock = 0; lock < search->order->lock_limit; lock++) {
        array_free(&search->holders[lock]);
        array_free(&search->before[lock]);
        free(search->distances[lock]);
        search->distances[lock] = NULL;
    }
}

/* Some sets of locations are settled: keeps what lies in one that is not. */
static void index_again(struct search *search)
{
    const struct lock_order *order = search->order;
    struct location_sets *locations = search->locations;
    size_t count = order->dependencies.count;
    bool *some = NEW_ARRAY(bool, count), *found = NEW_ARRAY(bool, count);
    for (uint32_t set = 1; set < 1u << locations->count; set++) {
        if (!location_set_is_largest(locations, set))
            continue;
        for (uint32_t i = 0; i < count; i++)
            some[i] = search->inside[i] &&
                      set & location_set_of(locations, dependency(search, i)->location);
        find_inside(order, some, found);
    }
    memcpy(search->inside, found, count * sizeof *found);
    free(some);
    free(found);
    forget_index(search);
    index_dependencies(search);
    locations->changed = false;
}

/* How many dependencies lead at least from waiting for a lock to waiting for
 * `goal`; breadth first, backwards, once for every goal that is asked for. */
static const uint16_t *distances_to(struct search *search, uint32_t goal)
{
    if (search->distances[goal])
        return search->distances[goal];
    uint32_t locks = search->order->lock_limit;
    uint16_t *distances = memory_alloc(locks, sizeof *distances);
    memset(distances, 0xff, locks * sizeof *distances);
    search->queue.count = 0;
    distances[goal] = 0;
    array_push(&search->queue, goal);
    for (size_t at = 0; at < search->queue.count; at++) {
        uint32_t lock = search->queue.items[at];
        const struct numbers *before = &search->before[lock];
        for (size_t i = 0; i < before->count; i++) {
            if (distances[before->items[i]] != FAR)
                continue;
            distances[before->items[i]] = (uint16_t)(distances[lock] + (distances[lock] < FAR - 1));
            array_push(&search->queue, before->items[i]);
        }
    }
    search->distances[goal] = distances;
    return distances;
}

/* At least so many dependencies are needed between one that waits for `lock` and
 * the start, which they close the cycle to. */
static uint32_t distance_to_start(struct search *search, uint32_t lock)
{
    const struct lock_order *order = search->order;
    const struct lock_set *set =
        &order->sets.items[dependency(search, search->path.items[0])->held];
    uint32_t least = FAR;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t distance = distances_to(search, order->set_locks.items[set->begin + i].lock)[lock];
        least = distance < least ? distance : least;
    }
    return least;
}

static bool fits_path(const struct search *search, const struct dependency *next)
{
    for (size_t i = 0; i < search->path.count; i++)
        if (!dependencies_meet(search->order, dependency(search, search->path.items[i]), next))
            return false;
    return true;
}

/* Readers of a lock are several, so that who waits for one of them may wait for another one of
 * the cycle, too. Then fewer threads are stuck by themselves, and are a cycle of their own:
 * nobody on the path but the last waits for `next`, and it for none of them but the start. */
static bool takes_a_short_cut(const struct search *search, const struct dependency *next)
{
    size_t last = search->path.count - 1;
    for (size_t i = 0; i <= last; i++) {
        const struct dependency *other = dependency(search, search->path.items[i]);
        if ((i < last && dependency_waits(search->order, other, next)) ||
            (i && dependency_waits(search->order, next, other)))
            return true;
    }
    return false;
}

/* The locations of the path and of one more dependency. */
static uint32_t locations_with(const struct search *search, const struct dependency *next)
{
    uint32_t set = location_set_of(search->locations, next->location);
    for (size_t i = 0; i < search->path.count; i++)
        set |=
            location_set_of(search->locations, dependency(search, search->path.items[i])->location);
    return set;
}

/* Is nobody interested in a cycle that the path and `next` begin? */
static bool is_settled(const struct search *search, const struct dependency *next)
{
    return search->locations && !search->locations->open[locations_with(search, next)];
}

/* The path waits for a lock that its start holds. */
static void close_cycle(struct search *search)
{
    enum cycle_reply reply =
        search->visit(search->context, search->path.items, (uint32_t)search->path.count);
    search->stopped |= reply == CYCLE_STOP;
    if (reply == CYCLE_SETTLED && search->locations)
        location_set_settle(search->locations,
                            locations_with(search, dependency(search, search->path.items[0])));
}

static void extend(struct search *search)
{
    const struct dependency *start = dependency(search, search->path.items[0]);
    const struct dependency *last = dependency(search, array_last(&search->path));
    if (search->path.count == search->length) {
        if (dependency_waits(search->order, last, start))
            close_cycle(search);
        return;
    }
    uint32_t left = search->length - (uint32_t)search->path.count;
    const struct numbers *holders = &search->holders[last->wanted.lock];
    for (size_t i = 0; i < holders->count && !search->stopped; i++) {
        const struct dependency *next = dependency(search, holders->items[i]);
        if (!search->steps) {
            search->stopped = true;
            return;
        }
        search->steps--;
        if (next->thread <= start->thread || is_settled(search, next) ||
            !dependency_waits(search->order, last, next))
            continue;
        uint32_t distance = distance_to_start(search, next->wanted.lock);
        if (distance == FAR)
            continue;
        if (distance + 1 > left) {
            search->deeper = true;
            continue;
        }
        bool closed = dependency_waits(search->order, next, start);
        if ((closed && left > 1) || !fits_path(search, next) || takes_a_short_cut(search, next))
            continue;
        search->deeper |= left == 1 && !closed;
        array_push(&search->path, holders->items[i]);
        extend(search);
        search->path.count--;
    }
}

static void search_from(struct search *search, uint32_t start)
{
    const struct dependency *first = dependency(search, start);
    search->path.count = 0;
    if (!search->inside[start] || is_settled(search, first))
        return;
    array_push(&search->path, start);
    uint32_t distance = distance_to_start(search, first->wanted.lock);
    if (distance < search->length)
        extend(search);
    else
        search->deeper |= distance != FAR;
}

static bool search_lengths(struct search *search)
{
    const struct lock_order *order = search->order;
    uint32_t most = (uint32_t)order->threads.count;
    search->deeper = true;
    for (search->length = 2; search->length <= most && search->deeper; search->length++) {
        search->deeper = false;
        if (search->locations && search->locations->changed)
            index_again(search);
        for (uint32_t start = 0; start < order->dependencies.count && !search->stopped; start++)
            search_from(search, start);
    }
    return search->steps || !search->stopped;
}

bool lock_cycles_each(const struct lock_order *order, uint64_t *steps, cycle_visit *visit,
                      void *context)
{
    if (!order->dependencies.count)
        return true;
    struct search search = {.order = order, .visit = visit, .context = context, .steps = *steps};
    search.holders = NEW_ARRAY(struct numbers, order->lock_limit);
    search.before = NEW_ARRAY(struct numbers, order->lock_limit);
    search.distances = NEW_ARRAY(uint16_t *, order->lock_limit);
    search.inside = NEW_ARRAY(bool, order->dependencies.count);
    find_inside(order, NULL, search.inside);
    search.locations = location_sets_create(order, search.inside);
    index_dependencies(&search);
    bool all = search_lengths(&search);
    *steps = search.steps;
    forget_index(&search);
    free(search.holders);
    free(search.before);
    free(search.distances);
    free(search.inside);
    location_sets_destroy(search.locations);
    array_free(&search.queue);
    array_free(&search.path);
    return all;
}
