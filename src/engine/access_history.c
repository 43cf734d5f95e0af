#include "engine/access_history.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const struct access *access, bool every_pair)
{
    uint64_t place = map_pair(access->location, access->mark);
    uint64_t who = (uint64_t)access->thread << 8 | access->op;
    return map_mix(place ^ who * UINT64_C(0x9e3779b97f4a7c15) ^
                   (every_pair ? (uint64_t)access->pos << 20 : 0));
}

static bool alike(const struct access *a, const struct access *b)
{
    return a->thread == b->thread && a->op == b->op && a->location == b->location &&
           a->mark == b->mark;
}

static struct access *find_alike(const struct access_history *history, uint64_t key,
                                 const struct access *access)
{
    for (uint32_t i = history->count; i-- > 0;)
        if (history->keys[i] == key && alike(&history->accesses[i], access))
            return &history->accesses[i];
    return NULL;
}

static void keep(struct access_history *history, uint32_t to, uint32_t from)
{
    history->keys[to] = history->keys[from];
    history->accesses[to] = history->accesses[from];
}

static void drop_seen_by_all(struct access_history *history, struct order *order)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct access *access = &history->accesses[i];
        if (access->tick > order_seen_by_all(order, access->thread))
            keep(history, kept++, i);
    }
    history->count = kept;
}

static void drop_oldest(struct access_history *history)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < history->count; i++)
        if (history->accesses[i].pos < history->accesses[oldest].pos)
            oldest = i;
    keep(history, oldest, --history->count);
}

static void make_room(struct access_history *history, bool every_pair, struct order *order)
{
    if (history->room >= 32)
        drop_seen_by_all(history, order);
    if (history->room && history->count * 2 <= history->room)
        return;
    if (history->room >= ACCESS_LIMIT && !every_pair) {
        if (history->count == history->room)
            drop_oldest(history);
        return;
    }
    history->room = history->room ? history->room * 2 : 2;
    history->keys = memory_resize(history->keys, history->room, sizeof *history->keys);
    history->accesses = memory_resize(history->accesses, history->room, sizeof *history->accesses);
}

void access_history_add(struct access_history *history, const struct access *access,
                        bool every_pair, struct order *order)
{
    uint64_t key = key_of(access, every_pair);
    struct access *known = every_pair ? NULL : find_alike(history, key, access);
    if (known) {
        *known = *access;
        return;
    }
    if (history->count == history->room)
        make_room(history, every_pair, order);
    history->keys[history->count] = key;
    history->accesses[history->count++] = *access;
}

void access_history_free(struct access_history *history)
{
    free(history->keys);
    free(history->accesses);
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
