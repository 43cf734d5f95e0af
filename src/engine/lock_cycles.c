#include "engine/lock_cycles.h"

#include "engine/lock_components.h"

#include <assert.h>

#define FAR UINT32_MAX

struct numbers ARRAY_OF(uint32_t);

struct search {
    const struct lock_order *order;
    cycle_visit *visit;
    void *context;
    struct numbers *holders;   /* by lock: dependencies that hold it, of its component */
    struct numbers *acquirers; /* by lock: dependencies that want it */
    uint32_t *distance;        /* by lock: dependencies still needed to close the cycle */
    struct numbers reached;    /* locks whose distance is known */
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

static void index_dependencies(struct search *search, const uint32_t *component)
{
    const struct lock_order *order = search->order;
    for (uint32_t number = 0; number < order->dependencies.count; number++) {
        const struct dependency *self = dependency(search, number);
        const struct lock_set *set = &order->sets.items[self->held];
        bool inside = false;
        for (uint32_t i = 0; i < set->count; i++) {
            uint32_t lock = order->set_locks.items[set->begin + i].lock;
            if (component[lock] != component[self->wanted.lock])
                continue;
            inside = true;
            array_push(&search->holders[lock], number);
        }
        if (inside)
            array_push(&search->acquirers[self->wanted.lock], number);
    }
}

static void reach(struct search *search, uint32_t lock, uint32_t distance)
{
    if (search->distance[lock] != FAR)
        return;
    search->distance[lock] = distance;
    array_push(&search->reached, lock);
}

/* How many dependencies of higher threads lead from waiting for a lock to waiting
 * for one that the start holds; breadth first, backwards. */
static void measure(struct search *search, uint32_t start)
{
    const struct lock_order *order = search->order;
    const struct dependency *first = dependency(search, start);
    for (size_t i = 0; i < search->reached.count; i++)
        search->distance[search->reached.items[i]] = FAR;
    search->reached.count = 0;
    const struct lock_set *set = &order->sets.items[first->held];
    for (uint32_t i = 0; i < set->count; i++)
        reach(search, order->set_locks.items[set->begin + i].lock, 0);
    for (size_t at = 0; at < search->reached.count; at++) {
        uint32_t lock = search->reached.items[at];
        const struct numbers *acquirers = &search->acquirers[lock];
        for (size_t i = 0; i < acquirers->count; i++) {
            const struct dependency *self = dependency(search, acquirers->items[i]);
            if (self->thread <= first->thread)
                continue;
            const struct lock_set *held = &order->sets.items[self->held];
            for (uint32_t k = 0; k < held->count; k++)
                reach(search, order->set_locks.items[held->begin + k].lock,
                      search->distance[lock] + 1);
        }
    }
}

static bool fits_path(const struct search *search, const struct dependency *next)
{
    for (size_t i = 0; i < search->path.count; i++)
        if (!dependencies_meet(search->order, dependency(search, search->path.items[i]), next))
            return false;
    return true;
}

/* The path waits for a lock that its start holds. A cycle closed through a reader
 * may also go on: others can hold the same lock for reading. */
static void close_cycle(struct search *search)
{
    if (!search->visit(search->context, search->path.items, (uint32_t)search->path.count))
        search->stopped = true;
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
        uint32_t distance = search->distance[next->wanted.lock];
        if (next->thread <= start->thread || distance == FAR ||
            !dependency_waits(search->order, last, next))
            continue;
        if (distance + 1 > left) {
            search->deeper = true;
            continue;
        }
        if (!fits_path(search, next))
            continue;
        search->deeper |= left == 1;
        array_push(&search->path, holders->items[i]);
        extend(search);
        search->path.count--;
    }
}

static bool search_lengths(struct search *search)
{
    const struct lock_order *order = search->order;
    uint32_t most = (uint32_t)order->threads.count;
    search->deeper = true;
    for (search->length = 2; search->length <= most && search->deeper; search->length++) {
        search->deeper = false;
        for (uint32_t start = 0; start < order->dependencies.count && !search->stopped; start++) {
            const struct dependency *first = dependency(search, start);
            if (!search->acquirers[first->wanted.lock].count)
                continue;
            measure(search, start);
            if (search->distance[first->wanted.lock] == FAR)
                continue;
            search->path.count = 0;
            array_push(&search->path, start);
            extend(search);
        }
    }
    return search->steps || !search->stopped;
}

bool lock_cycles_each(const struct lock_order *order, uint64_t steps, cycle_visit *visit,
                      void *context)
{
    if (!order->dependencies.count)
        return true;
    struct search search = {.order = order, .visit = visit, .context = context, .steps = steps};
    uint32_t *component = lock_components(order);
    search.holders = NEW_ARRAY(struct numbers, order->lock_limit);
    search.acquirers = NEW_ARRAY(struct numbers, order->lock_limit);
    search.distance = NEW_ARRAY(uint32_t, order->lock_limit);
    memset(search.distance, 0xff, order->lock_limit * sizeof *search.distance);
    index_dependencies(&search, component);
    bool all = search_lengths(&search);
    for (uint32_t lock = 0; lock < order->lock_limit; lock++) {
        array_free(&search.holders[lock]);
        array_free(&search.acquirers[lock]);
    }
    free(search.holders);
    free(search.acquirers);
    free(search.distance);
    free(component);
    array_free(&search.reached);
    array_free(&search.path);
    return all;
}
