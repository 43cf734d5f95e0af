/* SPDX-License-Identifier: MIT */
/* A moment: a vector clock that is kept after its thread has moved on, and shared
 * by all who refer to it. */
#ifndef PREPLAY_RELATIONS_MOMENT_H
#define PREPLAY_RELATIONS_MOMENT_H

#include "model/vclock.h"

struct moment {
    struct vclock clock;
    uint32_t thread, tick; /* whose, and its own entry */
    uint32_t references;
    struct moment *next; /* while it waits to be used again */
};

/* A zeroed struct moments is empty. */
struct moments {
    struct moment *unused;
};

/* One reference belongs to the caller. */
struct moment *moment_take(struct moments *moments, uint32_t thread, const struct vclock *clock);
void moment_drop(struct moments *moments, struct moment *moment); /* NULL is fine */
void moments_free(struct moments *moments);

static inline struct moment *moment_share(struct moment *moment)
{
    moment->references++;
    return moment;
}

#endif
