/* SPDX-License-Identifier: MIT */
/* The product of the processes of a window: a state is how far each process of
 * the slice went, and what that alone does not tell (who waits at a condition
 * and which signals are pending, semaphore counts, what atomics would see). Lock
 * owners, barriers and once-blocks follow from how far each process went.
 *
 * A state is a row of words, so that explorers hash and store it as it is. */
#ifndef PREPLAY_CSP_PRODUCT_H
#define PREPLAY_CSP_PRODUCT_H

#include "csp/slice.h"

struct product {
    const struct processes *processes;
    const struct slice *slice;
    uint32_t *slots; /* processes that take part, in order */
    uint32_t slot_count;
    uint32_t *slot_of;   /* by process, or UINT32_MAX */
    uint32_t *offset_of; /* by object: its first word, or UINT32_MAX */
    struct waiter_list
        ARRAY_OF(uint32_t) waiters; /* processes, or NO_PROCESS, condition by condition */
    uint32_t *waiters_of;           /* by condition object: first of its waiters */
    uint32_t *waiter_count;         /* by condition object */
    uint32_t words;                 /* of a state */
    uint32_t *state;                /* the current state */
    uint32_t *owner;                /* by lock object: process + 1 of its exclusive owner */
    uint32_t *readers;              /* by lock object */
};

struct product *product_create(const struct processes *processes);
void product_destroy(struct product *product);

/* Lays out the states of a slice and stands at the initial one. */
void product_begin(struct product *product, const struct slice *slice);
/* Stands at a state seen before. */
void product_load(struct product *product, const uint32_t *state);

static inline uint32_t product_index(const struct product *product, uint32_t process)
{
    uint32_t slot = product->slot_of[process];
    return slot == UINT32_MAX ? 0 : product->state[slot];
}

/* Whether the process went as far as its slice allows. */
static inline bool product_done(const struct product *product, uint32_t process)
{
    return product_index(product, process) >= product->slice->limit[process];
}

/* The rule that keeps a process, which is not done, from its next step. */
enum rule product_forbids(const struct product *product, uint32_t process);
/* Takes the next step of a process. */
void product_step(struct product *product, uint32_t process);

bool product_forked(const struct product *product, uint32_t process);
/* Some process that keeps the next step of `process` from its lock. */
uint32_t product_lock_owner(const struct product *product, uint32_t process);
/* Some process that has not entered the instance yet, or NO_PROCESS. */
uint32_t product_missing_party(const struct product *product, uint32_t instance);

#endif
