/* SPDX-License-Identifier: MIT */
#include "relations/access_history.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

static uint32_t home_slot(uint32_t thread, uint32_t op, uint32_t location, uint32_t mark,
                          uint32_t room)
{
    uint64_t who = (uint64_t)thread << 8 | op;
    return (uint32_t)map_mix(map_pair(location, mark) ^ who * UINT64_C(0x9e3779b97f4a7c15)) &
           (room - 1);
}

static uint32_t home_of(const struct access *access, uint32_t room)
{
    return home_slot(access->thread, access->op, access->location, access->mark, room);
}

void access_history_prefetch(const struct access_history *history, const struct event *event,
                             uint32_t mark)
{
    if (history->room_log)
        __builtin_prefetch(&history->larger[home_slot(event->thread, event->op, event->location,
                                                      mark, access_history_room(history))]);
    PREFETCH_KEEP();
}

static bool alike(const struct access *a, const struct access *b)
{
    return a->location == b->location && a->thread == b->thread && a->op == b->op &&
           a->mark == b->mark;
}

static struct access *slots_of(struct access_history *history)
{
    return history->room_log ? history->larger : &history->only;
}

struct access *access_history_find(struct access_history *history, const struct access *access)
{
    if (!history->room_log)
        return history->count && alike(&history->only, access) ? &history->only : NULL;
    uint32_t room = access_history_room(history);
    struct access *slots = history->larger;
    for (uint32_t at = home_of(access, room); slots[at].tick; at = (at + 1) & (room - 1))
        if (alike(&slots[at], access))
            return &slots[at];
    return NULL;
}

/* There is an empty slot. */
static void insert(struct access_history *history, const struct access *access)
{
    uint32_t room = access_history_room(history);
    struct access *slots = slots_of(history);
    uint32_t at = home_of(access, room);
    while (slots[at].tick)
        at = (at + 1) & (room - 1);
    slots[at] = *access;
    history->count++;
}

static int compare_pos(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The pos that half of the accesses lie before. */
static uint32_t median_pos(const struct access_history *history)
{
    uint32_t *positions = memory_alloc(history->count, sizeof *positions);
    uint32_t count = 0;
    const struct access *slots = access_history_slots(history);
    for (uint32_t i = 0; i < access_history_room(history); i++)
        if (slots[i].tick)
            positions[count++] = slots[i].pos;
    qsort(positions, count, sizeof *positions, compare_pos);
    uint32_t median = positions[count / 2];
    free(positions);
    return median;
}

/* The size of a table that `count` accesses fill by half at the most; a single one
 * has no need of a table. */
static uint8_t room_for(uint32_t count)
{
    uint8_t room_log = 0;
    while (count > 1 && 1u << room_log < 2 * count)
        room_log++;
    return room_log;
}

/* Drops what has been seen by all, or lies before `oldest`, and makes room for one
 * more than is left. */
static void rebuild(struct access_history *history, uint32_t oldest, struct order *order,
                    struct access_pool *pool)
{
    static const struct vclock nothing;
    const struct vclock *seen = order ? order_seen_by_all(order) : &nothing;
    struct access_history old = *history;
    struct access *slots = slots_of(&old);
    uint32_t old_room = access_history_room(&old);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old_room; i++) {
        if (slots[i].pos < oldest || slots[i].tick <= vclock_get(seen, slots[i].thread))
            slots[i].tick = 0;
        kept += slots[i].tick != 0;
    }
    history->count = 0;
    history->room_log = room_for(kept + 1);
    if (history->room_log)
        history->larger =
            access_pool_take(pool, access_history_room(history) * sizeof(struct access));
    else
        history->only.tick = 0;
    for (uint32_t i = 0; i < old_room; i++)
        if (slots[i].tick)
            insert(history, &slots[i]);
    if (old.room_log)
        access_pool_give(pool, old.larger, old_room * sizeof(struct access));
}

static void make_room(struct access_history *history, bool every_pair, struct order *order,
                      struct access_pool *pool)
{
    bool full = history->count >= ACCESS_LIMIT * 3 / 2 && !every_pair;
    rebuild(history, full ? median_pos(history) : 0, order, pool);
}

void access_history_add(struct access_history *history, const struct access *access,
                        bool every_pair, struct order *order, struct access_pool *pool)
{
    uint32_t room = access_history_room(history);
    if (history->count + 1 > (room > 1 ? room * 3 / 4 : 1))
        make_room(history, every_pair, order, pool);
    insert(history, access);
}

void access_history_drop(struct access_history *history, struct access_pool *pool)
{
    if (history->room_log)
        access_pool_give(pool, history->larger,
                         access_history_room(history) * sizeof(struct access));
    *history = (struct access_history){0};
}

void access_fill(struct finding_event *out, const struct access *access)
{
    *out = (struct finding_event){
        .thread = access->thread,
        .index = access->index,
        .pos = access->pos,
        .location = access->location,
        .stack = access->stack,
        .op = access->op,
        .size = access->size,
    };
}
