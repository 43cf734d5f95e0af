/* SPDX-License-Identifier: MIT */
/* A schedule inside the target: parsed once, then only read (but for what a thread keeps
 * for itself). */
#ifndef PREPLAY_RUNTIME_SCHEDULE_H
#define PREPLAY_RUNTIME_SCHEDULE_H

#include "trace/schedule.h"

#include <stdbool.h>
#include <time.h>

/* What a thread does instead of a step when it ends the program. */
#define SCHEDULE_EXIT (EVENT_COUNT + 1)

enum { SCHEDULE_NAME = 128, SCHEDULE_MODULE = 1024 };

/* Code that accesses memory. */
struct schedule_place {
    uint64_t offset;    /* in its module ... */
    uintptr_t pc;       /* ... and in memory, once the module is found */
    const char *module; /* file name */
};

struct schedule_step {
    uint32_t thread; /* its number */
    uint32_t index;  /* scheduled operations its thread has performed by then */
    uint32_t group;  /* the first of the steps around it that may come in any order */
    uint8_t op;
    bool failed, beside;
    struct schedule_place place; /* of an access */
};

struct schedule_target {
    uint32_t number; /* in the control block */
    uint32_t index;  /* scheduled operations its thread has performed by then */
    uint8_t op;
    struct schedule_place place; /* of an access */
};

struct schedule_thread {
    uint32_t number;
    uint32_t first, steps; /* in `positions` */
    uint32_t operations;   /* steps that are no accesses */
    uint32_t glances;      /* looks before it sleeps at a gate */
    uint32_t slept;        /* times that it did so without a look */
    uint64_t path;
    struct schedule_target *target; /* or NULL */
    char name[SCHEDULE_NAME];
};

struct schedule {
    struct schedule_thread *threads;
    struct schedule_step *steps;
    uint32_t *positions; /* of steps, thread by thread */
    struct schedule_target targets[CONTROL_TARGETS];
    uint32_t thread_count, step_count, target_count;
    uint32_t first;         /* the target, from 1, whose access is made first; 0: any */
    struct timespec glance; /* how long a thread at its target sleeps between looks */
};

bool schedule_load(struct schedule *schedule, const char *path);

/* "acq", "rel", ... as in text traces. */
const char *schedule_op_text(unsigned op);
/* A mutex that was handed over is a semaphore in the trace, a mutex in the program. */
bool schedule_same_op(unsigned expected, unsigned op);
/* Of a step's or target's `op`. */
bool schedule_is_access(unsigned op);
bool schedule_is_here(struct schedule_place *place, uintptr_t pc);

#endif
