/* SPDX-License-Identifier: MIT */
#include "misuse/candidates.h"

#include "base/map.h"
#include "model/order.h"

/* A section of a lock that will be destroyed, or a use of what else will be. */
struct section {
    uint32_t use, release;
    struct epoch end; /* what must be seen of its thread for it to be over */
};

struct lock_sections ARRAY_OF(struct section);

struct walk {
    const struct misuse_index *index;
    struct misuse_candidates *candidates;
    struct order *must;
    struct lock_sections *locks;
    struct map uses; /* pos of the destroy of a semaphore or condition -> its place in `others` */
    struct others ARRAY_OF(struct lock_sections) others;
};

/* A try that fails is over at once. */
static void open_section(struct walk *walk, const struct event *event, uint32_t pos)
{
    struct section section = {.use = pos, .release = POS_NONE, .end = {event->thread, UINT32_MAX}};
    if (!event_acquires(event)) {
        section.release = pos;
        section.end.tick = vclock_get(order_clock(walk->must, event->thread), event->thread);
    }
    array_push(&walk->locks[event_lock(event)], section);
}

static void close_section(struct walk *walk, const struct event *event, uint32_t pos)
{
    struct lock_sections *sections = &walk->locks[event_lock(event)];
    for (size_t i = sections->count; i-- > 0;) {
        struct section *section = &sections->items[i];
        if (section->release != POS_NONE || section->end.thread != event->thread)
            continue;
        section->release = pos;
        section->end.tick = vclock_get(order_clock(walk->must, event->thread), event->thread);
        return;
    }
}

/* Those whose end the destroying thread need not have seen. */
static void at_destroy(struct walk *walk, const struct lock_sections *sections,
                       const struct event *event, uint32_t pos)
{
    const struct vclock *clock = order_clock(walk->must, event->thread);
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->items[i];
        if (section->end.thread == event->thread || vclock_saw(clock, section->end))
            continue;
        struct misuse_candidate candidate = {section->use, section->release, pos};
        array_push(walk->candidates, candidate);
    }
}

/* By the destroy of a semaphore or condition variable. */
static struct lock_sections *uses_before(struct walk *walk, uint32_t destroy)
{
    bool added;
    uint64_t *place = map_at(&walk->uses, destroy, &added);
    if (added) {
        *place = walk->others.count;
        array_push(&walk->others, ((struct lock_sections){0}));
    }
    return &walk->others.items[*place];
}

static void step_other(struct walk *walk, const struct event *event, uint32_t pos)
{
    uint32_t destroy = misuse_destroy_of_used(walk->index, event);
    if (destroy == POS_NONE)
        return;
    struct epoch end = {event->thread,
                        vclock_get(order_clock(walk->must, event->thread), event->thread)};
    array_push(uses_before(walk, destroy), ((struct section){pos, pos, end}));
}

static void step(struct walk *walk, const struct event *event, uint32_t pos)
{
    const uint32_t *destroy = walk->index->destroy;
    if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING)) {
        if (destroy[event_lock(event)] == POS_NONE)
            return;
        if (event_releases(event))
            close_section(walk, event, pos);
        else
            open_section(walk, event, pos);
        return; /* locks are no part of what holds in every schedule */
    }
    if (event->op == EVENT_DESTROY && destroy[event->object] == pos)
        at_destroy(walk, &walk->locks[event->object], event, pos);
    else if (op_in(event->op, OPS_SEMAPHORE_USES | OPS_CONDITION_USES))
        step_other(walk, event, pos);
    else if (map_find(&walk->uses, pos))
        at_destroy(walk, uses_before(walk, pos), event, pos);
    order_step(walk->must, event);
}

void misuse_candidates_find(struct misuse_candidates *candidates, const struct misuse_index *index,
                            enum model model)
{
    const struct history *history = index->history;
    struct walk walk = {
        .index = index,
        .candidates = candidates,
        .must = order_create(order_must(model)),
        .locks = NEW_ARRAY(struct lock_sections, index->locks),
    };
    /* Plain writes matter to what must come before only where atomic loads see them. */
    uint64_t relevant = OPS_SYNC | OP_BIT(EVENT_DESTROY) | OP_BIT(EVENT_SEMAPHORE_DESTROY) |
                        OP_BIT(EVENT_CONDITION_DESTROY);
    if (history->ops & OPS_ATOMIC)
        relevant |= OP_BIT(EVENT_WRITE);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, relevant))
            step(&walk, &history->events[pos], pos);
    for (uint32_t lock = 0; lock < index->locks; lock++)
        array_free(&walk.locks[lock]);
    for (size_t i = 0; i < walk.others.count; i++)
        array_free(&walk.others.items[i]);
    array_free(&walk.others);
    map_free(&walk.uses);
    free(walk.locks);
    order_destroy(walk.must);
}
