/* SPDX-License-Identifier: MIT */
#include "deadlock/walk.h"

#include "base/array.h"
#include "base/map.h"
#include "base/team.h"

#include <xxhash.h>

/* New states of a walker in a round: few at first, so that others have something to do soon. */
enum { ROUND_FIRST = 64, ROUND_MAX = 1024, MOVES_PER_STATE = 4 };
/* States from which on other threads are worth their start. */
enum { TEAM_FROM = 4096 };

/* A state on the way to the present one, and the threads still to be moved from it. */
struct visit {
    struct machine *machine;
    uint64_t key;
    uint32_t executed; /* length of the path that led here */
    uint32_t next_thread;
};

struct walker {
    struct walk *walk;
    uint32_t number;
    bool found;
    struct visits ARRAY_OF(struct visit) visits;
    struct path ARRAY_OF(uint32_t) path;
    struct map fresh; /* states of this round that it saw first, for all it knows */
    struct fresh_keys ARRAY_OF(uint64_t) keys; /* the same, in the order of visits */
    unsigned char *key;
    size_t key_room;
};

struct walk {
    struct walk_space space;
    uint32_t jobs;
    struct team *team; /* NULL until it is worth it */
    struct walker walkers[WALKERS];
    struct map seen; /* states of all rounds before this one */
    size_t round;    /* new states of a walker in this round */
    walk_visitor *visitor;
    void *context;
};

struct walk *walk_create(const struct walk_space *space, uint32_t jobs)
{
    struct walk *walk = NEW(struct walk);
    walk->space = *space;
    walk->jobs = jobs < WALKERS ? jobs : WALKERS;
    for (uint32_t i = 0; i < WALKERS; i++) {
        walk->walkers[i].walk = walk;
        walk->walkers[i].number = i;
    }
    return walk;
}

static void forget(struct walk *walk)
{
    for (uint32_t i = 0; i < WALKERS; i++) {
        struct walker *walker = &walk->walkers[i];
        while (walker->visits.count)
            machine_destroy(array_pop(&walker->visits).machine);
        map_clear(&walker->fresh);
        walker->keys.count = 0;
        walker->path.count = 0;
        walker->found = false;
    }
    map_clear(&walk->seen);
}

void walk_destroy(struct walk *walk)
{
    if (!walk)
        return;
    forget(walk);
    for (uint32_t i = 0; i < WALKERS; i++) {
        struct walker *walker = &walk->walkers[i];
        array_free(&walker->visits);
        array_free(&walker->path);
        array_free(&walker->keys);
        map_free(&walker->fresh);
        free(walker->key);
    }
    map_free(&walk->seen);
    team_destroy(walk->team);
    free(walk);
}

/* The thread's next event, if it may be executed and is not where the thread stops. */
static uint32_t possible(const struct walk_space *space, const struct machine *machine,
                         uint32_t thread)
{
    uint32_t pos = machine_next(machine, thread);
    if (pos == POS_NONE || pos >= space->to || pos == space->stop_at[thread] ||
        machine_forbids(machine, pos) != RULE_NONE)
        return POS_NONE;
    return pos;
}

static void execute(struct walker *walker, struct machine *machine, uint32_t pos)
{
    machine_execute(machine, pos);
    array_push(&walker->path, pos);
}

static void run_ahead(struct walker *walker, struct machine *machine)
{
    const struct walk_space *space = &walker->walk->space;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t thread = 0; thread < space->rules->history->threads; thread++) {
            uint32_t pos;
            while ((pos = possible(space, machine, thread)) != POS_NONE &&
                   space->eager[pos - space->from]) {
                execute(walker, machine, pos);
                moved = true;
            }
        }
    }
}

static uint64_t key_of(struct walker *walker, const struct machine *machine)
{
    size_t length = machine_key(machine, &walker->key, &walker->key_room);
    return XXH3_64bits(walker->key, length) >> 1;
}

static bool is_new(struct walker *walker, uint64_t key)
{
    bool added;
    if (map_find(&walker->walk->seen, key))
        return false;
    map_at(&walker->fresh, key, &added);
    if (added)
        array_push(&walker->keys, key);
    return added;
}

/* Goes on from a state, unless it was seen; takes over the machine. */
static void enter(struct walker *walker, struct machine *machine)
{
    struct walk *walk = walker->walk;
    run_ahead(walker, machine);
    uint64_t key = key_of(walker, machine);
    if (!is_new(walker, key)) {
        machine_destroy(machine);
        return;
    }
    struct visit visit = {machine, key, (uint32_t)walker->path.count, 0};
    array_push(&walker->visits, visit);
    walker->found = walk->visitor(walk->context, walker->number, machine, walker->path.items,
                                  (uint32_t)walker->path.count);
}

/* From the last state of the path to the next one, or back. */
static void move(struct walker *walker)
{
    const struct walk_space *space = &walker->walk->space;
    struct visit *visit = &array_last(&walker->visits);
    walker->path.count = visit->executed;
    uint32_t threads = space->rules->history->threads;
    while (visit->next_thread < threads) {
        uint32_t pos = possible(space, visit->machine, visit->next_thread++);
        if (pos == POS_NONE)
            continue;
        struct machine *following = machine_copy(visit->machine);
        execute(walker, following, pos);
        enter(walker, following);
        return;
    }
    machine_destroy(visit->machine);
    walker->visits.count--;
}

static void walk_one_round(void *context, uint32_t number)
{
    struct walk *walk = context;
    struct walker *walker = &walk->walkers[number];
    for (size_t moves = walk->round * MOVES_PER_STATE;
         moves && walker->visits.count && walker->keys.count < walk->round && !walker->found;
         moves--)
        move(walker);
}

/* Leaves the states of this round that are in `seen` to the walker who came to them first. */
static void leave_to_others(struct walker *walker)
{
    size_t kept = 0;
    for (size_t i = 0; i < walker->visits.count; i++) {
        struct visit visit = walker->visits.items[i];
        const uint64_t *fresh = map_find(&walker->fresh, visit.key);
        if (fresh && *fresh)
            machine_destroy(visit.machine);
        else
            walker->visits.items[kept++] = visit;
    }
    walker->visits.count = kept;
}

static void learn_from_each_other(struct walk *walk)
{
    for (uint32_t i = 0; i < WALKERS; i++) {
        struct walker *walker = &walk->walkers[i];
        bool first, all_first = true;
        for (size_t k = 0; k < walker->keys.count; k++) {
            map_at(&walk->seen, walker->keys.items[k], &first);
            *map_at(&walker->fresh, walker->keys.items[k], NULL) = !first;
            all_first &= first;
        }
        if (!all_first)
            leave_to_others(walker);
        if (walker->keys.count)
            map_clear(&walker->fresh);
        walker->keys.count = 0;
    }
}

/* The half that is closest to the start: what is reached from there is the most. */
static void take_half(struct walker *idle, struct walker *busy)
{
    size_t half = busy->visits.count / 2;
    uint32_t length = busy->visits.items[half - 1].executed;
    idle->path.count = 0;
    for (uint32_t i = 0; i < length; i++)
        array_push(&idle->path, busy->path.items[i]);
    for (size_t i = 0; i < half; i++)
        array_push(&idle->visits, busy->visits.items[i]);
    busy->visits.count -= half;
    memmove(busy->visits.items, busy->visits.items + half,
            busy->visits.count * sizeof *busy->visits.items);
}

/* Returns how many have something to do. */
static uint32_t share_ways(struct walk *walk)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < WALKERS; i++) {
        struct walker *walker = &walk->walkers[i], *busiest = walk->walkers;
        for (uint32_t k = 1; k < WALKERS; k++)
            if (walk->walkers[k].visits.count > busiest->visits.count)
                busiest = &walk->walkers[k];
        if (!walker->visits.count && busiest->visits.count > 1)
            take_half(walker, busiest);
        active += walker->visits.count > 0;
    }
    return active;
}

static void do_round(struct walk *walk)
{
    if (!walk->team && walk->jobs > 1 && walk->seen.count >= TEAM_FROM)
        walk->team = team_create(walk->jobs);
    if (walk->team)
        team_run(walk->team, WALKERS, walk_one_round, walk);
    else
        for (uint32_t i = 0; i < WALKERS; i++)
            walk_one_round(walk, i);
}

static const struct walker *finder(const struct walk *walk)
{
    for (uint32_t i = 0; i < WALKERS; i++)
        if (walk->walkers[i].found)
            return &walk->walkers[i];
    return NULL;
}

enum walk_end walk_run(struct walk *walk, uint64_t states, walk_visitor *visitor, void *context)
{
    struct walker *first = walk->walkers;
    forget(walk);
    walk->visitor = visitor;
    walk->context = context;
    for (uint32_t pos = 0; pos < walk->space.from; pos++)
        array_push(&first->path, pos);
    enter(first, machine_copy(walk->space.start));
    while (!finder(walk)) {
        learn_from_each_other(walk);
        uint32_t active = share_ways(walk);
        if (!active)
            return WALK_ALL;
        if (walk->seen.count > states)
            return WALK_LIMIT;
        size_t round = walk->seen.count / WALKERS, left = (states - walk->seen.count) / active + 1;
        round = round < ROUND_FIRST ? ROUND_FIRST : round > ROUND_MAX ? ROUND_MAX : round;
        walk->round = round < left ? round : left;
        do_round(walk);
    }
    learn_from_each_other(walk);
    return WALK_FOUND;
}

const uint32_t *walk_way(const struct walk *walk, uint32_t *length)
{
    *length = (uint32_t)finder(walk)->path.count;
    return finder(walk)->path.items;
}

uint64_t walk_states(const struct walk *walk)
{
    return walk->seen.count;
}
