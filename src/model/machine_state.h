/* SPDX-License-Identifier: MIT */
/* What a machine knows of its objects and threads, for machine.c, which has the rules, and
 * machine_state.c, which makes, copies and compares machines. Nobody else's business. */
#ifndef PREPLAY_MODEL_MACHINE_STATE_H
#define PREPLAY_MODEL_MACHINE_STATE_H

#include "base/map.h"
#include "model/machine.h"
#include "trace/condition.h"

struct lock_state {
    uint32_t owner_plus_one;
    uint32_t readers;
};

struct memory_state {
    uint32_t last_write; /* pos plus one; 0, that is POS_NONE plus one, for the initial value */
    bool tainted;        /* `branch`: written by a thread whose reads had changed */
};

struct machine {
    const struct rules *rules;
    size_t size;    /* with what lies behind it */
    uint32_t *next; /* by thread: index of its next event */
    bool *tainted;  /* by thread: a read of it did not see what it saw */
    struct lock_state *locks;
    struct map shares; /* (lock, thread) of readers */
    struct condition *conditions;
    uint32_t *entered; /* by barrier instance */
    uint32_t *counts;  /* by semaphore */
    uint8_t *onces;    /* 0, 1 begun, 2 ended */
    struct memory_state *memory;
};

#endif
