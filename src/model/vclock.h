/* SPDX-License-Identifier: MIT */
/* Vector clocks over logical threads, and epochs: the one entry of a vector
 * clock that says when an access happened (FastTrack's observation that this
 * entry nearly always suffices). Clocks grow as threads appear; a thread beyond
 * the end counts as 0. */
#ifndef PREPLAY_MODEL_VCLOCK_H
#define PREPLAY_MODEL_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct vclock is the clock that has seen nothing. */
struct vclock {
    uint32_t *ticks;
    uint32_t size, room;
};

static inline uint32_t vclock_get(const struct vclock *clock, uint32_t thread)
{
    return thread < clock->size ? clock->ticks[thread] : 0;
}

void vclock_set(struct vclock *clock, uint32_t thread, uint32_t tick);
/* The least clock that has seen what both have; true if `clock` grew. */
bool vclock_join(struct vclock *clock, const struct vclock *other);
void vclock_copy(struct vclock *clock, const struct vclock *other);
bool vclock_covers(const struct vclock *clock, const struct vclock *other);
/* The first thread from `from` on of which `other` has seen more than `clock`, which gets
 * room for all of them; other->size if there is none. */
uint32_t vclock_next_above(struct vclock *clock, const struct vclock *other, uint32_t from);
/* Forgets everything, keeps the memory. */
void vclock_clear(struct vclock *clock);
void vclock_free(struct vclock *clock);

/* A moment of one thread. The zero epoch is before everything. */
struct epoch {
    uint32_t thread, tick;
};

static inline bool vclock_saw(const struct vclock *clock, struct epoch epoch)
{
    return epoch.tick <= vclock_get(clock, epoch.thread);
}

#endif
