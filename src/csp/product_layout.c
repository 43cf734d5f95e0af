/* SPDX-License-Identifier: MIT */
#include "csp/product_layout.h"

#define NONE UINT32_MAX

struct product *product_create(const struct processes *processes)
{
    struct product *product = NEW(struct product);
    product->processes = processes;
    product->slots = NEW_ARRAY(uint32_t, processes->count);
    product->slot_of = NEW_ARRAY(uint32_t, processes->count);
    product->offset_of = NEW_ARRAY(uint32_t, processes->objects.count);
    product->waiters_of = NEW_ARRAY(uint32_t, processes->objects.count);
    product->waiter_count = NEW_ARRAY(uint32_t, processes->objects.count);
    product->owner = NEW_ARRAY(uint32_t, processes->objects.count);
    product->readers = NEW_ARRAY(uint32_t, processes->objects.count);
    return product;
}

void product_destroy(struct product *product)
{
    if (!product)
        return;
    free(product->slots);
    free(product->slot_of);
    free(product->offset_of);
    array_free(&product->waiters);
    free(product->waiters_of);
    free(product->waiter_count);
    free(product->owner);
    free(product->readers);
    free(product->state);
    free(product);
}

void product_hold(struct product *product, uint32_t process, uint32_t index, bool held)
{
    const struct step *step = &product->processes->items[process].steps[index];
    for (uint32_t i = 0; i < step->held_count; i++) {
        const struct held_object *lock = &product->processes->held[step->held + i];
        if (!lock->shared)
            product->owner[lock->object] = held ? process + 1 : 0;
        else if (held)
            product->readers[lock->object]++;
        else
            product->readers[lock->object]--;
    }
}

/* Those who wait at the start, then those of the slice that wait later. */
static void lay_out_condition(struct product *product, uint32_t object)
{
    const struct processes *processes = product->processes;
    const struct object *condition = &processes->objects.items[object];
    const struct condition *start = &processes->start->conditions[condition->id];
    product->waiters_of[object] = (uint32_t)product->waiters.count;
    for (size_t i = 0; i < start->waiting; i++)
        array_push(&product->waiters, processes_of_thread(processes, start->waiters[i].thread));
    const struct users *users = &condition->users[USE_WAIT];
    for (size_t i = 0; i < users->count; i++) {
        uint32_t process = users->items[i].process;
        bool known = false;
        for (size_t w = 0; w < start->waiting; w++)
            known |= product->waiters.items[product->waiters_of[object] + w] == process;
        if (!known && product->slot_of[process] != NONE)
            array_push(&product->waiters, process);
    }
    product->waiter_count[object] = (uint32_t)product->waiters.count - product->waiters_of[object];
    product->words += 1 + product->waiter_count[object];
}

static void lay_out_object(struct product *product, uint32_t object)
{
    enum object_class class = product->processes->objects.items[object].class;
    if (product->offset_of[object] != NONE)
        return;
    if (class != CLASS_CONDITION && class != CLASS_SEMAPHORE && class != CLASS_VARIABLE)
        return;
    product->offset_of[object] = product->words;
    if (class == CLASS_CONDITION)
        lay_out_condition(product, object);
    else
        product->words++;
}

static void begin_condition(struct product *product, uint32_t object)
{
    const struct processes *processes = product->processes;
    const struct condition *start =
        &processes->start->conditions[processes->objects.items[object].id];
    uint32_t *words = &product->state[product->offset_of[object]];
    words[0] = (uint32_t)start->token_count;
    for (size_t i = 0; i < start->waiting; i++) {
        uint32_t before = 0;
        while (before < start->token_count && start->tokens[before] < start->waiters[i].since)
            before++;
        words[1 + i] = start->waiters[i].woken ? WOKEN : WAITING + before;
    }
}

static void begin_state(struct product *product)
{
    const struct processes *processes = product->processes;
    product->state = memory_resize(product->state, product->words, sizeof *product->state);
    memset(product->state, 0, product->words * sizeof *product->state);
    for (uint32_t object = 0; object < processes->objects.count; object++) {
        if (product->offset_of[object] == NONE)
            continue;
        if (processes->objects.items[object].class == CLASS_CONDITION)
            begin_condition(product, object);
        else
            product->state[product->offset_of[object]] = processes->objects.items[object].initial;
    }
    memset(product->owner, 0, processes->objects.count * sizeof *product->owner);
    memset(product->readers, 0, processes->objects.count * sizeof *product->readers);
    for (uint32_t p = 0; p < processes->count; p++)
        product_hold(product, p, 0, true);
}

void product_begin(struct product *product, const struct slice *slice)
{
    const struct processes *processes = product->processes;
    product->slice = slice;
    product->slot_count = 0;
    memset(product->slot_of, 0xff, processes->count * sizeof *product->slot_of);
    memset(product->offset_of, 0xff, processes->objects.count * sizeof *product->offset_of);
    product->waiters.count = 0;
    for (uint32_t p = 0; p < processes->count; p++) {
        if (!slice->limit[p])
            continue;
        product->slot_of[p] = product->slot_count;
        product->slots[product->slot_count++] = p;
    }
    product->words = product->slot_count;
    for (uint32_t p = 0; p < processes->count; p++) {
        if (!slice->limit[p] && slice->target[p] == NONE)
            continue;
        /* One more than its steps: a wait that is the target is looked at too. */
        for (uint32_t at = 0; at <= slice->limit[p]; at++)
            if (processes->items[p].steps[at].object != NO_OBJECT)
                lay_out_object(product, processes->items[p].steps[at].object);
    }
    begin_state(product);
}

void product_load(struct product *product, const uint32_t *state)
{
    for (uint32_t slot = 0; slot < product->slot_count; slot++)
        if (product->state[slot] != state[slot])
            product_hold(product, product->slots[slot], product->state[slot], false);
    for (uint32_t slot = 0; slot < product->slot_count; slot++)
        if (product->state[slot] != state[slot])
            product_hold(product, product->slots[slot], state[slot], true);
    if (product->words) /* memcpy() takes no NULL, not even for nothing */
        memcpy(product->state, state, product->words * sizeof *state);
}
