/* SPDX-License-Identifier: MIT */
#include "runtime/stamps.h"

struct slot stamp_slots[STAMP_SLOTS];

/* In turns of waiting: a few that only pause, a few that let others of the same priority run,
 * then sleeps of some fifty microseconds. In between an owner runs that can run at all. */
enum {
    WAIT_PAUSES = 64,
    WAIT_YIELDS = WAIT_PAUSES + 16,
    WAIT_OWN = WAIT_YIELDS + 2,        /* time enough to name oneself the owner */
    WAIT_NESTED = WAIT_YIELDS + 200,   /* about ten milliseconds */
    WAIT_LONGEST = WAIT_YIELDS + 8000, /* about a second */
};

static void wait_a_little(unsigned tries)
{
    if (tries < WAIT_PAUSES)
        __builtin_ia32_pause();
    else if (tries < WAIT_YIELDS)
        system_yield();
    else
        system_sleep(50000);
}

/* Three that will not come back soon: the thread itself, interrupted by a handler (which may have
 * come before it could say that the slot is its own); one that waits in a handler for a slot that
 * this thread has locked in turn; and one that has ended in the middle. */
static bool will_not_unlock(struct slot *slot, const struct stamper *own, unsigned tries)
{
    const struct stamper *owner = atomic_load_explicit(&slot->owner, memory_order_relaxed);
    return owner == own || (!owner && own->inside == slot && tries >= WAIT_OWN) ||
           (own->nested > 1 && tries >= WAIT_NESTED) || tries >= WAIT_LONGEST;
}

uint64_t stamp_wait(struct slot *slot, const struct stamper *own)
{
    for (unsigned tries = 0; !will_not_unlock(slot, own, tries); tries++) {
        uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_acquire);
        if (!(clock & 1))
            return clock;
        wait_a_little(tries);
    }
    return atomic_fetch_and(&slot->clock, ~UINT64_C(1)) & ~UINT64_C(1);
}
