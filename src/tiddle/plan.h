/* SPDX-License-Identifier: MIT */
/* What a program must know about a trace before its first line is written.
 * Private to the generator. */
#ifndef PREPLAY_TIDDLE_PLAN_H
#define PREPLAY_TIDDLE_PLAN_H

#include "tiddle/complete.h"

#define STEP_NEVER UINT32_MAX

struct plan {
    struct completion completion;
    const struct history *history; /* the completed one: a step is a pos of it */
    uint64_t *written;             /* by pos, of writes: the value to write */
    bool *adds;                    /* by pos, of read-modify-writes: any change will do */
    uint64_t *initial;             /* by variable */
    bool *heap;                    /* by variable: allocated or freed */
    bool *heap_early;              /* by variable: it is there before the first step */
    bool *is_rwlock;               /* by lock */
    uint32_t *partner;             /* by pos: the end of a wait, barrier, block or once */
    bool *in_place;                /* by thread: its blocks do not nest like functions */
    uint32_t *signal_of;           /* by pos of a wait: the signal its thread gets */
    uint32_t *parties;             /* by barrier instance: threads it waits for */
    uint64_t ops;                  /* operations that occur */
    bool clean_end;                /* no lock is held and no thread blocked at the end */
};

/* `strict`: the order will be enforced, so it must be one that pthreads can do. */
int plan_create(struct plan *plan, struct trace *trace, const struct history *history, bool strict,
                struct error *error);
void plan_free(struct plan *plan);

#endif
