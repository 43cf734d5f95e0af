/* SPDX-License-Identifier: MIT */
#include "report/held.h"

#include "base/array.h"
#include "base/map.h"

struct locks ARRAY_OF(struct held_lock);

struct held {
    struct map at;      /* pos -> start in `locks` << 32 | count */
    struct locks locks; /* of all asked events */
};

static void follow(struct locks *mine, const struct event *event, uint32_t pos)
{
    if (event_acquires(event)) {
        struct held_lock lock = {event_lock(event), pos};
        array_push(mine, lock);
    } else if (event_releases(event)) {
        size_t i = 0;
        while (i < mine->count && mine->items[i].lock != event_lock(event))
            i++;
        if (i == mine->count)
            return;
        memmove(mine->items + i, mine->items + i + 1, (mine->count - i - 1) * sizeof *mine->items);
        mine->count--;
    }
}

static void keep(struct held *self, uint64_t *place, const struct locks *mine)
{
    *place = (uint64_t)self->locks.count << 32 | mine->count;
    for (size_t i = 0; i < mine->count; i++)
        array_push(&self->locks, mine->items[i]);
}

struct held *held_create(const struct history *history, const struct finding *const *findings,
                         size_t count)
{
    struct held *self = NEW(struct held);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < findings[i]->event_count; k++)
            map_at(&self->at, findings[i]->events[k].pos, NULL);
    struct locks *threads = NEW_ARRAY(struct locks, history->threads);
    for (uint32_t pos = 0; count && pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        bool sync = op_in(event->op, OPS_ACQUIRING | OPS_RELEASING);
        if (!sync && !op_in(event->op, OPS_ACCESS | OPS_SYNC))
            continue;
        uint64_t *place = map_find(&self->at, pos);
        if (place)
            keep(self, place, &threads[event->thread]);
        if (sync)
            follow(&threads[event->thread], event, pos);
    }
    for (uint32_t pos = history->count; pos < history_total(history); pos++) {
        uint64_t *place = map_find(&self->at, pos);
        if (place)
            keep(self, place, &threads[history->events[pos].thread]);
    }
    for (uint32_t i = 0; i < history->threads; i++)
        array_free(&threads[i]);
    free(threads);
    return self;
}

void held_destroy(struct held *self)
{
    if (!self)
        return;
    map_free(&self->at);
    array_free(&self->locks);
    free(self);
}

size_t held_at(const struct held *self, uint32_t pos, const struct held_lock **locks)
{
    const uint64_t *place = map_find(&self->at, pos);
    if (!place)
        return 0;
    *locks = self->locks.items + (*place >> 32);
    return (uint32_t)*place;
}
