/* SPDX-License-Identifier: MIT */
#include "csp/product_layout.h"

#include <assert.h>

#define NONE UINT32_MAX

static const struct step *next_step(const struct product *product, uint32_t process)
{
    return &product->processes->items[process].steps[product_index(product, process)];
}

static uint32_t *words_of(const struct product *product, uint32_t object)
{
    assert(product->offset_of[object] != NONE);
    return &product->state[product->offset_of[object]];
}

static uint32_t *waiter_word(const struct product *product, uint32_t object, uint32_t process)
{
    const uint32_t *waiters = &product->waiters.items[product->waiters_of[object]];
    uint32_t *words = words_of(product, object);
    for (uint32_t i = 0; i < product->waiter_count[object]; i++)
        if (waiters[i] == process)
            return &words[1 + i];
    assert(false); /* a process waits that was not laid out */
    return NULL;
}

bool product_forked(const struct product *product, uint32_t process)
{
    const struct process *self = &product->processes->items[process];
    return self->forker == NO_PROCESS || product_index(product, self->forker) > self->fork_step;
}

static bool is_over(const struct product *product, const struct step *join)
{
    const struct history *history = product->processes->rules->history;
    if (join->other == NO_PROCESS) {
        uint32_t thread = history->events[join->pos].object;
        uint32_t length = history_thread_length(history, thread);
        return !length || history_pos(history, thread, length - 1) < product->processes->from;
    }
    const struct process *joined = &product->processes->items[join->other];
    if (product->slice->target[join->other] != NONE)
        return false; /* its target, which may be no step, is still to come */
    return product_index(product, join->other) == joined->length &&
           product_forked(product, join->other);
}

static bool is_free(const struct product *product, const struct step *step)
{
    return !product->owner[step->lock] &&
           (step->op == EVENT_ACQUIRE_READ || !product->readers[step->lock]);
}

static bool may_wake(const struct product *product, uint32_t process, const struct step *step)
{
    uint32_t word = *waiter_word(product, step->object, process);
    return word == WOKEN || (word >= WAITING && word - WAITING < *words_of(product, step->object));
}

uint32_t product_missing_party(const struct product *product, uint32_t instance)
{
    const struct object *object = &product->processes->objects.items[instance];
    const struct users *users = &object->users[USE_ENTER];
    for (size_t i = 0; i < users->count; i++)
        if (product_index(product, users->items[i].process) <=
            object->uses[USE_ENTER].items[users->items[i].begin])
            return users->items[i].process;
    return NO_PROCESS;
}

static bool is_full(const struct product *product, uint32_t instance)
{
    if (instance == NO_OBJECT)
        return true;
    const struct object *object = &product->processes->objects.items[instance];
    return object->initial + object->users[USE_ENTER].count == object->parties &&
           product_missing_party(product, instance) == NO_PROCESS;
}

static bool has_run(const struct product *product, const struct object *once)
{
    const struct users *users = &once->users[USE_RUN];
    return once->initial == 2 || (users->count && product_index(product, users->items[0].process) >
                                                      once->uses[USE_RUN].items[0]);
}

static enum rule forbids_lock(const struct product *product, const struct step *step)
{
    if (step->flags & EVENT_FAILED && step->op != EVENT_WAIT_END)
        return is_free(product, step) ? RULE_LOCK_FREE : RULE_NONE;
    return is_free(product, step) ? RULE_NONE : RULE_LOCK_HELD;
}

enum rule product_forbids(const struct product *product, uint32_t process)
{
    const struct step *step = next_step(product, process);
    const struct object *objects = product->processes->objects.items;
    bool failed = step->flags & EVENT_FAILED;
    if (!product_forked(product, process))
        return RULE_FORK;
    switch (step->op) {
    case EVENT_JOIN:
        return is_over(product, step) ? RULE_NONE : RULE_JOIN;
    case EVENT_WAIT_END:
        if (!failed && !may_wake(product, process, step))
            return RULE_SIGNAL;
        return forbids_lock(product, step);
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return forbids_lock(product, step);
    case EVENT_BARRIER_ENTER:
        return is_full(product, objects[step->object].previous) ? RULE_NONE : RULE_BARRIER;
    case EVENT_BARRIER_EXIT:
        return is_full(product, step->object) ? RULE_NONE : RULE_BARRIER;
    case EVENT_SEM_WAIT:
        return !*words_of(product, step->object) == failed ? RULE_NONE : RULE_SEMAPHORE;
    case EVENT_ONCE_PASS:
        return has_run(product, &objects[step->object]) ? RULE_NONE : RULE_ONCE;
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_RMW:
        return *words_of(product, step->object) == product->processes->rules->reads_from[step->pos]
                   ? RULE_NONE
                   : RULE_READ;
    default:
        return RULE_NONE;
    }
}

static void lose_token(uint32_t *words, uint32_t waiters, uint32_t token)
{
    words[0]--;
    for (uint32_t i = 1; i <= waiters; i++)
        if (words[i] > WAITING + token)
            words[i]--;
}

static uint32_t unwoken(const uint32_t *words, uint32_t waiters)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= waiters; i++)
        count += words[i] >= WAITING;
    return count;
}

/* Is there a thread for every token, each token's one waiting since before it? */
static bool all_have_takers(const uint32_t *words, uint32_t waiters)
{
    for (uint32_t token = 0; token < words[0]; token++) {
        uint32_t takers = 0;
        for (uint32_t i = 1; i <= waiters; i++)
            takers += words[i] >= WAITING && words[i] <= WAITING + token;
        if (takers <= token)
            return false;
    }
    return true;
}

/* A thread that leaves by itself was chosen if those who stay cannot account for all signals. */
static void leave_condition(uint32_t *words, uint32_t waiters, uint32_t *mine, bool signalled)
{
    uint32_t word = *mine;
    *mine = NOT_WAITING;
    if (word >= WAITING && word - WAITING < words[0] &&
        (signalled || !all_have_takers(words, waiters)))
        lose_token(words, waiters, word - WAITING);
}

/* The semantics of trace/condition.h on words. */
static void step_condition(struct product *product, uint32_t process, const struct step *step)
{
    uint32_t *words = words_of(product, step->object);
    uint32_t waiters = product->waiter_count[step->object];
    switch (step->op) {
    case EVENT_SIGNAL:
        words[0] += words[0] < unwoken(words, waiters);
        break;
    case EVENT_BROADCAST:
        words[0] = 0;
        for (uint32_t i = 1; i <= waiters; i++)
            if (words[i] >= WAITING)
                words[i] = WOKEN;
        break;
    case EVENT_WAIT_BEGIN:
        *waiter_word(product, step->object, process) = WAITING + words[0];
        break;
    default:
        leave_condition(words, waiters, waiter_word(product, step->object, process),
                        !(step->flags & EVENT_FAILED));
        break;
    }
}

void product_step(struct product *product, uint32_t process)
{
    const struct step *step = next_step(product, process);
    uint32_t *index = &product->state[product->slot_of[process]];
    if (step->lock != NO_OBJECT) {
        product_hold(product, process, *index, false);
        product_hold(product, process, *index + 1, true);
    }
    ++*index;
    if (step->object == NO_OBJECT)
        return;
    switch (product->processes->objects.items[step->object].class) {
    case CLASS_CONDITION:
        step_condition(product, process, step);
        break;
    case CLASS_SEMAPHORE:
        if (step->op == EVENT_POST)
            ++*words_of(product, step->object);
        else if (!(step->flags & EVENT_FAILED))
            --*words_of(product, step->object);
        break;
    case CLASS_VARIABLE:
        if (op_in(step->op, OPS_WRITING))
            *words_of(product, step->object) = step->pos;
        break;
    default:
        break;
    }
}

uint32_t product_lock_owner(const struct product *product, uint32_t process)
{
    const struct step *step = next_step(product, process);
    if (product->owner[step->lock])
        return product->owner[step->lock] - 1;
    for (uint32_t p = 0; p < product->processes->count; p++) {
        const struct step *at = next_step(product, p);
        for (uint32_t i = 0; i < at->held_count; i++)
            if (product->processes->held[at->held + i].object == step->lock)
                return p;
    }
    return NO_PROCESS;
}
