/* SPDX-License-Identifier: MIT */
#include "misuse/advised.h"

#include "base/array.h"
#include "base/map.h"

/* Positions are kept plus one: 0 is "never". */
struct advised {
    misuse_tell *tell;
    void *context;
    struct creations ARRAY_OF(uint32_t) creations; /* by thread; of one that is taken care of, 0 */
    struct waits_with ARRAY_OF(uint32_t) mutexes;  /* by condition: of the last wait, plus one */
    struct map acquires;                           /* (lock, thread) -> the last */
    struct map signals;                            /* (condition, thread) -> the last */
};

struct advised *advised_create(misuse_tell *tell, void *context)
{
    struct advised *self = NEW(struct advised);
    self->tell = tell;
    self->context = context;
    return self;
}

void advised_destroy(struct advised *self)
{
    if (!self)
        return;
    array_free(&self->creations);
    array_free(&self->mutexes);
    map_free(&self->acquires);
    map_free(&self->signals);
    free(self);
}

static void tell(const struct advised *self, enum misuse rule, uint32_t pos)
{
    self->tell(self->context, &(struct misuse_seen){rule, POS_NONE, pos});
}

static void care(struct advised *self, uint32_t thread, uint32_t creation)
{
    array_grow(&self->creations, thread + 1);
    self->creations.items[thread] = creation;
}

static uint32_t *mutex_of(struct advised *self, uint32_t condition)
{
    array_grow(&self->mutexes, condition + 1);
    return &self->mutexes.items[condition];
}

/* A mutex that was taken since the last signal was held at some time between the two. */
static void signal_given(struct advised *self, const struct event *event, uint32_t pos)
{
    uint32_t mutex = *mutex_of(self, event->object);
    uint64_t *last = map_at(&self->signals, map_pair(event->object, event->thread), NULL);
    const uint64_t *acquired =
        mutex ? map_find(&self->acquires, map_pair(mutex - 1, event->thread)) : NULL;
    if (mutex && (!acquired || *acquired < *last))
        tell(self, MISUSE_SIGNAL_UNLOCKED, pos);
    *last = pos + 1;
}

void advised_step(struct advised *self, const struct event *event, uint32_t pos)
{
    switch (event->op) {
    case EVENT_FORK:
        care(self, event->object, pos + 1);
        break;
    case EVENT_JOIN:
    case EVENT_DETACH:
        care(self, event->object, 0);
        break;
    case EVENT_WAIT_BEGIN:
        *mutex_of(self, event->object) = event->other + 1;
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        signal_given(self, event, pos);
        break;
    default:
        break;
    }
    if (event_acquires(event))
        *map_at(&self->acquires, map_pair(event_lock(event), event->thread), NULL) = pos + 1;
}

void advised_finish(struct advised *self)
{
    for (size_t i = 0; i < self->creations.count; i++)
        if (self->creations.items[i])
            tell(self, MISUSE_THREAD_LEAK, self->creations.items[i] - 1);
}
