/* SPDX-License-Identifier: MIT */
/* What a thread's atomic loads saw, to see through spinning.
 *
 * Between two of its other synchronisation operations, a load at a place of code that sees the
 * store which that place saw before, called from where it was, in an order no stronger, adds
 * nothing: however long a loop around such loads turns, each leaves one record for each store that
 * it saw. So does the last load again, at whatever place (a loop that was unrolled). Whether a load
 * is a repetition is the code's to decide, never what others stored meanwhile.
 *
 * Of more loads in one loop than there is room for, some are recorded each time. */
#ifndef PREPLAY_RUNTIME_SPINS_H
#define PREPLAY_RUNTIME_SPINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPINS = 32, SPINS_NEAR = 2 };

struct spin {
    uintptr_t object, place;  /* object 0: none; place: recorder_place() */
    uint64_t clock;           /* of the store that it saw */
    uint32_t index;           /* the thread's operations other than loads, so far */
    uint8_t order, strongest; /* of the last load recorded; of all that repeat it */
};

struct spins {
    struct spin items[SPINS];
    uint32_t last; /* the load before this one */
};

static inline bool spin_is(const struct spin *spin, uintptr_t object, uint32_t index)
{
    return spin->object == object && spin->index == index;
}

static inline uint32_t spins_home(uintptr_t object, uintptr_t place)
{
    return (uint32_t)((object ^ place << 16) * UINT64_C(0x9e3779b97f4a7c15) >> 59);
}

/* The load that one of `object` at `place` repeats, or NULL. */
static inline struct spin *spins_find(struct spins *spins, uintptr_t object, uintptr_t place,
                                      uint32_t index)
{
    struct spin *last = &spins->items[spins->last];
    if (spin_is(last, object, index))
        return last;
    for (uint32_t i = 0, home = spins_home(object, place); i < SPINS_NEAR; i++) {
        struct spin *spin = &spins->items[home ^ i];
        if (spin_is(spin, object, index) && spin->place == place)
            return spin;
    }
    return NULL;
}

static inline void spins_turn(struct spins *spins, const struct spin *spin)
{
    spins->last = (uint32_t)(spin - spins->items);
}

/* Notes a load that is recorded; true if it repeats one. */
static inline bool spins_note(struct spins *spins, uintptr_t object, uintptr_t place,
                              uint32_t index, uint64_t clock, int order)
{
    struct spin *spin = spins_find(spins, object, place, index);
    bool repeats = spin && order <= spin->strongest;
    if (!spin) {
        uint32_t home = spins_home(object, place);
        spin = &spins->items[home];
        if (spin->object && spin->index == index) /* in use: next to it */
            spin = &spins->items[home ^ 1];
    }
    if (!repeats)
        *spin = (struct spin){
            .object = object, .place = place, .index = index, .strongest = (uint8_t)order};
    spin->clock = clock;
    spin->order = (uint8_t)order;
    spins_turn(spins, spin);
    return repeats;
}

#endif
