/* Walkers against one plain walk that executes nothing at once: the same deadlocks, none missed,
 * and the same ways to them on any number of threads. */
#include "base/array.h"
#include "base/map.h"
#include "base/team.h"
#include "deadlock/stuck_table.h"

#include <xxhash.h>

#include "campaign.h"

static void note_piece(void *context, uint32_t number)
{
    ((uint32_t *)context)[number] += number + 1;
}

static void test_team_does_every_piece_once(void **state)
{
    (void)state;
    for (uint32_t jobs = 1; jobs <= 4; jobs++) {
        struct team *team = team_create(jobs);
        uint32_t done[100] = {0};
        for (uint32_t round = 1; round <= 50; round++) {
            team_run(team, 100, note_piece, done);
            for (uint32_t i = 0; i < 100; i++)
                assert_int_equal(done[i], round * (i + 1));
        }
        team_run(team, 0, note_piece, done);
        team_destroy(team);
    }
}

/* One deadlock, its events in ascending order, and whether all agree on it. */
struct deadlock {
    uint32_t events[8];
    uint32_t count;
};

struct plain {
    const struct history *history;
    const struct blocking *blocking;
    struct map seen;
    struct deadlocks ARRAY_OF(struct deadlock) deadlocks;
    struct map known; /* hashes of deadlocks */
    unsigned char *key;
    size_t key_room;
};

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void note_deadlock(void *context, const uint32_t *events, uint32_t count)
{
    struct plain *plain = context;
    struct deadlock deadlock = {.count = count};
    bool added;
    memcpy(deadlock.events, events, count * sizeof *events);
    qsort(deadlock.events, count, sizeof *events, compare_numbers);
    map_at(&plain->known, XXH3_64bits(deadlock.events, count * sizeof *events) >> 1, &added);
    if (added)
        array_push(&plain->deadlocks, deadlock);
}

static void walk_plainly(struct plain *plain, const struct machine *machine)
{
    bool added;
    size_t length = machine_key(machine, &plain->key, &plain->key_room);
    map_at(&plain->seen, XXH3_64bits(plain->key, length) >> 1, &added);
    if (!added)
        return;
    assert_true(blocking_each_deadlock(plain->blocking, machine, plain->history->count,
                                       note_deadlock, plain));
    for (uint32_t thread = 0; thread < plain->history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos == POS_NONE || machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *following = machine_copy(machine);
        machine_execute(following, pos);
        walk_plainly(plain, following);
        machine_destroy(following);
    }
}

/* The witness leads to where the events are next and stuck. */
static void check_witness(const struct rules *rules, const struct plain *plain,
                          const struct deadlock *deadlock, const struct search_witness *witness)
{
    struct machine *machine = machine_create(rules);
    uint32_t length = witness->length - deadlock->count;
    for (uint32_t i = 0; i < length; i++) {
        assert_int_equal(machine_forbids(machine, witness->events[i]), RULE_NONE);
        machine_execute(machine, witness->events[i]);
    }
    assert_memory_equal(witness->events + length, deadlock->events,
                        deadlock->count * sizeof *deadlock->events);
    assert_true(blocking_deadlock(plain->blocking, machine, deadlock->events, deadlock->count));
    machine_destroy(machine);
}

/* What several tests saw, so that none passes for want of anything to see. */
struct sum {
    size_t deadlocks, states;
};

static void compare_with_plain(const struct rules *rules, const struct plain *plain,
                               const struct machine *start, struct sum *sum)
{
    enum { MOST_JOBS = 4 };
    uint32_t count = plain->history->count;
    struct state_visit *visits[MOST_JOBS];
    struct stuck_table *tables[MOST_JOBS];
    for (uint32_t i = 0; i < MOST_JOBS; i++) {
        visits[i] = state_visit_create(rules, plain->blocking, start, 0, count, i + 1);
        tables[i] = stuck_table_create(visits[i], 1 << 20);
        assert_int_equal(state_visit_states(visits[i]), state_visit_states(visits[0]));
    }
    sum->states += state_visit_states(visits[0]);
    for (size_t k = 0; k < plain->deadlocks.count; k++) {
        const struct deadlock *deadlock = &plain->deadlocks.items[k];
        struct search_witness first, witness;
        for (uint32_t i = 0; i < MOST_JOBS; i++) {
            assert_int_equal(
                stuck_table_find(tables[i], deadlock->events, deadlock->count, &witness),
                SEARCH_WITNESS);
            first = i ? first : witness;
            assert_int_equal(witness.length, first.length);
            assert_memory_equal(witness.events, first.events, first.length * sizeof *first.events);
        }
        check_witness(rules, plain, deadlock, &first);
    }
    sum->deadlocks += plain->deadlocks.count;
    for (uint32_t pos = 0; pos < count; pos++) { /* and no others, of one event */
        struct deadlock single = {{pos}, 1};
        struct search_witness witness;
        bool known = map_find(&plain->known, XXH3_64bits(single.events, sizeof pos) >> 1);
        for (uint32_t i = 0; i < MOST_JOBS; i++)
            assert_int_equal(stuck_table_find(tables[i], &pos, 1, &witness),
                             known ? SEARCH_WITNESS : SEARCH_REFUTED);
    }
    for (uint32_t i = 0; i < MOST_JOBS; i++) {
        stuck_table_destroy(tables[i]);
        state_visit_destroy(visits[i]);
    }
}

static void check_sample(const struct sample *sample, uint64_t seed, void *context)
{
    (void)seed;
    struct rules *rules = rules_create(sample->history, MODEL_SYNC);
    struct blocking *blocking = blocking_create(rules);
    struct machine *start = machine_create(rules);
    struct plain plain = {.history = sample->history, .blocking = blocking};
    walk_plainly(&plain, start);
    compare_with_plain(rules, &plain, start, context);
    map_free(&plain.seen);
    map_free(&plain.known);
    array_free(&plain.deadlocks);
    free(plain.key);
    machine_destroy(start);
    blocking_destroy(blocking);
    rules_destroy(rules);
}

static void test_walkers_find_every_deadlock(void **state)
{
    (void)state;
    struct sum sum = {0};
    campaign("WALK", "conditions:events=120,threads=3", 20, check_sample, &sum);
    campaign("WALK", "semaphores:events=100,threads=3", 20, check_sample, &sum);
    campaign("WALK", "all:events=60,threads=4", 6, check_sample, &sum);
    assert_true(sum.deadlocks > 100);
    assert_true(sum.states > 100000); /* enough for walkers to share their ways, and threads */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_team_does_every_piece_once),
        cmocka_unit_test(test_walkers_find_every_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
