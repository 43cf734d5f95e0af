#include "engine/access_history.h"

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
        __builtin_prefetch(&history->slots[home_slot(event->thread, event->op, event->location,
                                                     mark, access_history_room(history))]);
}

static bool alike(const struct access *a, const struct access *b)
{
    return a->location == b->location && a->thread == b->thread && a->op == b->op &&
           a->mark == b->mark;
}

struct access *access_history_find(const struct access_history *history,
                                   const struct access *access)
{
    if (!history->room_log)
        return NULL;
    uint32_t room = access_history_room(history);
    uint32_t at = home_of(access, room);
    for (; history->slots[at].tick; at = (at + 1) & (room - 1))
        if (alike(&history->slots[at], access))
            return &history->slots[at];
    return NULL;
}

static void insert(struct access_history *history, const struct access *access)
{
    uint32_t room = access_history_room(history);
    uint32_t at = home_of(access, room);
    while (history->slots[at].tick)
        at = (at + 1) & (room - 1);
    history->slots[at] = *access;
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
    for (uint32_t i = 0; i < access_history_room(history); i++)
        if (history->slots[i].tick)
            positions[count++] = history->slots[i].pos;
    qsort(positions, count, sizeof *positions, compare_pos);
    uint32_t median = positions[count / 2];
    free(positions);
    return median;
}

/* Drops what has been seen by all, or lies before `oldest`, and makes the table one
 * that what is left and one more fill by half at the most. */
static void rebuild(struct access_history *history, uint32_t oldest, struct order *order,
                    struct access_pool *pool)
{
    static const struct vclock nothing;
    const struct vclock *seen = order ? order_seen_by_all(order) : &nothing;
    struct access_history old = *history;
    uint32_t old_room = access_history_room(&old);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old_room; i++) {
        struct access *access = &old.slots[i];
        if (access->pos < oldest || access->tick <= vclock_get(seen, access->thread))
            access->tick = 0;
        kept += access->tick != 0;
    }
    history->count = 0;
    history->room_log = old.room_log > 2 ? (uint8_t)(old.room_log - 1) : 1;
    while (access_history_room(history) < 2 * (kept + 1))
        history->room_log++;
    history->slots = access_pool_take(pool, access_history_room(history) * sizeof(struct access));
    for (uint32_t i = 0; i < old_room; i++)
        if (old.slots[i].tick)
            insert(history, &old.slots[i]);
    if (old_room)
        access_pool_give(pool, old.slots, old_room * sizeof(struct access));
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
    if ((history->count + 1) * 4 > access_history_room(history) * 3)
        make_room(history, every_pair, order, pool);
    insert(history, access);
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
