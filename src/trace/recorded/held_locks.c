/* SPDX-License-Identifier: MIT */
#include "trace/recorded/held_locks.h"

void held_locks_follow(struct held_locks *held, const struct event *event, uint64_t address)
{
    if (event_acquires(event)) {
        array_push(held, ((struct held_lock_at){address, event_lock(event), event->thread,
                                                event->op == EVENT_ACQUIRE_READ}));
        return;
    }
    if (!event_releases(event))
        return;
    for (size_t i = held->count; i-- > 0;)
        if (held->items[i].lock == event_lock(event) && held->items[i].thread == event->thread) {
            held->items[i] = array_last(held);
            held->count--;
            return;
        }
}

bool held_locks_amiss(const struct held_locks *held, const struct event *event,
                      struct held_lock_at *holder)
{
    bool reading = event->op == EVENT_RELEASE_READ, amiss = false;
    if (!reading && event->op != EVENT_RELEASE_WRITE)
        return false;
    for (size_t i = held->count; i-- > 0;) {
        const struct held_lock_at *at = &held->items[i];
        if (at->lock != event->object)
            continue;
        if (at->thread == event->thread && at->reading == reading)
            return false;
        if (!amiss || at->thread == event->thread)
            *holder = *at;
        amiss = true;
    }
    return amiss;
}

bool held_locks_any(const struct held_locks *held, uint32_t lock)
{
    size_t i = 0;
    while (i < held->count && held->items[i].lock != lock)
        i++;
    return i < held->count;
}

bool held_locks_take(struct held_locks *held, uint64_t address, uint64_t length, uint32_t *lock)
{
    for (size_t i = 0; i < held->count; i++)
        if (held->items[i].address - address < length) {
            *lock = held->items[i].lock;
            held->items[i] = array_last(held);
            held->count--;
            return true;
        }
    return false;
}
