/* SPDX-License-Identifier: MIT */
/* Locks and condition variables. */
#include "tiddle/generator_actions.h"

/* The place among the thread's holds of a lock it has; held_count if none. */
static uint32_t find_hold(const struct thread *own, bool read_write, uint32_t lock)
{
    uint32_t at = own->held_count;
    while (at > 0 &&
           !(own->held[at - 1].lock == lock && own->held[at - 1].read_write == read_write))
        at--;
    return at ? at - 1 : own->held_count;
}

static void hold(struct thread *own, struct hold hold)
{
    own->held[own->held_count++] = hold;
}

bool do_acquire(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t lock = below(self, self->shape->locks);
    bool try = has(self, SHAPE_TRIES) && chance(self, 40);
    bool mine = self->mutexes[lock].owner == thread;
    if (self->mutexes[lock].destroyed)
        return false;
    if (self->mutexes[lock].owner != NOBODY && !(mine && has(self, SHAPE_REENTRANT))) {
        if (try)
            EMIT(self, thread, "tryacq!(l%u)", lock);
        return try;
    }
    if (own->held_count >= self->shape->depth)
        return false;
    self->mutexes[lock].owner = thread;
    hold(own, (struct hold){.lock = lock});
    EMIT(self, thread, "%sacq(l%u)", try ? "try" : "", lock);
    self->emitted -= mine; /* the reader drops it */
    return true;
}

bool do_acquire_read_write(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    uint32_t lock = below(self, self->shape->locks);
    struct lock *state = &self->read_write[lock];
    if (state->destroyed)
        return false;
    bool shared = chance(self, 60), try = has(self, SHAPE_TRIES) && chance(self, 40);
    const char *word = shared ? "rdacq" : "wracq";
    bool free = state->owner == NOBODY && (shared || !state->readers);
    if (!free) {
        if (try)
            EMIT(self, thread, "try%s!(m%u)", word, lock);
        return try;
    }
    if (own->held_count >= self->shape->depth || find_hold(own, true, lock) < own->held_count)
        return false;
    if (shared)
        state->readers++;
    else
        state->owner = thread;
    hold(own, (struct hold){.lock = lock, .shared = shared, .read_write = true});
    EMIT(self, thread, "%s%s(m%u)", try ? "try" : "", word, lock);
    return true;
}

static void release_at(struct generator *self, uint32_t thread, uint32_t at)
{
    struct thread *own = &self->thread[thread];
    struct hold released = own->held[at];
    for (uint32_t i = at + 1; i < own->held_count; i++)
        own->held[i - 1] = own->held[i];
    own->held_count--;
    if (!released.read_write) {
        bool inner = find_hold(own, false, released.lock) < own->held_count;
        if (!inner)
            self->mutexes[released.lock].owner = NOBODY;
        EMIT(self, thread, "rel(l%u)", released.lock);
        self->emitted -= inner;
        return;
    }
    if (released.shared)
        self->read_write[released.lock].readers--;
    else
        self->read_write[released.lock].owner = NOBODY;
    EMIT(self, thread, "%s(m%u)", released.shared ? "rdrel" : "wrrel", released.lock);
}

bool do_release(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (!own->held_count)
        return false;
    bool crossed = has(self, SHAPE_CROSSED) && chance(self, 40);
    release_at(self, thread, crossed ? below(self, own->held_count) : own->held_count - 1);
    return true;
}

static bool is_waited_with(const struct generator *self, uint32_t mutex)
{
    for (uint32_t i = 0; i < self->threads; i++)
        if ((self->thread[i].phase == SLEEPING || self->thread[i].phase == WOKEN) &&
            self->thread[i].mutex == mutex)
            return true;
    return false;
}

/* A thread that waits there would do so for ever. */
static bool destroy_condition(struct generator *self, uint32_t thread)
{
    uint32_t condition = below(self, CONDITIONS);
    for (uint32_t i = 0; i < self->threads; i++)
        if (self->thread[i].phase == SLEEPING && self->thread[i].condition == condition)
            return false;
    if (self->condition_destroyed[condition])
        return false;
    self->condition_destroyed[condition] = true;
    EMIT(self, thread, "conddestroy(c%u)", condition);
    return true;
}

static bool destroy_semaphore(struct generator *self, uint32_t thread)
{
    uint32_t semaphore = below(self, SEMAPHORES);
    if (self->semaphore_destroyed[semaphore])
        return false;
    self->semaphore_destroyed[semaphore] = true;
    EMIT(self, thread, "semdestroy(s%u)", semaphore);
    return true;
}

/* A lock that nobody holds, nor waits to have back; or something else. */
bool do_destroy(struct generator *self, uint32_t thread)
{
    if (has(self, SHAPE_CONDITIONS) && chance(self, 30))
        return destroy_condition(self, thread);
    if (has(self, SHAPE_SEMAPHORES) && chance(self, 40))
        return destroy_semaphore(self, thread);
    bool read_write = has(self, SHAPE_RWLOCKS) && chance(self, 50);
    uint32_t lock = below(self, self->shape->locks);
    struct lock *state = read_write ? &self->read_write[lock] : &self->mutexes[lock];
    if (state->destroyed || state->owner != NOBODY || state->readers ||
        (!read_write && is_waited_with(self, lock)))
        return false;
    state->destroyed = true;
    EMIT(self, thread, "destroy(%c%u)", read_write ? 'm' : 'l', lock);
    return true;
}

bool do_wait(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (!own->held_count)
        return false;
    struct hold *mutex = &own->held[below(self, own->held_count)];
    if (mutex->read_write || !may_block(self, own->held_count - 1))
        return false;
    uint32_t condition = below(self, CONDITIONS);
    if (self->condition_destroyed[condition])
        return false;
    own->condition = condition;
    own->mutex = mutex->lock;
    own->phase = SLEEPING;
    self->mutexes[own->mutex].owner = NOBODY; /* however often it was acquired */
    EMIT(self, thread, "wait(c%u,l%u)", own->condition, own->mutex);
    return true;
}

bool do_wake(struct generator *self, uint32_t thread)
{
    struct thread *own = &self->thread[thread];
    if (self->mutexes[own->mutex].owner != NOBODY)
        return false;
    bool signalled = own->phase == WOKEN;
    if (!signalled && !chance(self, 10))
        return false;
    own->phase = RUNNING;
    self->mutexes[own->mutex].owner = thread;
    EMIT(self, thread, "woken%s(c%u,l%u)", signalled ? "" : "!", own->condition, own->mutex);
    return true;
}

bool do_signal(struct generator *self, uint32_t thread)
{
    uint32_t condition = below(self, CONDITIONS), sleeping = 0;
    for (uint32_t i = 0; i < self->threads; i++)
        sleeping += self->thread[i].phase == SLEEPING && self->thread[i].condition == condition;
    if ((!sleeping && !chance(self, 20)) || self->condition_destroyed[condition])
        return false; /* lost signals are worth a test, but not many */
    bool all = chance(self, 30);
    uint32_t chosen = sleeping ? below(self, sleeping) : 0;
    for (uint32_t i = 0; i < self->threads; i++)
        if (self->thread[i].phase == SLEEPING && self->thread[i].condition == condition &&
            (chosen-- == 0 || all))
            self->thread[i].phase = WOKEN;
    EMIT(self, thread, "%s(c%u)", all ? "notifyall" : "notify", condition);
    return true;
}
