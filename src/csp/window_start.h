/* SPDX-License-Identifier: MIT */
/* The state of every synchronisation object at some place of the observed order:
 * what a window of the trace starts from. It is moved forward window by window,
 * so that cutting a trace into windows costs one pass over it. */
#ifndef PREPLAY_CSP_WINDOW_START_H
#define PREPLAY_CSP_WINDOW_START_H

#include "base/array.h"
#include "model/machine.h"
#include "trace/condition.h"

struct held_lock {
    uint32_t lock;
    bool shared;
};

struct held_locks ARRAY_OF(struct held_lock);

struct window_start {
    const struct rules *rules;
    uint32_t at;                  /* events before this pos were executed as observed */
    struct condition *conditions; /* by condition */
    uint32_t *counts;             /* by semaphore */
    uint32_t *last_write;         /* by variable: pos or POS_NONE */
    uint32_t *entered;            /* by barrier instance */
    uint8_t *onces;               /* by once: 0, 1 begun, 2 ended */
    struct held_locks *held;      /* by thread, in order of acquisition */
};

struct window_start *window_start_create(const struct rules *rules);
void window_start_destroy(struct window_start *start);
/* Executes the observed events up to, not including, `to`. */
void window_start_advance(struct window_start *start, uint32_t to);

/* What an event does to the locks its thread holds. */
void held_locks_step(struct held_locks *held, const struct event *event);

#endif
