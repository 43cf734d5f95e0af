/* SPDX-License-Identifier: MIT */
/* The accesses of one variable that a later access may still race with.
 *
 * For pairs of source locations it is enough to keep, of the accesses that are
 * alike (thread, operation, location, mark), the latest one: whatever is
 * unordered with an earlier one is unordered with it too. With every pair wanted,
 * each access is kept. Accesses that every thread has seen can race no more and
 * are dropped when the table would grow; beyond ACCESS_LIMIT the oldest go, so a
 * variable's memory is bounded.
 *
 * A small open-addressed table: finding an access alike costs one cache miss,
 * however many threads and locations touch the variable. Most variables have one
 * access that not everybody has seen: it lies in the history itself. */
#ifndef PREPLAY_RELATIONS_ACCESS_HISTORY_H
#define PREPLAY_RELATIONS_ACCESS_HISTORY_H

#include "base/paged.h"
#include "relations/access_pool.h"
#include "model/order.h"
#include "trace/finding.h"

#define ACCESS_LIMIT 256

struct access {
    uint32_t thread, tick; /* its epoch; tick 0 is an empty slot */
    uint32_t location, stack;
    uint32_t pos, index;
    uint32_t mark; /* the engine's own: accesses with different marks are not alike */
    uint8_t op, size;
};

_Static_assert(sizeof(struct access) == 32, "tables are powers of two of bytes");

/* A zeroed struct access_history is empty. There is one per variable, looked up at
 * random: it is kept small. */
struct access_history {
    union {
        struct access only;    /* the table, if it has one slot */
        struct access *larger; /* in an access_pool */
    };
    uint32_t count;
    uint8_t room_log; /* the table has 2^room_log slots */
    uint8_t note[3];  /* the engine's own */
};

static inline uint32_t access_history_room(const struct access_history *history)
{
    return 1u << history->room_log;
}

/* Slots that are empty have tick 0. */
static inline const struct access *access_history_slots(const struct access_history *history)
{
    return history->room_log ? history->larger : &history->only;
}

/* The access alike, or NULL. */
struct access *access_history_find(struct access_history *history, const struct access *access);
/* Adds an access that has none alike, or with `every_pair` any access. `order` says
 * what every thread has seen; NULL: nothing is known to be. */
void access_history_add(struct access_history *history, const struct access *access,
                        bool every_pair, struct order *order, struct access_pool *pool);

/* Empties it for good. */
void access_history_drop(struct access_history *history, struct access_pool *pool);

/* Brings the slot of an access to come into the cache. */
void access_history_prefetch(const struct access_history *history, const struct event *event,
                             uint32_t mark);

/* Link-time optimisation takes out calls of a function that does nothing but
 * prefetch, unless it ends with this. */
#define PREFETCH_KEEP() __asm__ volatile("")

/* Variables are spread over memory and events come at random: each access would
 * wait for memory twice, for its variable and for its slot there. Looking ahead in
 * the batch hides both. `variables` is a paged array of structs that have a
 * `history`. */
#define ACCESS_FAR  24
#define ACCESS_NEAR 12
#define access_look_ahead(variables, events, at, batch, mark)                                      \
    do {                                                                                           \
        if ((at) + ACCESS_FAR < (batch)) {                                                         \
            const struct event *far_event = &(events)[(at) + ACCESS_FAR];                          \
            const struct event *near_event = &(events)[(at) + ACCESS_NEAR];                        \
            if (op_in(far_event->op, OPS_ACCESS) && paged_has(variables, far_event->object))       \
                __builtin_prefetch(paged_at(variables, far_event->object));                        \
            if (op_in(near_event->op, OPS_ACCESS) && paged_has(variables, near_event->object))     \
                access_history_prefetch(&paged_at(variables, near_event->object)->history,         \
                                        near_event, mark);                                         \
        }                                                                                          \
    } while (0)

/* The access that `event` makes now. */
static inline struct access access_of(const struct event *event, uint32_t tick, uint32_t pos,
                                      uint32_t index, uint32_t mark)
{
    return (struct access){
        .thread = event->thread,
        .tick = tick,
        .location = event->location,
        .stack = event->stack,
        .pos = pos,
        .index = index,
        .mark = mark,
        .op = event->op,
        .size = event->size,
    };
}

static inline bool accesses_conflict(const struct access *a, const struct access *b)
{
    uint64_t ops = OP_BIT(a->op) | OP_BIT(b->op);
    return a->thread != b->thread && (ops & OPS_WRITING) && (ops & ~OPS_ATOMIC);
}

void access_fill(struct finding_event *out, const struct access *access);

#endif
