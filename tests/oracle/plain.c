/* The oracle without any cleverness, on the machine of model/. */
#include "oracle/plain.h"

#include "base/map.h"
#include "model/blocking.h"

#include <xxhash.h>

struct plain {
    const struct rules *rules;
    const struct oracle_options *options;
    struct truth *truth;
    struct blocking *blocking;
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

/* Who is stuck, if signals chose those of `returns` whose bit is set in `chosen`. */
static void note_choice(struct plain *plain, const struct machine *machine, const uint32_t *path,
                        const uint32_t *returns, uint32_t count, uint32_t choice)
{
    const struct history *history = plain->rules->history;
    struct standing standing[16] = {0};
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (!is_next(machine, pos))
            continue;
        bool chosen = false;
        for (uint32_t i = 0; i < count; i++)
            chosen |= returns[i] == pos && choice >> i & 1;
        enum waiting waiting = blocking_kind(plain->blocking, machine, pos, chosen);
        standing[thread] = (struct standing){
            .event = pos, .waits = waiting != WAITING_NOT, .all = waiting == WAITING_ON_ALL};
        for (uint32_t other = 0; other < history->threads; other++)
            if (blocking_by(plain->blocking, machine, pos, chosen, other))
                standing[thread].others |= (uint16_t)(1u << other);
    }
    truth_add_stuck(plain->truth, history->threads, standing, path, plain->length);
}

static void note_deadlocks(struct plain *plain, const struct machine *machine, const uint32_t *path)
{
    const struct history *history = plain->rules->history;
    uint32_t returns[16], count = 0;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos != POS_NONE && history->events[pos].op == EVENT_WAIT_END &&
            !(history->events[pos].flags & EVENT_FAILED))
            returns[count++] = pos;
    }
    for (uint32_t choice = 0; choice < 1u << count; choice++)
        if (machine_may_choose(machine, returns, count, choice))
            note_choice(plain, machine, path, returns, count, choice);
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
    plain.blocking = blocking_create(rules);
    plain.path = memory_alloc(history->count, sizeof *plain.path);
    explore(&plain, machine);
    truth->states = plain.seen.count;
    truth_finish(truth);
    free(plain.path);
    free(plain.key);
    map_free(&plain.seen);
    blocking_destroy(plain.blocking);
    machine_destroy(machine);
    rules_destroy(rules);
}
