/* The SMT engine: agreement with the oracle, model by model, and the figures and
 * tables of seed 003. PREPLAY_SEEDS=N tries N traces a test instead of a few. */
#include "oracle/generator.h"
#include "oracle/oracle.h"
#include "search/smt_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct found {
    const struct truth *truth;
    bool *raced; /* count * count flags */
    size_t count;
};

static bool want_all(void *self, uint32_t first, uint32_t second)
{
    (void)self, (void)first, (void)second;
    return true;
}

static void note(void *self, const uint32_t *witness, uint32_t length)
{
    struct found *found = self;
    uint32_t a = witness[length - 2], b = witness[length - 1];
    found->raced[a * found->truth->count + b] = true;
    found->count++;
}

static uint64_t seeds(uint64_t few)
{
    const char *text = getenv("PREPLAY_SEEDS");
    return text ? strtoull(text, NULL, 10) : few;
}

/* Compares one trace; with a window, the engine may only miss. */
static void compare(struct oracle *oracle, const struct sample *sample, enum model model,
                    const struct smt_options *options, const char *what)
{
    struct error error = {0};
    struct truth truth;
    struct oracle_options all = {.model = model};
    assert_int_equal(oracle_explore(oracle, sample->history, &all, &truth, &error), 0);
    struct found found = {&truth, NEW_ARRAY(bool, truth.count *truth.count), 0};
    struct smt_client client = {&found, want_all, note};
    struct smt_counts counts;
    struct rules *rules = rules_create(sample->history, model);
    if (smt_search(rules, options, &client, &counts, &error))
        fail_msg("%s %s: %s\n%s", what, model_text(model), error.text, sample->text);
    for (uint32_t a = 0; a < truth.count; a++)
        for (uint32_t b = a + 1; b < truth.count; b++)
            if (truth_races(&truth, a, b) != found.raced[a * truth.count + b] &&
                !(options->window && truth_races(&truth, a, b)))
                fail_msg("%s %s: events %u and %u %s\n%s", what, model_text(model), a, b,
                         truth_races(&truth, a, b) ? "race" : "do not race", sample->text);
    assert_int_equal(counts.unknown, 0);
    assert_int_equal(counts.must_pairs, counts.witnesses + counts.refuted);
    rules_destroy(rules);
    free(found.raced);
    truth_free(&truth);
}

static void compare_many(const char *text, enum model model, const struct smt_options *options,
                         uint64_t few)
{
    struct oracle *oracle = oracle_create();
    struct error error = {0};
    struct shape shape;
    assert_int_equal(shape_parse(&shape, text, &error), 0);
    for (uint64_t seed = 0; seed < seeds(few); seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        char what[128];
        snprintf(what, sizeof what, "%s seed %lu", text, (unsigned long)seed);
        compare(oracle, &sample, model, options, what);
        sample_free(&sample);
    }
    oracle_destroy(oracle);
}

#define FEW 25

/* The presets come small ones first. */
static bool is_small(const char *shape)
{
    return shape && strncmp(shape, "large", 5) != 0;
}

static void rf_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {0};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
}

static void value_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {0};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        snprintf(text, sizeof text, "%s:values", shape_name(i));
        compare_many(text, MODEL_VALUE, &options, FEW);
    }
}

static void branch_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {0};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        snprintf(text, sizeof text, "%s:branches", shape_name(i));
        compare_many(text, MODEL_BRANCH, &options, FEW);
    }
}

static void sync_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {0};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_SYNC, &options, FEW);
}

static void windows_are_sound(void **state)
{
    (void)state;
    const struct smt_options options = {.window = 8};
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
        compare_many(shape_name(i), MODEL_SYNC, &options, FEW);
    }
}

static void equations_say_the_same(void **state)
{
    (void)state;
    const struct smt_options options = {.style = SMT_EQUATIONS};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rf_is_exact),       cmocka_unit_test(value_is_exact),
        cmocka_unit_test(branch_is_exact),   cmocka_unit_test(sync_is_exact),
        cmocka_unit_test(windows_are_sound), cmocka_unit_test(equations_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
