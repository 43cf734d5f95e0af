/* SPDX-License-Identifier: MIT */
#include "stepper/operations.h"

#include "stepper/heap.h"

static struct stepped *oldest_waiter(const struct object *object)
{
    struct stepped *oldest = NULL;
    for (uint32_t i = 0; i < stepper->threads; i++) {
        struct stepped *thread = step_thread(i);
        if (thread->queue != object)
            continue;
        if (step_waiter() && (uint32_t)stepper->thread[i].name == step_waiter())
            return thread;
        if (!oldest || thread->queued < oldest->queued)
            oldest = thread;
    }
    return oldest;
}

static void wake_all(const struct object *object)
{
    for (uint32_t i = 0; i < stepper->threads; i++)
        if (step_thread(i)->queue == object)
            step_thread(i)->queue = NULL;
}

static uint32_t count_waiting(const struct object *object)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stepper->threads; i++)
        count += step_thread(i)->queue == object;
    return count;
}

static void join_queue(struct stepped *self, struct object *object)
{
    static uint64_t sequence;
    self->queue = object;
    self->queued = ++sequence;
}

static void signal_one(struct object *object, struct step_event *event)
{
    struct stepped *woken = oldest_waiter(object);
    event->made = woken ? stepper->thread[woken->id].name : 0;
    if (woken)
        woken->queue = NULL;
}

static void enter_barrier(struct stepped *self, struct object *object, uint64_t wanted)
{
    if (count_waiting(object) + 1 >= wanted)
        wake_all(object);
    else
        join_queue(self, object);
}

static void apply_lock(struct stepped *self, struct object *object, struct step_event *event)
{
    switch (event->op) {
    case STEP_TRY_LOCK:
    case STEP_TRY_WRITE_LOCK:
        event->seen = !object->owner && !object->readers;
        if (!event->seen)
            return;
        object->owner = self;
        object->depth = 1;
        return;
    case STEP_LOCK:
    case STEP_WRITE_LOCK:
        object->owner = self;
        object->depth = 1;
        return;
    case STEP_TRY_READ_LOCK:
        event->seen = !object->owner;
        object->readers += event->seen != 0;
        return;
    case STEP_READ_LOCK:
        object->readers++;
        return;
    case STEP_UNLOCK_EITHER:
        if (!object->owner && object->readers)
            object->readers--;
        object->owner = NULL;
        return;
    default:
        object->owner = NULL;
    }
}

static void apply(struct stepped *self, struct step_event *event)
{
    struct object *object = object_at(event->object);
    switch (event->op) {
    case STEP_QUEUE:
        join_queue(self, object);
        break;
    case STEP_AWAKE:
        event->seen = !self->queue;
        self->queue = NULL;
        break;
    case STEP_SIGNAL:
        signal_one(object, event);
        break;
    case STEP_BROADCAST:
        wake_all(object);
        break;
    case STEP_ENTER:
        enter_barrier(self, object, event->made);
        break;
    case STEP_SET:
        object->owner = NULL;
        object->readers = 0;
        object->value = event->made;
        break;
    case STEP_TRY_WAIT:
        event->seen = object->value > 0;
        object->value -= event->seen;
        break;
    case STEP_WAIT:
        event->seen = object->value > 0; /* or it was cancelled */
        object->value -= event->seen;
        break;
    case STEP_POST:
        object->value++;
        break;
    case STEP_ONCE:
        event->seen = object->value == 0;
        object->value += event->seen;
        break;
    case STEP_ONCE_DONE:
        object->value = event->made;
        break;
    case STEP_FORK:
    case STEP_JOIN:
    case STEP_LEAVE:
    case STEP_END:
        break;
    default:
        apply_lock(self, object, event);
    }
}

uint64_t step_perform(struct stepped *self, enum step_op op, unsigned flags, uint64_t object,
                      uint64_t made, uintptr_t pc)
{
    struct step_event event = {
        .op = (uint8_t)op, .flags = (uint8_t)flags, .object = object, .made = made, .pc = pc};
    step_before(self, &event);
    if (op < STEP_FORK)
        heap_check(object, pc);
    apply(self, &event);
    step_tell(self, event);
    return event.seen;
}

void step_set_alarm(struct stepped *self, const struct timespec *until)
{
    uint64_t seconds = (uint64_t)until->tv_sec;
    self->alarm =
        seconds < EPOCH ? 0 : (seconds - EPOCH) * UINT64_C(1000000000) + (uint64_t)until->tv_nsec;
}
