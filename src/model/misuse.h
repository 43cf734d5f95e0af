/* SPDX-License-Identifier: MIT */
/* Which operation would be a misuse in which state, said once for the checker and the oracle
 * (trace/misuse_rules.h has the rules' names). A run ends at its first misuse: what comes after
 * undefined behaviour says nothing. So a witness of a misuse is a correct reordering in which no
 * earlier event is one, and its last event is.
 *
 *   destroy-held    a destroy of a lock that another thread holds; with the holder's acquire
 *   use-destroyed   an acquire or failed try of a lock, a post of or wait for a semaphore, or a
 *                   signal of a condition variable, whose destroy was executed; with that
 *
 * What the recorded run itself misuses (held or waited for at its destroy, or used after it) has
 * no rule in other runs: what happened is reported as such (misuse/observed.h). */
#ifndef PREPLAY_MODEL_MISUSE_H
#define PREPLAY_MODEL_MISUSE_H

#include "model/machine.h"
#include "trace/misuse_rules.h"

/* What the rules ask of a history; immutable. */
struct misuse_index {
    const struct history *history;
    uint32_t *destroy; /* by lock: its destroy, POS_NONE if there is none or no rule */
    uint32_t locks;
    uint32_t *semaphore_destroy; /* the same by semaphore; NULL: no semaphore has one */
    uint32_t *condition_destroy; /* and by condition variable */
    bool any;                    /* something has one */
};

/* What semaphores and condition variables are used by, as far as it is misuse after a destroy. */
#define OPS_SEMAPHORE_USES (OP_BIT(EVENT_POST) | OP_BIT(EVENT_SEM_WAIT))
#define OPS_CONDITION_USES (OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST))

struct misuse_index *misuse_index_create(const struct history *history);
void misuse_index_destroy(struct misuse_index *index);

/* The destroy of what the event uses, after which that would be a misuse; POS_NONE if there is
 * none, or no rule. */
uint32_t misuse_destroy_of_used(const struct misuse_index *index, const struct event *event);

/* Would `pos`, the next event of its thread, be a misuse in the machine's state because of
 * `partner`, the position of an executed event? */
enum misuse misuse_between(const struct misuse_index *index, const struct machine *machine,
                           uint32_t partner, uint32_t pos);
/* Would it be one at all? Then a partner is in *partner. */
enum misuse misuse_at(const struct misuse_index *index, const struct machine *machine, uint32_t pos,
                      uint32_t *partner);

/* The acquire by which `thread`, which has come as far as the event number `next`, holds the lock;
 * POS_NONE if it does not hold it. */
uint32_t misuse_holding(const struct history *history, uint32_t thread, uint32_t next,
                        uint32_t lock);

#endif
