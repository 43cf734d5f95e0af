/* SPDX-License-Identifier: MIT */
#include "runtime/lasting.h"

#include <stddef.h>
#include <stdint.h>

/* An address is in one of the ways of its bucket, or nowhere: nothing has to be moved. */
enum { BUCKETS = 2048, WAYS = 8 };

struct addresses {
    _Atomic uintptr_t ways[BUCKETS][WAYS];
};

static struct addresses lasting, dynamic_ones;

static _Atomic uintptr_t *bucket(struct addresses *self, uintptr_t address)
{
    uint64_t mixed = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15);
    return self->ways[(mixed >> 32) % BUCKETS];
}

static bool has(struct addresses *self, uintptr_t address)
{
    const _Atomic uintptr_t *ways = bucket(self, address);
    size_t i = 0;
    while (i < WAYS && ways[i] != address)
        i++;
    return i < WAYS;
}

static void add(struct addresses *self, uintptr_t address)
{
    _Atomic uintptr_t *ways = bucket(self, address);
    if (has(self, address))
        return;
    for (size_t i = 0; i < WAYS; i++) {
        uintptr_t empty = 0;
        if (__atomic_compare_exchange_n((uintptr_t *)&ways[i], &empty, address, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return;
    }
}

/* True if it was there. */
static bool take(struct addresses *self, uintptr_t address)
{
    _Atomic uintptr_t *ways = bucket(self, address);
    bool found = false;
    for (size_t i = 0; i < WAYS; i++)
        if (ways[i] == address) {
            ways[i] = 0;
            found = true;
        }
    return found;
}

void lasting_declare(const volatile void *lock)
{
    take(&dynamic_ones, (uintptr_t)lock);
    add(&lasting, (uintptr_t)lock);
}

void lasting_make(const volatile void *lock, bool dynamic)
{
    take(&lasting, (uintptr_t)lock);
    if (dynamic)
        add(&dynamic_ones, (uintptr_t)lock);
    else
        take(&dynamic_ones, (uintptr_t)lock);
}

bool lasting_ends(const volatile void *lock, bool if_dynamic)
{
    bool dynamic = take(&dynamic_ones, (uintptr_t)lock);
    return if_dynamic ? dynamic : !has(&lasting, (uintptr_t)lock);
}
