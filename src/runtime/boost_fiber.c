/* SPDX-License-Identifier: MIT */
/* Boost.Fiber. What fibers wait for is in headers, guarded by spinlocks; how one comes to wait, and
 * goes on, is in the library: a fiber that goes on comes after whoever scheduled it, and the
 * spinlock that it held is given back by the library once it sleeps. */
#include "runtime/library.h"

#define LIBRARY "libboost_fiber.so.1.74.0"

/* std::unique_lock of a spinlock, which is one word. */
struct held {
    uint32_t *lock;
    bool is_held;
};

LIBRARY_RELEASES(_ZN5boost6fibers7context8scheduleEPS1_, (void *self, void *fiber), (self, fiber),
                 fiber)

LIBRARY_FUNCTION(void, _ZN5boost6fibers7context7suspendEv, (void *self))
{
    LIBRARY_NEXT(void, _ZN5boost6fibers7context7suspendEv, (void *));
    next(self);
    sync_edge(EVENT_ATOMIC_LOAD, self, CALLER);
}

static void give_back(const struct held *held, uintptr_t pc)
{
    if (held->is_held)
        sync_publish(held->lock, sizeof *held->lock, pc);
}

LIBRARY_FUNCTION(void,
                 _ZN5boost6fibers7context7suspendERSt11unique_lockINS0_6detail13spinlock_ttasEE,
                 (void *self, struct held *held))
{
    LIBRARY_NEXT(void,
                 _ZN5boost6fibers7context7suspendERSt11unique_lockINS0_6detail13spinlock_ttasEE,
                 (void *, struct held *));
    give_back(held, CALLER);
    next(self, held);
    sync_edge(EVENT_ATOMIC_LOAD, self, CALLER);
}

#define TIME                                                                                       \
    _ZN5boost6fibers7context10wait_untilERKNSt6chrono10time_pointINS2_3_V212steady_clockENS2_8durationIlSt5ratioILl1ELl1000000000EEEEEE
#define TIME_HELD                                                                                  \
    _ZN5boost6fibers7context10wait_untilERKNSt6chrono10time_pointINS2_3_V212steady_clockENS2_8durationIlSt5ratioILl1ELl1000000000EEEEEERSt11unique_lockINS0_6detail13spinlock_ttasEE
#define NEXT_OF(result, name, parameters) LIBRARY_NEXT(result, name, parameters)

LIBRARY_FUNCTION(bool, TIME, (void *self, const void *until))
{
    NEXT_OF(bool, TIME, (void *, const void *));
    bool woken = next(self, until);
    sync_edge(EVENT_ATOMIC_LOAD, self, CALLER);
    return woken;
}

LIBRARY_FUNCTION(bool, TIME_HELD, (void *self, const void *until, struct held *held))
{
    NEXT_OF(bool, TIME_HELD, (void *, const void *, struct held *));
    give_back(held, CALLER);
    bool woken = next(self, until, held);
    sync_edge(EVENT_ATOMIC_LOAD, self, CALLER);
    return woken;
}
