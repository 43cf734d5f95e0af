/* SPDX-License-Identifier: MIT */
#include "csp/refine.h"

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
    if (!limits.no_symmetry)
        refiner->symmetry = symmetry_create(processes);
    return refiner;
}

void refiner_destroy(struct refiner *refiner)
{
    if (!refiner)
        return;
    slice_destroy(refiner->slice);
    product_destroy(refiner->product);
    stubborn_destroy(refiner->stubborn);
    symmetry_destroy(refiner->symmetry);
    free(refiner->sorted);
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
    if (refiner->table_size > refiner->table_room) {
        refiner->table_room = refiner->table_size;
        refiner->table = memory_resize(refiner->table, refiner->table_room, sizeof *refiner->table);
    }
    memset(refiner->table, 0, refiner->table_size * sizeof *refiner->table);
    for (uint32_t state = 0; state < refiner->links.count; state++)
        refiner->table[slot_for(refiner, state_at(refiner, state))] = state + 1;
}

/* The product's state, or the one that stands for it (symmetry.h). */
static const uint32_t *sorted_state(struct refiner *refiner, uint32_t *names)
{
    if (!refiner->symmetry)
        return refiner->product->state;
    symmetry_sort(refiner->symmetry, refiner->sorted, names);
    return refiner->sorted;
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
    const uint32_t *words = sorted_state(refiner, NULL);
    size_t slot = slot_for(refiner, words);
    if (refiner->table[slot])
        return;
    array_reserve(&refiner->words, refiner->words.count + product->words);
    if (product->words) /* memcpy() takes no NULL, not even for nothing */
        memcpy(refiner->words.items + refiner->words.count, words, product->words * sizeof *words);
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

/* Of what this check needs, not of what an earlier one left: arrays grow to twice their size. */
static bool is_full(const struct refiner *refiner, uint64_t most_work)
{
    uint64_t bytes = 2 * refiner->words.count * sizeof(uint32_t) +
                     2 * refiner->links.count * sizeof(struct state_link) +
                     refiner->table_size * sizeof *refiner->table;
    return refiner->links.count >= refiner->limits.states || bytes > refiner->limits.bytes ||
           refiner_work(refiner) > most_work;
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

/* The steps of a path, by state; their processes are called as in sorted states, so they
 * are renamed as the sorting of each state on the way renamed them. */
static void name_steps(struct refiner *refiner, const struct counterexample_path *states)
{
    const struct processes *processes = refiner->processes;
    struct product *product = refiner->product;
    uint32_t *names = NEW_ARRAY(uint32_t, processes->count);
    for (uint32_t p = 0; p < processes->count; p++)
        names[p] = p;
    for (size_t i = states->count; i-- > 0;) {
        const struct state_link *link = &refiner->links.items[states->items[i]];
        product_load(product, state_at(refiner, link->parent));
        uint32_t index = product_index(product, link->process);
        array_push(&refiner->path, processes->items[names[link->process]].steps[index].pos);
        product_step(product, link->process);
        sorted_state(refiner, names);
    }
    free(names);
}

static void trace_back(struct refiner *refiner, uint32_t state)
{
    struct counterexample_path states = {0}; /* last one first, without the initial one */
    for (; refiner->links.items[state].parent != ROOT; state = refiner->links.items[state].parent)
        array_push(&states, state);
    refiner->path.count = 0;
    name_steps(refiner, &states);
    array_free(&states);
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

static enum refinement check(struct refiner *refiner, const struct slice_goal *goal, bool signalled)
{
    struct product *product = refiner->product;
    struct stubborn *stubborn = refiner->stubborn;
    uint64_t most_work =
        refiner->limits.work ? refiner_work(refiner) + refiner->limits.work : UINT64_MAX;
    if (!slice_compute(refiner->slice, goal))
        return REFINE_HOLDS;
    product_begin(product, refiner->slice);
    refiner->work += refiner->processes->count + refiner->processes->objects.count;
    if (refiner->symmetry) {
        symmetry_begin(refiner->symmetry, product);
        refiner->sorted = memory_resize(refiner->sorted, product->words, sizeof(uint32_t));
    }
    refiner->words.count = refiner->links.count = 0;
    refiner->now.count = refiner->later.count = 0;
    refiner->table_size = 0; /* not as large as the largest check needed it */
    store(refiner, ROOT, NO_PROCESS);
    for (uint32_t state; next_state(refiner, &state);) {
        product_load(product, state_at(refiner, state));
        uint32_t condition = NO_OBJECT;
        if (must_steps_taken(refiner)) {
            condition = signalled ? unsignalled(refiner, goal->targets, goal->count) : NO_OBJECT;
            if (condition == NO_OBJECT) {
                trace_back(refiner, state);
                return REFINE_FOUND;
            }
        }
        if (is_full(refiner, most_work))
            return REFINE_INCOMPLETE;
        stubborn_choose(stubborn, product, condition);
        for (uint32_t i = 0; i < stubborn->best_count; i++) {
            product_load(product, state_at(refiner, state));
            product_step(product, stubborn->best[i]);
            refiner->work += 1 + 2 * product->words;
            store(refiner, state, stubborn->best[i]);
        }
    }
    return REFINE_HOLDS;
}

enum refinement refiner_check(struct refiner *refiner, const uint32_t *targets, uint32_t count)
{
    const struct slice_goal goal = {.targets = targets, .count = count};
    return check(refiner, &goal, true);
}

enum refinement refiner_reach(struct refiner *refiner, const struct slice_goal *goal)
{
    return check(refiner, goal, false);
}

uint64_t refiner_work(const struct refiner *refiner)
{
    return refiner->work + refiner->slice->work + refiner->stubborn->work;
}
