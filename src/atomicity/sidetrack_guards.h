/* SPDX-License-Identifier: MIT */
/* What sidetrack knows of a lock, or of a semaphore that serves as one: who acquired and
 * released it last, and each thread's latest window, in which it was let go within a block. */
#ifndef PREPLAY_ATOMICITY_SIDETRACK_GUARDS_H
#define PREPLAY_ATOMICITY_SIDETRACK_GUARDS_H

#include "base/array.h"
#include "relations/access_history.h"

enum guard_mode { EXCLUSIVE, SHARED, MODES };

static inline enum guard_mode guard_mode_of(unsigned op)
{
    return op == EVENT_ACQUIRE_READ || op == EVENT_RELEASE_READ ? SHARED : EXCLUSIVE;
}

/* From one acquire of a block to the next. */
struct guard_window {
    struct access begin, end;
    struct window_blame ARRAY_OF(uint32_t) blame;
    /* Locations of culprits reported already, plus one: findings would be the same. */
    uint32_t reported[6];
};

/* What the check of an acquire asks of a window, kept apart, close together. */
struct guard_window_end {
    struct epoch epoch;
    uint32_t window;
};

struct guard {
    struct window_ends ARRAY_OF(struct guard_window_end) ends;  /* the latest last */
    struct guard_windows ARRAY_OF(struct guard_window) windows; /* latest a thread */
    bool one_owner;            /* so far: who has seen the end of a window has seen all before */
    struct access last[MODES]; /* latest acquire; tick 0: none */
    struct epoch released[MODES];
};

struct guards ARRAY_OF(struct guard);

static inline struct guard *guard_at(struct guards *guards, uint32_t id)
{
    array_grow(guards, id + 1);
    return &guards->items[id];
}

/* In place of the thread's last one. `blame`: the blocks around it. */
void guard_remember_window(struct guard *guard, const struct access *begin,
                           const struct access *end, const uint32_t *blame, uint32_t blamed);
void guards_free(struct guards *guards);

#endif
