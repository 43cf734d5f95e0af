/* SPDX-License-Identifier: MIT */
/* How the recorded run left its synchronisation objects: who holds what, which signals and
 * posts nobody has taken, who has ended. */
#ifndef PREPLAY_MODEL_HANG_STATE_H
#define PREPLAY_MODEL_HANG_STATE_H

#include "base/array.h"
#include "trace/condition.h"
#include "trace/history.h"

struct hang_hold {
    uint32_t lock, thread;
    bool shared; /* for reading */
};

struct hang_state {
    const struct history *history;
    bool *started, *ended; /* by thread */
    uint32_t *wish_of;     /* by thread: pos of its wish, or POS_NONE */
    struct hang_holds ARRAY_OF(struct hang_hold) holds; /* sorted by lock, then thread */
    struct condition *conditions;
    int64_t *counts;       /* by semaphore */
    bool *semaphore_locks; /* by semaphore, or NULL (semaphore_locks.h) */
    uint32_t *takers;      /* by semaphore: who took it last, plus one */
    bool *posted;          /* by semaphore: who took it gave it back, once at least */
    uint32_t *inside;      /* by once: the thread that runs it, plus one */
    uint32_t *entered;     /* by thread: the barrier instance it entered last */
    bool *left;            /* by barrier instance: somebody has left it */
};

void hang_state_read(struct hang_state *state, const struct history *history);
void hang_state_free(struct hang_state *state);

/* The holds of a lock: items[*from .. returned - 1]. */
size_t hang_state_holds(const struct hang_state *state, uint32_t lock, size_t *from);

#endif
