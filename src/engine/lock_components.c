#include "engine/lock_components.h"

struct edges ARRAY_OF(uint32_t);

/* Tarjan's algorithm with its stack on the heap: lock graphs can be deep. */
struct tarjan {
    struct edges *edges; /* by lock */
    uint32_t *number, *low, *component;
    uint32_t *cursor; /* by lock: the next edge to look at */
    struct edges open, calls;
    uint32_t numbers, components;
};

static void enter(struct tarjan *tarjan, uint32_t lock)
{
    tarjan->number[lock] = tarjan->low[lock] = ++tarjan->numbers;
    array_push(&tarjan->open, lock);
    array_push(&tarjan->calls, lock);
}

static void leave(struct tarjan *tarjan, uint32_t lock)
{
    tarjan->calls.count--;
    if (tarjan->low[lock] == tarjan->number[lock]) {
        uint32_t member;
        do {
            member = array_pop(&tarjan->open);
            tarjan->component[member] = tarjan->components;
        } while (member != lock);
        tarjan->components++;
    }
    if (tarjan->calls.count) {
        uint32_t caller = array_last(&tarjan->calls);
        if (tarjan->low[lock] < tarjan->low[caller])
            tarjan->low[caller] = tarjan->low[lock];
    }
}

static void visit(struct tarjan *tarjan, uint32_t root)
{
    enter(tarjan, root);
    while (tarjan->calls.count) {
        uint32_t lock = array_last(&tarjan->calls);
        if (tarjan->cursor[lock] == tarjan->edges[lock].count) {
            leave(tarjan, lock);
            continue;
        }
        uint32_t next = tarjan->edges[lock].items[tarjan->cursor[lock]++];
        if (!tarjan->number[next])
            enter(tarjan, next);
        else if (tarjan->component[next] == UINT32_MAX && tarjan->number[next] < tarjan->low[lock])
            tarjan->low[lock] = tarjan->number[next];
    }
}

uint32_t *lock_components(const struct lock_order *order)
{
    uint32_t locks = order->lock_limit;
    struct tarjan tarjan = {
        .edges = NEW_ARRAY(struct edges, locks),
        .number = NEW_ARRAY(uint32_t, locks),
        .low = NEW_ARRAY(uint32_t, locks),
        .cursor = NEW_ARRAY(uint32_t, locks),
        .component = NEW_ARRAY(uint32_t, locks),
    };
    memset(tarjan.component, 0xff, locks * sizeof *tarjan.component);
    struct map known = {0};
    for (size_t i = 0; i < order->dependencies.count; i++) {
        const struct dependency *dependency = &order->dependencies.items[i];
        const struct lock_set *set = &order->sets.items[dependency->held];
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t held = order->set_locks.items[set->begin + k].lock;
            bool added;
            map_at(&known, map_pair(held, dependency->wanted.lock), &added);
            if (added)
                array_push(&tarjan.edges[held], dependency->wanted.lock);
        }
    }
    for (uint32_t lock = 0; lock < locks; lock++)
        if (!tarjan.number[lock])
            visit(&tarjan, lock);
    for (uint32_t lock = 0; lock < locks; lock++)
        array_free(&tarjan.edges[lock]);
    free(tarjan.edges);
    free(tarjan.number);
    free(tarjan.low);
    free(tarjan.cursor);
    array_free(&tarjan.open);
    array_free(&tarjan.calls);
    map_free(&known);
    return tarjan.component;
}
