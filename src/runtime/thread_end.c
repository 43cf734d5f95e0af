/* SPDX-License-Identifier: MIT */
#include "runtime/thread_end.h"

#include "runtime/real.h"
#include "runtime/system.h"

#include <limits.h>
#include <stdatomic.h>

static void (*ended)(void);
static pthread_key_t end_key;
static _Atomic bool is_watched;  /* the key is ours */
static _Atomic uint32_t marking; /* threads that are about to use it */

/* False if nobody is told of the calling thread's end. */
static bool mark(uintptr_t round)
{
    atomic_fetch_add(&marking, 1);
    bool marked = atomic_load(&is_watched) && !pthread_setspecific(end_key, (void *)round);
    atomic_fetch_sub(&marking, 1);
    return marked;
}

/* Runs among the thread's own destructors; it asks to be run again until the
 * last round, so that the others come first. */
static void at_end(void *round)
{
    uintptr_t rounds = (uintptr_t)round;
    if (rounds >= PTHREAD_DESTRUCTOR_ITERATIONS || !mark(rounds + 1))
        ended();
}

/* The highest number for which the C library has room from the beginning: the program's own keys
 * are numbered as if there were none of ours, and marking a thread allocates nothing. */
static bool make_key(void)
{
    enum { ROOM = 32 };
    pthread_key_t keys[ROOM];
    unsigned count = 0;
    while (count < ROOM && REAL(pthread_key_create)(&keys[count], at_end) == 0)
        count++;
    for (unsigned i = 0; i < count; i++) /* they rise */
        if (i == 0 || keys[i] < ROOM)
            end_key = keys[i];
    for (unsigned i = 0; i < count; i++)
        if (keys[i] != end_key)
            pthread_key_delete(keys[i]);
    return count > 0;
}

void thread_end_prepare(void (*tell)(void))
{
    ended = tell;
    atomic_store(&is_watched, make_key());
}

void thread_end_watch(void)
{
    mark(1);
}

void thread_end_unwatched(void *unused)
{
    (void)unused;
    if (!atomic_load(&is_watched) && ended)
        ended();
}

bool thread_end_give_key(void)
{
    if (!atomic_exchange(&is_watched, false))
        return false;
    /* Its number becomes the program's: nobody may use it for us after that. One that was
     * cancelled just there is not waited for any longer. */
    for (unsigned naps = 0; atomic_load(&marking) && naps < 1000; naps++)
        system_nap();
    return pthread_key_delete(end_key) == 0;
}
