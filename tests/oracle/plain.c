/* The oracle without any cleverness, on the machine of model/. */
#include "oracle/plain.h"

#include "base/map.h"
#include "model/machine.h"
#include "model/semaphore_locks.h"

#include <xxhash.h>

struct plain {
    const struct rules *rules;
    const struct oracle_options *options;
    struct truth *truth;
    struct map seen; /* 64-bit hashes of keys: tests are small, collisions unheard of */
    unsigned char *key;
    size_t room;
    uint32_t *path;
    uint32_t length;
};

static bool is_next(const struct machine *machine, uint32_t pos)
{
    return pos != POS_NONE && machine_forbids_sync(machine, pos) != RULE_FORK;
}

static void note_races(struct plain *plain, const struct machine *machine, const uint32_t *path)
{
    const struct history *history = plain->rules->history;
    for (uint32_t a = 0; a < history->threads; a++)
        for (uint32_t b = a + 1; b < history->threads; b++) {
            uint32_t x = machine_next(machine, a), y = machine_next(machine, b);
            if (is_next(machine, x) && is_next(machine, y) &&
                event_conflict(&history->events[x], &history->events[y]))
                truth_add_race(plain->truth, x, y, path, plain->length);
        }
}

/* The thread that took the semaphore, if it is used as a lock. */
static uint16_t takers_of(const struct plain *plain, const struct machine *machine, uint32_t pos)
{
    const struct history *history = plain->rules->history;
    const struct event *event = &history->events[pos];
    uint16_t takers = 0;
    if (event->flags & (EVENT_TRY | EVENT_FAILED) ||
        machine_forbids_sync(machine, pos) != RULE_SEMAPHORE)
        return 0;
    bool *locks = semaphore_locks(history);
    for (uint32_t other = 0; locks && locks[event->object] && other < history->threads; other++) {
        uint32_t next = machine_next(machine, other);
        if (other != event->thread && next != POS_NONE &&
            semaphore_held_before(history, next, event->object))
            takers |= (uint16_t)(1u << other);
    }
    free(locks);
    return takers;
}

static void note_deadlocks(struct plain *plain, const struct machine *machine, const uint32_t *path)
{
    const struct history *history = plain->rules->history;
    uint32_t blocked[16];
    uint16_t blockers[16] = {0};
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t pos = blocked[thread] = machine_next(machine, thread);
        if (pos != POS_NONE && history->events[pos].op == EVENT_SEM_WAIT)
            blockers[thread] = takers_of(plain, machine, pos);
        if (pos != POS_NONE && history->events[pos].op == EVENT_JOIN &&
            machine_forbids_sync(machine, pos) == RULE_JOIN)
            blockers[thread] = (uint16_t)(1u << history->events[pos].object);
        if (pos == POS_NONE || !event_acquires(&history->events[pos]) ||
            history->events[pos].flags & EVENT_TRY ||
            machine_forbids_sync(machine, pos) != RULE_LOCK_HELD)
            continue;
        for (uint32_t other = 0; other < history->threads; other++)
            if (other != thread && machine_blocked_by(machine, pos, other))
                blockers[thread] |= (uint16_t)(1u << other);
    }
    truth_add_cycles(plain->truth, history->threads, blocked, blockers, path, plain->length);
}

static void explore(struct plain *plain, const struct machine *machine)
{
    bool added;
    size_t length = machine_key(machine, &plain->key, &plain->room);
    map_at(&plain->seen, XXH3_64bits(plain->key, length) >> 1, &added);
    if (!added)
        return;
    const uint32_t *path = plain->options->witnesses ? plain->path : NULL;
    note_races(plain, machine, path);
    note_deadlocks(plain, machine, path);
    for (uint32_t thread = 0; thread < plain->rules->history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos == POS_NONE || machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *following = machine_copy(machine);
        machine_execute(following, pos);
        plain->path[plain->length++] = pos;
        explore(plain, following);
        plain->length--;
        machine_destroy(following);
    }
}

void oracle_explore_plainly(const struct history *history, const struct oracle_options *options,
                            struct truth *truth)
{
    struct rules *rules = rules_create(history, options->model);
    struct machine *machine = machine_create(rules);
    struct plain plain = {.rules = rules, .options = options, .truth = truth};
    truth_init(truth, options->model, history->count);
    plain.path = memory_alloc(history->count, sizeof *plain.path);
    explore(&plain, machine);
    truth->states = plain.seen.count;
    truth_finish(truth);
    free(plain.path);
    free(plain.key);
    map_free(&plain.seen);
    machine_destroy(machine);
    rules_destroy(rules);
}
