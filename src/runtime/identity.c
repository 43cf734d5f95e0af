/* SPDX-License-Identifier: MIT */
#include "runtime/identity.h"

#include "runtime/system.h"

#include <linux/futex.h>
#include <stdatomic.h>

/* The number of the thread's stream, plus one. pthread_join() reads it in the
 * other thread: its thread-local memory stays until it is joined, at the same
 * distance from its handle as ours is from our own. */
static __thread _Atomic uint32_t own_number __attribute__((tls_model("initial-exec")));

/* Threads that have said who they are, and how many wait for one that has not. Whoever joins writes
 * nothing to the other's memory: a handle that is no thread's may lead anywhere. */
static _Atomic uint32_t said, waiting;

void identity_say(uint32_t number)
{
    atomic_store(&own_number, number + 1);
    atomic_fetch_add(&said, 1);
    if (atomic_load(&waiting))
        system_ask(SYS_futex, (long)&said, FUTEX_WAKE_PRIVATE, INT32_MAX, 0, 0, 0);
}

/* On a busy machine it may take long until a thread runs for the first time; giving way again and
 * again would make it longer, and signals may interrupt each single wait. */
static uint32_t wait_for(const _Atomic uint32_t *theirs)
{
    enum { LONGEST = 3, SEALED_TURNS = 3000, TIMED_OUT = -110 };
    struct timespec until = {0};
    uint32_t found, seen;
    unsigned turns = 0;
    system_ask(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&until, 0, 0, 0, 0);
    until.tv_sec += LONGEST;
    atomic_fetch_add(&waiting, 1);
    for (;;) {
        seen = atomic_load(&said);
        found = atomic_load(theirs);
        if (found || turns == SEALED_TURNS)
            break;
        if (system_sealed) {
            system_nap();
            turns++;
        } else if (system_ask(SYS_futex, (long)&said, FUTEX_WAIT_BITSET_PRIVATE, (long)seen,
                              (long)&until, 0, FUTEX_BITSET_MATCH_ANY) == TIMED_OUT)
            break;
    }
    atomic_fetch_sub(&waiting, 1);
    return found;
}

bool identity_of(pthread_t thread, uint32_t *number)
{
    uintptr_t distance = (uintptr_t)&own_number - (uintptr_t)pthread_self();
    const _Atomic uint32_t *theirs = (const _Atomic uint32_t *)((uintptr_t)thread + distance);
    /* No thread at all: the C library has an answer to some of these. */
    if (!thread || !system_readable((const void *)theirs, sizeof *theirs))
        return false;
    uint32_t found = atomic_load(theirs);
    if (!found)
        found = wait_for(theirs);
    *number = found - 1;
    return found != 0;
}
