/* SPDX-License-Identifier: MIT */
#include "runtime/quarantine.h"

#include <stdatomic.h>
#include <stdint.h>

extern void __libc_free(void *);

enum { PLACES = 4 * QUARANTINE_BLOCKS, SMALLEST = 24, ALIGNMENT = 16 };

static struct kept {
    _Atomic(void *) block;
    _Atomic uint32_t size;
} ring[QUARANTINE_BLOCKS];
static _Atomic uint64_t newest, oldest; /* how many came, and how many have gone */
static _Atomic int64_t bytes;
/* By a hash of the address: the block's place in the ring, plus one. Of two blocks with one hash
 * the later is known. */
static _Atomic uint32_t places[PLACES];

static _Atomic uint32_t *place_of(const void *block)
{
    uint64_t mixed = (uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15);
    return &places[mixed >> 32 & (PLACES - 1)];
}

static void put(struct kept *kept, void *block, uint32_t size)
{
    void *old = atomic_exchange(&kept->block, block);
    uint32_t old_size = atomic_exchange(&kept->size, size);
    atomic_fetch_add(&bytes, (int64_t)size - (old ? (int64_t)old_size : 0));
    if (old)
        __libc_free(old);
}

/* The oldest one goes; false if there is none. */
static bool drop_oldest(void)
{
    uint64_t which = atomic_load(&oldest);
    do {
        if (which == atomic_load(&newest))
            return false;
    } while (!atomic_compare_exchange_weak(&oldest, &which, which + 1));
    put(&ring[which % QUARANTINE_BLOCKS], NULL, 0);
    return true;
}

bool quarantine_accepts(const void *block, size_t size)
{
    return (uintptr_t)block % ALIGNMENT == 0 && size >= SMALLEST && size <= QUARANTINE_BLOCK;
}

bool quarantine_take(void *block, size_t size)
{
    uint32_t mine = (uint32_t)(atomic_fetch_add(&newest, 1) % QUARANTINE_BLOCKS);
    put(&ring[mine], block, (uint32_t)size);
    uint32_t before = atomic_exchange(place_of(block), mine + 1);
    bool twice = before && before != mine + 1 && atomic_load(&ring[before - 1].block) == block;
    while (!twice && atomic_load(&bytes) > QUARANTINE_BYTES && drop_oldest())
        ;
    return !twice;
}

void quarantine_empty(void)
{
    while (drop_oldest())
        ;
}
