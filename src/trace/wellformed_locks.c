/* SPDX-License-Identifier: MIT */
#include "trace/wellformed_state.h"

static enum wellformed_answer acquire_failed(struct wellformed *self, const struct event *event,
                                             const struct lock_state *lock)
{
    if (lock->owner_plus_one || (lock->readers && event->op != EVENT_ACQUIRE_READ))
        return WELLFORMED_KEEP;
    return wellformed_broken(self, "thread " NAME " fails to acquire lock " NAME ", which is free",
                             thread_name(self, event->thread), lock_name(self, event->object));
}

enum wellformed_answer wellformed_acquire(struct wellformed *self, const struct event *event)
{
    struct lock_state *lock = lock_at(self, event->object);
    if (event->flags & EVENT_FAILED)
        return acquire_failed(self, event, lock);
    if (lock->owner_plus_one == event->thread + 1) {
        lock->depth++;
        return WELLFORMED_DROP;
    }
    if (lock->owner_plus_one)
        return wellformed_broken(
            self, "thread " NAME " acquires lock " NAME ", which thread " NAME " holds",
            thread_name(self, event->thread), lock_name(self, event->object),
            thread_name(self, lock->owner_plus_one - 1));
    if (lock->readers)
        return wellformed_broken(
            self, "thread " NAME " acquires lock " NAME " for writing, which is held for reading",
            thread_name(self, event->thread), lock_name(self, event->object));
    lock->owner_plus_one = event->thread + 1;
    lock->depth = 1;
    return WELLFORMED_KEEP;
}

static enum wellformed_answer not_held(struct wellformed *self, const struct event *event)
{
    uint32_t lock = event_lock(event);
    uint32_t owner = self->locks.items[lock].owner_plus_one;
    if (owner)
        return wellformed_broken(
            self, "thread " NAME " releases lock " NAME ", which thread " NAME " holds",
            thread_name(self, event->thread), lock_name(self, lock), thread_name(self, owner - 1));
    return wellformed_broken(self, "thread " NAME " releases lock " NAME ", which it does not hold",
                             thread_name(self, event->thread), lock_name(self, lock));
}

enum wellformed_answer wellformed_release(struct wellformed *self, const struct event *event)
{
    struct lock_state *lock = lock_at(self, event->object);
    if (lock->owner_plus_one != event->thread + 1)
        return not_held(self, event);
    if (--lock->depth)
        return WELLFORMED_DROP;
    lock->owner_plus_one = 0;
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_acquire_read(struct wellformed *self, const struct event *event)
{
    struct lock_state *lock = lock_at(self, event->object);
    if (event->flags & EVENT_FAILED)
        return acquire_failed(self, event, lock);
    if (lock->owner_plus_one)
        return wellformed_broken(
            self, "thread " NAME " acquires lock " NAME ", which thread " NAME " holds",
            thread_name(self, event->thread), lock_name(self, event->object),
            thread_name(self, lock->owner_plus_one - 1));
    uint64_t *depth = map_at(&self->shares, map_pair(event->object, event->thread), NULL);
    if ((*depth)++)
        return WELLFORMED_DROP;
    lock->readers++;
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_release_read(struct wellformed *self, const struct event *event)
{
    struct lock_state *lock = lock_at(self, event->object);
    uint64_t *depth = map_find(&self->shares, map_pair(event->object, event->thread));
    if (!depth)
        return not_held(self, event);
    if (--*depth)
        return WELLFORMED_DROP;
    map_remove(&self->shares, map_pair(event->object, event->thread));
    lock->readers--;
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_wait_begin(struct wellformed *self, const struct event *event)
{
    struct lock_state *lock = lock_at(self, event->other);
    struct thread_state *thread = thread_at(self, event->thread);
    array_grow(&self->conditions, event->object + 1);
    if (lock->owner_plus_one != event->thread + 1)
        return wellformed_broken(self,
                                 "thread " NAME " waits with lock " NAME ", which it does not hold",
                                 thread_name(self, event->thread), lock_name(self, event->other));
    thread->blocked = AT_CONDITION;
    thread->blocked_at = event->object;
    thread->blocked_more = event->other;
    thread->depth_saved = lock->depth;
    lock->owner_plus_one = 0;
    lock->depth = 0;
    condition_wait(&self->conditions.items[event->object], event->thread);
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_wait_end(struct wellformed *self, struct event *event)
{
    struct lock_state *lock = lock_at(self, event->other);
    struct thread_state *thread = thread_at(self, event->thread);
    if (thread->blocked != AT_CONDITION || thread->blocked_at != event->object ||
        thread->blocked_more != event->other)
        return wellformed_broken(self, "thread " NAME " is woken from a wait it did not begin",
                                 thread_name(self, event->thread));
    if (lock->owner_plus_one || lock->readers)
        return wellformed_broken(self, "thread " NAME " is woken while lock " NAME " is held",
                                 thread_name(self, event->thread), lock_name(self, event->other));
    struct condition *condition = &self->conditions.items[event->object];
    if (!condition_may_wake(condition, event->thread))
        event->flags |= EVENT_FAILED;
    condition_wake(condition, event->thread, !(event->flags & EVENT_FAILED));
    thread->blocked = RUNNING;
    lock->owner_plus_one = event->thread + 1;
    lock->depth = thread->depth_saved;
    return WELLFORMED_KEEP;
}

enum wellformed_answer wellformed_signal(struct wellformed *self, const struct event *event)
{
    array_grow(&self->conditions, event->object + 1);
    struct condition *condition = &self->conditions.items[event->object];
    if (event->op == EVENT_SIGNAL)
        condition_signal(condition);
    else
        condition_broadcast(condition);
    return WELLFORMED_KEEP;
}
