/* The comparison notices engines that break their word, and shrinks the trace
 * to the heart of the matter. The engines here break it on purpose. */
#include "oracle/compare.h"
#include "oracle/reference_hb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void report(struct engine_run *run, uint32_t a, uint32_t b, uint32_t *witness,
                   uint32_t length)
{
    const struct history *history = run->history;
    struct finding_event events[2];
    finding_event_fill(&events[0], &history->events[a], a, history->index[a]);
    finding_event_fill(&events[1], &history->events[b], b, history->index[b]);
    struct finding finding = {
        .kind = FINDING_RACE,
        .model = run->engine->default_model,
        .engine = run->engine->name,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
        .witness = witness,
        .witness_length = length,
    };
    findings_add(run->findings, &finding);
}

static void nothing(struct engine_run *run)
{
    (void)run;
}

static int find_nothing(struct engine_run *run, struct error *error)
{
    (void)run;
    (void)error;
    return 0;
}

static int find_every_conflict(struct engine_run *run, struct error *error)
{
    (void)error;
    for (uint32_t b = 0; b < run->history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&run->history->events[a], &run->history->events[b]))
                report(run, a, b, NULL, 0);
    return 0;
}

/* What is unordered if locks order nothing: false behind the first race. */
static int find_unordered(struct engine_run *run, struct error *error)
{
    (void)error;
    struct reference *reference = reference_create(run->history, REFERENCE_STRONG);
    for (uint32_t b = 0; b < run->history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (reference_races(reference, a, b))
                report(run, a, b, NULL, 0);
    reference_destroy(reference);
    return 0;
}

static struct engine lying(const char *name, int (*finish)(struct engine_run *, struct error *),
                           enum guarantee guarantee, enum model model)
{
    return (struct engine){
        .name = name,
        .finds = FINDS_RACES,
        .guarantee = guarantee,
        .default_model = model,
        .whole_trace = true,
        .create = nothing,
        .finish = finish,
        .destroy = nothing,
    };
}

/* Compares until a trace differs, and shrinks that; fails if none does. */
static char *first_difference(const struct engine *engine, const char *shape_text,
                              struct difference *difference)
{
    struct comparer comparer;
    struct shape shape;
    struct sample sample;
    char *text = NULL;
    comparer_init(&comparer);
    comparer.engines[comparer.count++] = engine;
    assert_int_equal(shape_parse(&shape, shape_text, NULL), 0);
    for (uint64_t seed = 0; !text && seed < 1000; seed++) {
        assert_int_equal(sample_generate(&sample, &shape, seed, NULL), 0);
        if (!compare(&comparer, &sample, difference))
            text = shrink(&comparer, &sample, difference);
        sample_free(&sample);
    }
    comparer_free(&comparer);
    assert_non_null(text);
    return text;
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void expect_difference(const struct engine *engine, const char *shape, const char *what,
                              unsigned lines)
{
    struct difference difference;
    char *text = first_difference(engine, shape, &difference);
    assert_string_equal(difference.engine, engine->name);
    assert_string_equal(difference.what, what);
    if (count_lines(text) > lines)
        fail_msg("%s: not shrunk to %u lines:\n%s", what, lines, text);
    free(text);
}

static void a_false_race_is_noticed(void **state)
{
    (void)state;
    struct engine engine = lying("all", find_every_conflict, GUARANTEE_SOUND, MODEL_RF);
    /* Two accesses and a fork between them. */
    expect_difference(&engine, "basic", "reports what is not true", 4);
    engine = lying("all", find_every_conflict, GUARANTEE_EXACT, MODEL_SYNC);
    expect_difference(&engine, "basic:-forks", "reports what is not true", 5);
}

static void a_missed_race_is_noticed(void **state)
{
    (void)state;
    struct engine engine = lying("none", find_nothing, GUARANTEE_COMPLETE_SYNC, MODEL_SYNC);
    expect_difference(&engine, "basic", "misses a race", 2);
    engine = lying("none", find_nothing, GUARANTEE_EXACT, MODEL_RF);
    expect_difference(&engine, "all", "misses a race", 2);
    engine.finds = FINDS_DEADLOCKS;
    expect_difference(&engine, "deadlock", "misses a deadlock", 7);
}

static void races_after_the_first_are_not_sound(void **state)
{
    (void)state;
    struct engine engine = lying("hb", find_unordered, GUARANTEE_SOUND, MODEL_RF);
    expect_difference(&engine, "basic", "reports what is not true", 5);
}

static void happens_before_is_held_to_its_definition(void **state)
{
    (void)state;
    struct engine engine = lying("all", find_every_conflict, GUARANTEE_OBSERVED, MODEL_NONE);
    expect_difference(&engine, "basic", "reports what happens-before orders", 4);
    engine = lying("none", find_nothing, GUARANTEE_OBSERVED, MODEL_NONE);
    expect_difference(&engine, "basic", "misses an observed race", 2);
}

static int witness_backwards(struct engine_run *run, struct error *error)
{
    (void)error;
    uint32_t *witness = memory_alloc(run->history->count, sizeof *witness);
    for (uint32_t b = 0; b < run->history->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (event_conflict(&run->history->events[a], &run->history->events[b])) {
                witness[0] = b;
                witness[1] = a;
                report(run, a, b, witness, 2);
            }
    free(witness);
    return 0;
}

static void a_wrong_witness_is_noticed(void **state)
{
    (void)state;
    struct engine engine = lying("witness", witness_backwards, GUARANTEE_HEURISTIC, MODEL_RF);
    struct difference difference;
    free(first_difference(&engine, "basic", &difference));
    assert_string_equal(difference.what, "ends with an error"); /* the driver checks, too */
}

static void observed_orders_are_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; shape_name(i); i++) {
        struct shape shape;
        assert_int_equal(shape_parse(&shape, shape_name(i), NULL), 0);
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct sample sample;
            assert_int_equal(sample_generate(&sample, &shape, seed, NULL), 0);
            if (!sample_is_consistent(&sample))
                fail_msg("%s, seed %lu:\n%s", shape_name(i), (unsigned long)seed, sample.text);
            sample_free(&sample);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_false_race_is_noticed),
        cmocka_unit_test(a_missed_race_is_noticed),
        cmocka_unit_test(races_after_the_first_are_not_sound),
        cmocka_unit_test(happens_before_is_held_to_its_definition),
        cmocka_unit_test(a_wrong_witness_is_noticed),
        cmocka_unit_test(observed_orders_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
