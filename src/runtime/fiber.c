/* SPDX-License-Identifier: MIT */
/* Fibers: a program that switches stacks by itself says so through these calls.
 * Each fiber is a thread of the trace; a switch orders what was before it with
 * what comes after, unless the program asks otherwise. */
#include "runtime/sync.h"

enum { SWITCH_WITHOUT_EDGE = 1 };

static void edge(struct recorder *self, unsigned op, const void *fiber, uintptr_t pc)
{
    struct sync_record record = {
        .op = (uint8_t)op, .object = (uintptr_t)fiber, .size = 1, .order = ORDER_ACQ_REL, .pc = pc};
    self->sync_index++;
    sync_note(self, &record);
}

EXPORT void *__tsan_get_current_fiber(void);
EXPORT void *__tsan_get_current_fiber(void)
{
    return recorder_self();
}

EXPORT void *__tsan_create_fiber(unsigned flags);
EXPORT void *__tsan_create_fiber(unsigned flags)
{
    (void)flags;
    struct sync sync = SYNC(EVENT_FORK, 0);
    struct recorder *self = sync.recorder;
    if (!self)
        return NULL;
    uint32_t number = atomic_fetch_add(&process.streams, 1);
    uint32_t child = atomic_fetch_add(&self->children, 1) + 1;
    sync.record.object = number;
    sync_before(&sync);
    sync_after(&sync);
    return recorder_create(number, self->number, child, self->stamper.clock);
}

EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags);
EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    struct recorder *self = recorder_current, *next = fiber;
    if (!self || !next || self == next)
        return;
    if (!(flags & SWITCH_WITHOUT_EDGE))
        edge(self, EVENT_ATOMIC_RMW, next, CALLER);
    recorder_current = next;
    if (!(flags & SWITCH_WITHOUT_EDGE))
        edge(next, EVENT_ATOMIC_LOAD, next, CALLER);
}

EXPORT void __tsan_destroy_fiber(void *fiber);
EXPORT void __tsan_destroy_fiber(void *fiber)
{
    struct recorder *self = recorder_current, *other = fiber;
    if (!self || !other || self == other)
        return;
    recorder_current = other;
    recorder_finish(other);
    recorder_current = self;
}

EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
    (void)fiber, (void)name;
}
