#include "search/refine.h"

#include <xxhash.h>

#define ROOT UINT32_MAX

struct refiner *refiner_create(const struct processes *processes, struct refine_limits limits)
{
    struct refiner *refiner = NEW(struct refiner);
    refiner->processes = processes;
    refiner->limits = limits;
    refiner->slice = slice_create(processes);
    refiner->product = product_create(processes);
    refiner->stubborn = stubborn_create(processes);
    return refiner;
}

void refiner_destroy(struct refiner *refiner)
{
    if (!refiner)
        return;
    slice_destroy(refiner->slice);
    product_destroy(refiner->product);
    stubborn_destroy(refiner->stubborn);
    array_free(&refiner->path);
    array_free(&refiner->words);
    array_free(&refiner->links);
    array_free(&refiner->now);
    array_free(&refiner->later);
    free(refiner->table);
    free(refiner);
}

static const uint32_t *state_at(const struct refiner *refiner, uint32_t state)
{
    return &refiner->words.items[(size_t)state * refiner->product->words];
}

static size_t slot_for(const struct refiner *refiner, const uint32_t *words)
{
    size_t bytes = refiner->product->words * sizeof *words;
    size_t slot = XXH3_64bits(words, bytes) & (refiner->table_size - 1);
    while (refiner->table[slot] &&
           memcmp(state_at(refiner, refiner->table[slot] - 1), words, bytes) != 0)
        slot = (slot + 1) & (refiner->table_size - 1);
    return slot;
}

static void grow_table(struct refiner *refiner)
{
    refiner->table_size = refiner->table_size ? 2 * refiner->table_size : 1024;
    refiner->table = memory_resize(refiner->table, refiner->table_size, sizeof *refiner->table);
    memset(refiner->table, 0, refiner->table_size * sizeof *refiner->table);
    for (uint32_t state = 0; state < refiner->links.count; state++)
        refiner->table[slot_for(refiner, state_at(refiner, state))] = state + 1;
}

/* Stores the product's state unless it is known.
 *
 * A way to the goal is as long as its must-steps and the others together, and how
 * many of each were taken is seen from the state. So states are looked at by how
 * many other steps they took: the first goal met has a shortest counterexample, as
 * in breadth-first search, but the must-steps are taken depth first. */
static void store(struct refiner *refiner, uint32_t parent, uint32_t process)
{
    const struct product *product = refiner->product;
    if (2 * (refiner->links.count + 1) > refiner->table_size)
        grow_table(refiner);
    size_t slot = slot_for(refiner, product->state);
    if (refiner->table[slot])
        return;
    array_reserve(&refiner->words, refiner->words.count + product->words);
    memcpy(refiner->words.items + refiner->words.count, product->state,
           product->words * sizeof *product->state);
    refiner->words.count += product->words;
    struct state_link link = {parent, process};
    array_push(&refiner->links, link);
    refiner->table[slot] = (uint32_t)refiner->links.count;
    refiner->states++;
    bool must =
        process == NO_PROCESS || product_index(product, process) <= refiner->slice->must[process];
    if (must)
        array_push(&refiner->now, (uint32_t)refiner->links.count - 1);
    else
        array_push(&refiner->later, (uint32_t)refiner->links.count - 1);
}

static bool is_full(const struct refiner *refiner)
{
    uint64_t bytes = refiner->words.capacity * sizeof(uint32_t) +
                     refiner->links.capacity * sizeof(struct state_link) +
                     refiner->table_size * sizeof *refiner->table;
    return refiner->links.count >= refiner->limits.states || bytes > refiner->limits.bytes;
}

static bool must_steps_taken(const struct refiner *refiner)
{
    const struct product *product = refiner->product;
    for (uint32_t slot = 0; slot < product->slot_count; slot++)
        if (product->state[slot] < refiner->slice->must[product->slots[slot]])
            return false;
    return true;
}

/* A target that is a wait's return counts as blocked by its lock only once it
 * was signalled: the condition that still owes it a signal, or NO_OBJECT. */
static uint32_t unsignalled(const struct refiner *refiner, const uint32_t *targets, uint32_t count)
{
    const struct processes *processes = refiner->processes;
    for (uint32_t i = 0; i < count; i++) {
        const struct event *event = &processes->rules->history->events[targets[i]];
        if (event->op != EVENT_WAIT_END)
            continue;
        uint32_t process = processes_of_thread(processes, event->thread);
        if (product_forbids(refiner->product, process) == RULE_SIGNAL)
            return processes->items[process].steps[refiner->slice->target[process]].object;
    }
    return NO_OBJECT;
}

static void trace_back(struct refiner *refiner, uint32_t state)
{
    struct counterexample_path *path = &refiner->path;
    path->count = 0;
    for (; refiner->links.items[state].parent != ROOT; state = refiner->links.items[state].parent) {
        uint32_t process = refiner->links.items[state].process;
        uint32_t parent = refiner->links.items[state].parent;
        uint32_t index = state_at(refiner, parent)[refiner->product->slot_of[process]];
        array_push(path, refiner->processes->items[process].steps[index].pos);
    }
    for (size_t low = 0, high = path->count; low + 1 < high; low++) {
        uint32_t swap = path->items[low];
        path->items[low] = path->items[--high];
        path->items[high] = swap;
    }
}

/* The next state to look at; false if there is none left. */
static bool next_state(struct refiner *refiner, uint32_t *state)
{
    if (!refiner->now.count) {
        struct state_stack swap = refiner->now;
        refiner->now = refiner->later;
        refiner->later = swap;
    }
    if (!refiner->now.count)
        return false;
    *state = array_pop(&refiner->now);
    return true;
}

static enum refinement check(struct refiner *refiner, const uint32_t *targets, uint32_t count,
                             bool signalled)
{
    struct product *product = refiner->product;
    struct stubborn *stubborn = refiner->stubborn;
    if (!slice_compute(refiner->slice, targets, count))
        return REFINE_HOLDS;
    product_begin(product, refiner->slice);
    refiner->words.count = refiner->links.count = 0;
    refiner->now.count = refiner->later.count = 0;
    if (refiner->table_size)
        memset(refiner->table, 0, refiner->table_size * sizeof *refiner->table);
    store(refiner, ROOT, NO_PROCESS);
    for (uint32_t state; next_state(refiner, &state);) {
        product_load(product, state_at(refiner, state));
        uint32_t condition = NO_OBJECT;
        if (must_steps_taken(refiner)) {
            condition = signalled ? unsignalled(refiner, targets, count) : NO_OBJECT;
            if (condition == NO_OBJECT) {
                trace_back(refiner, state);
                return REFINE_FOUND;
            }
        }
        if (is_full(refiner))
            return REFINE_INCOMPLETE;
        stubborn_choose(stubborn, product, condition);
        for (uint32_t i = 0; i < stubborn->best_count; i++) {
            product_load(product, state_at(refiner, state));
            product_step(product, stubborn->best[i]);
            store(refiner, state, stubborn->best[i]);
        }
    }
    return REFINE_HOLDS;
}

enum refinement refiner_check(struct refiner *refiner, const uint32_t *targets, uint32_t count)
{
    return check(refiner, targets, count, true);
}

enum refinement refiner_reach(struct refiner *refiner, const uint32_t *targets, uint32_t count)
{
    return check(refiner, targets, count, false);
}

uint64_t refiner_lower_bound(struct refiner *refiner, const uint32_t *targets, uint32_t count)
{
    if (!slice_compute(refiner->slice, targets, count))
        return UINT64_MAX;
    return slice_must_total(refiner->slice);
}
