/* SPDX-License-Identifier: MIT */
#include "runtime/played_waits.h"

#include "runtime/system.h"

#include <linux/futex.h>

enum { ASLEEP, WOKEN, LOOK };

/* Oldest first: a signal without a schedule's choice goes to who waits longest. */
static struct played_wait *waits;
static _Atomic bool locked;

static void lock(void)
{
    while (atomic_exchange_explicit(&locked, true, memory_order_acquire))
        system_sleep(50000); /* whoever has it must be able to run */
}

static void unlock(void)
{
    atomic_store_explicit(&locked, false, memory_order_release);
}

static void set_state(struct played_wait *wait, uint32_t state)
{
    atomic_store(&wait->state, state);
    system_call(SYS_futex, (long)&wait->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

void played_wait_begin(struct played_wait *wait, uintptr_t condition)
{
    *wait = (struct played_wait){.condition = condition};
    lock();
    struct played_wait **last = &waits;
    while (*last)
        last = &(*last)->next;
    *last = wait;
    unlock();
}

/* The schedule ends a wait that no signal was given to: it takes another one's. */
static void change_places(const struct played_wait *wait)
{
    for (struct played_wait *other = waits; other; other = other->next)
        if (other != wait && other->condition == wait->condition &&
            atomic_load(&other->state) == WOKEN) {
            atomic_store(&other->state, ASLEEP);
            return;
        }
}

void played_wait_end(struct played_wait *wait)
{
    lock();
    if (atomic_load(&wait->state) != WOKEN)
        change_places(wait);
    for (struct played_wait **at = &waits; *at; at = &(*at)->next)
        if (*at == wait) {
            *at = wait->next;
            break;
        }
    unlock();
}

bool played_wait_sleep(struct played_wait *wait)
{
    for (;;) {
        uint32_t state = atomic_load(&wait->state);
        if (state == WOKEN)
            return true;
        if (state == LOOK && atomic_compare_exchange_strong(&wait->state, &state, ASLEEP))
            return false;
        if (state == ASLEEP)
            system_call(SYS_futex, (long)&wait->state, FUTEX_WAIT_PRIVATE, ASLEEP, 0, 0, 0);
    }
}

bool played_waits_wake(uintptr_t condition, bool all)
{
    bool any = false;
    lock();
    for (struct played_wait *wait = waits; wait && (all || !any); wait = wait->next)
        if (wait->condition == condition && atomic_load(&wait->state) != WOKEN) {
            set_state(wait, WOKEN);
            any = true;
        }
    unlock();
    return any;
}

void played_waits_look(void)
{
    lock();
    for (struct played_wait *wait = waits; wait; wait = wait->next)
        if (atomic_load(&wait->state) == ASLEEP)
            set_state(wait, LOOK);
    unlock();
}

void played_waits_forget(void)
{
    waits = NULL;
    atomic_store(&locked, false);
}
