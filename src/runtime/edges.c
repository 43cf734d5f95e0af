/* SPDX-License-Identifier: MIT */
#include "runtime/edges.h"

#include "runtime/sync.h"

#include <errno.h>

uint64_t edge_mix_bytes(uint64_t seed, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < length; i++)
        seed = edge_mix(seed, at[i] + UINT64_C(1));
    return seed;
}

static void note(uint64_t object, unsigned op, unsigned order, uintptr_t pc)
{
    struct recorder *self = recorder_self();
    if (!(object & ~EDGE_END) || !self || self->ignore_sync)
        return;
    struct sync_record record = {
        .op = (uint8_t)op, .object = object, .size = 1, .order = (uint8_t)order, .pc = pc};
    int saved = errno;
    recorder_code_runs(self, pc);
    self->sync_index++;
    if (unlikely(enforce_active))
        enforce_atomic(self, object, 1, op, pc);
    sync_note(self, &record);
    if (unlikely(enforce_active))
        enforce_atomic_made(self);
    errno = saved;
}

static struct recorder *enforced(void)
{
    struct recorder *self = unlikely(enforce_active) ? recorder_self() : NULL;
    return self && !self->ignore_sync ? self : NULL;
}

void edge_approach(uintptr_t pc)
{
    struct recorder *self = enforced();
    int saved = errno;
    if (self)
        enforce_approach_atomic(self, pc);
    errno = saved;
}

void edge_hold(void)
{
    struct recorder *self = enforced();
    if (self)
        self->holds = true;
}

void edge_let_go(void)
{
    struct recorder *self = enforced();
    int saved = errno;
    if (self) {
        self->holds = false;
        enforce_atomic_made(self);
    }
    errno = saved;
}

void edge_release(uint64_t object, uintptr_t pc)
{
    note(object, EVENT_ATOMIC_RMW, ORDER_RELEASE, pc);
}

void edge_begin(uint64_t object, uintptr_t pc)
{
    note(object, EVENT_ATOMIC_STORE, ORDER_RELEASE, pc);
}

void edge_acquire(uint64_t object, uintptr_t pc)
{
    note(object, EVENT_ATOMIC_LOAD, ORDER_ACQUIRE, pc);
}

void edge_release_loosely(uint64_t object, uintptr_t pc)
{
    edge_acquire(object, pc);
    edge_begin(object, pc);
}
