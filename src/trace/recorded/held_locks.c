#include "trace/recorded/held_locks.h"

void held_locks_follow(struct held_locks *held, const struct event *event, uint64_t address)
{
    if (event_acquires(event)) {
        array_push(held, ((struct held_lock_at){address, event_lock(event), event->thread}));
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
