#include "runtime/stamps.h"

struct slot stamp_slots[STAMP_SLOTS];

uint64_t stamp_wait(struct slot *slot, const struct stamper *own)
{
    for (unsigned tries = 0; tries < STAMP_PATIENCE && own->inside != slot; tries++) {
        uint64_t clock = atomic_load_explicit(&slot->clock, memory_order_acquire);
        if (!(clock & 1))
            return clock;
        if (tries < 64)
            __builtin_ia32_pause();
        else
            system_yield();
    }
    /* A signal handler inside its own thread's lock, or an owner that is gone. */
    return atomic_fetch_and(&slot->clock, ~UINT64_C(1)) & ~UINT64_C(1);
}
