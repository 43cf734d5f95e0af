/* The SMT engine: agreement with the oracle, model by model, and the figures and
 * tables of Said et al.. PREPLAY_SEEDS=N tries N traces a test instead of a few. */
#include "tiddle/generator.h"
#include "oracle/oracle.h"
#include "search/search.h"
#include "constraints/smt_equations.h"
#include "smt/smt_search.h"

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

#define FEW 15

/* The presets come small ones first. */
static bool is_small(const char *shape)
{
    return shape && strncmp(shape, "large", 5) != 0;
}

static void rf_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {.z3_alone = true};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
}

static void value_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {.z3_alone = true};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        snprintf(text, sizeof text, "%s:values", shape_name(i));
        compare_many(text, MODEL_VALUE, &options, FEW);
    }
}

static void branch_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {.z3_alone = true};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        snprintf(text, sizeof text, "%s:branches", shape_name(i));
        compare_many(text, MODEL_BRANCH, &options, FEW);
    }
}

static void sync_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {.z3_alone = true};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_SYNC, &options, FEW);
}

/* With propagation and guesses, which leave little to Z3. */
static void whole_engine_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {0};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        compare_many(shape_name(i), MODEL_RF, &options, 2 * FEW);
        compare_many(shape_name(i), MODEL_SYNC, &options, FEW);
        snprintf(text, sizeof text, "%s:values", shape_name(i));
        compare_many(text, MODEL_VALUE, &options, 2 * FEW);
        snprintf(text, sizeof text, "%s:branches", shape_name(i));
        compare_many(text, MODEL_BRANCH, &options, FEW);
    }
}

/* All constraints at once say the same as those that plans break. */
static void eager_is_exact(void **state)
{
    (void)state;
    const struct smt_options options = {.eager = true, .z3_alone = true};
    char text[64];
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        snprintf(text, sizeof text, "%s:values", shape_name(i));
        compare_many(text, MODEL_VALUE, &options, FEW);
    }
}

static void windows_are_sound(void **state)
{
    (void)state;
    const struct smt_options options = {.window = 8, .z3_alone = true};
    for (size_t i = 0; is_small(shape_name(i)); i++) {
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
        compare_many(shape_name(i), MODEL_SYNC, &options, FEW);
    }
}

static void equations_say_the_same(void **state)
{
    (void)state;
    const struct smt_options options = {.style = SMT_EQUATIONS, .eager = true, .z3_alone = true};
    for (size_t i = 0; is_small(shape_name(i)); i++)
        compare_many(shape_name(i), MODEL_RF, &options, FEW);
}

/* Traces too large for the oracle: the solver and the order search, which share no
 * code beyond the checker, give every pair the same answer. */

static void count_one(void *self, const uint32_t *witness, uint32_t length)
{
    const struct sample *sample = ((void **)self)[0];
    struct search *search = ((void **)self)[1];
    uint32_t pair[2] = {witness[length - 2], witness[length - 1]};
    struct search_query query = {SEARCH_RACE, pair, 2, 1000000};
    struct search_witness other;
    /* It may give up; it must not refute what the checker accepted. */
    if (search_reach(search, &query, &other) == SEARCH_REFUTED)
        fail_msg("only the solver finds events %u and %u racing\n%s", pair[0], pair[1],
                 sample->text);
}

static void agree(const char *text, uint64_t seed, enum model model)
{
    struct error error = {0};
    struct shape shape;
    struct sample sample;
    assert_int_equal(shape_parse(&shape, text, &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
    struct rules *rules = rules_create(sample.history, model);
    struct search_index *index = search_index_create(sample.history, model);
    struct search *search = search_create(index);
    struct smt_counts alone, both;
    struct smt_client client = {(void *[]){&sample, search}, want_all, count_one};
    struct smt_options options = {.z3_alone = true};
    assert_int_equal(smt_search(rules, &options, &client, &alone, &error), 0);
    /* A pair that the search finds and Z3 does not would be one more here. */
    options.z3_alone = false;
    assert_int_equal(smt_search(rules, &options, &client, &both, &error), 0);
    assert_int_equal(alone.unknown, 0);
    assert_int_equal(alone.witnesses, both.witnesses);
    search_destroy(search);
    search_index_destroy(index);
    rules_destroy(rules);
    sample_free(&sample);
}

static void ignore(void *self, const uint32_t *witness, uint32_t length)
{
    (void)self, (void)witness, (void)length;
}

/* What a budget leaves open is counted, and nothing else changes. */
static void open_pairs_are_counted(void **state)
{
    (void)state;
    struct error error = {0};
    struct shape shape;
    struct sample sample;
    assert_int_equal(shape_parse(&shape, "large:events=150,variables=20,values", &error), 0);
    assert_int_equal(sample_generate(&sample, &shape, 1, &error), 0);
    struct rules *rules = rules_create(sample.history, MODEL_VALUE);
    struct smt_client client = {NULL, want_all, ignore};
    struct smt_counts all, some, timed;
    struct smt_options options = {.z3_alone = true};
    assert_int_equal(smt_search(rules, &options, &client, &all, &error), 0);
    options.budget = 500;
    assert_int_equal(smt_search(rules, &options, &client, &some, &error), 0);
    options.budget = 0;
    options.seconds = 1e-9;
    assert_int_equal(smt_search(rules, &options, &client, &timed, &error), 0);
    assert_int_equal(all.unknown, 0);
    assert_true(some.unknown > 0 && timed.unknown > 0);
    assert_true(some.witnesses <= all.witnesses && some.refuted <= all.refuted);
    assert_int_equal(some.witnesses + some.refuted + some.unknown, all.must_pairs);
    rules_destroy(rules);
    sample_free(&sample);
}

static void agrees_with_the_order_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < seeds(3); seed++) {
        agree("large:events=150..250,variables=20", seed, MODEL_RF);
        agree("large:events=150..250,variables=20,values", seed, MODEL_VALUE);
        agree("large-all:events=100..150,variables=20", seed, MODEL_RF);
        agree("large:events=1000,threads=5,variables=60,locks=8", seed, MODEL_RF);
    }
}

/* Figure 2 and Tables 1 and 2 of Said et al., with every event executed as there. */

struct figure {
    struct sample sample;
    struct rules *rules;
    struct smt_window *window;
    struct smt_encoding *encoding;
};

static void figure_open(struct figure *figure, const char *path, enum model model,
                        enum smt_style style)
{
    struct error error = {0};
    struct trace *trace = trace_open(path, &error);
    assert_non_null(trace);
    *figure = (struct figure){.sample.trace = trace, .sample.history = history_read(trace, &error)};
    figure->rules = rules_create(figure->sample.history, model);
    figure->window = smt_window_create(figure->rules, 0, figure->sample.history->count);
    figure->encoding = smt_encode(figure->window, figure->window->length, style);
}

static void figure_close(struct figure *figure)
{
    smt_encoding_destroy(figure->encoding);
    smt_window_destroy(figure->window);
    rules_destroy(figure->rules);
    sample_free(&figure->sample);
}

/* Said et al.'s name of an event, which is the event's location. */
static const char *name_of(const struct figure *figure, uint32_t pos)
{
    const struct history *history = figure->sample.history;
    return trace_location(history->trace, history->events[pos].location);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* As text with operands sorted, and with "is executed" taken for true. Returns
 * malloc-ed text; "" is true, NULL false. */
static char *spell(const struct figure *figure, smt_ref ref)
{
    const struct smt_formula *formula = &figure->encoding->formula;
    struct smt_node node = formula->nodes.items[ref];
    char *text = NULL;
    switch (node.kind) {
    case SMT_FALSE:
        return NULL;
    case SMT_TRUE:
    case SMT_EXECUTED:
        return strdup("");
    case SMT_BEFORE:
        assert_true(asprintf(&text, "%s<%s", name_of(figure, node.a), name_of(figure, node.b)) > 0);
        return text;
    case SMT_CHOICE:
        assert_true(asprintf(&text, "c%u", node.a) > 0);
        return text;
    case SMT_NOT:
        if (formula->nodes.items[node.a].kind == SMT_EXECUTED)
            return NULL;
        assert_true(asprintf(&text, "!c%u", formula->nodes.items[node.a].a) > 0);
        return text;
    default:
        break;
    }
    char *parts[64];
    uint32_t count = 0;
    bool decided = false;
    for (uint32_t i = 0; i < node.b; i++) {
        char *part = spell(figure, formula->children.items[node.a + i]);
        if (part && *part) {
            parts[count++] = part;
            continue;
        }
        decided |= !part == (node.kind == SMT_AND);
        free(part);
    }
    if (decided) {
        while (count)
            free(parts[--count]);
        return node.kind == SMT_AND ? NULL : strdup("");
    }
    qsort(parts, count, sizeof *parts, compare_texts);
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, count > 1 ? "%s(%s)" : "%s%s", i ? node.kind == SMT_AND ? "&" : "|" : "",
                parts[i]);
        free(parts[i]);
    }
    fclose(out);
    return text;
}

/* Of the constraints on the event named `name` that are no mere program order. */
static void expect(const struct figure *figure, const char *name, const char *wanted)
{
    char *all[64], *joined = NULL;
    size_t count = 0, length;
    const struct smt_constraint *constraints = figure->encoding->constraints.items;
    for (size_t i = 0; i < figure->encoding->constraints.count; i++) {
        if (constraints[i].event == POS_NONE ||
            strcmp(name_of(figure, constraints[i].event), name) != 0)
            continue;
        char *text = spell(figure, constraints[i].formula);
        assert_non_null(text);
        if (*text)
            all[count++] = text;
        else
            free(text);
    }
    qsort(all, count, sizeof *all, compare_texts);
    FILE *out = open_memstream(&joined, &length);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i ? " ; " : "", all[i]);
        free(all[i]);
    }
    fclose(out);
    assert_string_equal(joined, wanted);
    free(joined);
}

/* Threads count from 1 in the seed; 0 is nobody. */
static unsigned owner(uint32_t thread)
{
    return thread == SMT_NOBODY ? 0 : thread + 1;
}

static void spell_names(FILE *out, const struct figure *figure, const struct smt_positions *events)
{
    char *names[16];
    for (size_t i = 0; i < events->count; i++)
        names[i] = (char *)name_of(figure, events->items[i]);
    qsort(names, events->count, sizeof *names, compare_texts);
    for (size_t i = 0; i < events->count; i++)
        fprintf(out, " %s", names[i]);
}

/* Of the lock's owner. */
static char *spell_step(const struct figure *figure, const struct smt_owner_steps *steps,
                        const struct smt_owner_step *step)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const struct smt_owner_step *own = smt_own_write(figure->window, steps, step);
    struct smt_positions writers = {0}, same = {0};
    for (size_t i = 0; i < steps->count; i++) {
        if (!smt_may_precede(&steps->items[i], own, step))
            continue;
        array_push(&writers, steps->items[i].pos);
        if (steps->items[i].written == step->assumed)
            array_push(&same, steps->items[i].pos);
    }
    fprintf(out, "%u", owner(step->assumed));
    if (step->writes)
        fprintf(out, ">%u", owner(step->written));
    fputs(" of", out);
    spell_names(out, figure, &writers);
    fputs("; same", out);
    spell_names(out, figure, &same);
    fclose(out);
    array_free(&writers);
    array_free(&same);
    return text;
}

static void expect_step(const struct figure *figure, const struct smt_owner_steps *steps,
                        const char *name, const char *wanted)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (strcmp(name_of(figure, steps->items[i].pos), name) != 0)
            continue;
        char *text = spell_step(figure, steps, &steps->items[i]);
        assert_string_equal(text, wanted);
        free(text);
        return;
    }
    fail_msg("%s says nothing of the lock", name);
}

/* Table 1: what each event assumes of the lock's owner and makes of it, which events may have
 * written that before, and which of them what is assumed. The flag "thread 1 waits" is written
 * by e4, which begins to wait, and by e7; e4b needs it to be false. */
static void table_1_is_what_we_start_from(void **state)
{
    (void)state;
    struct figure figure;
    figure_open(&figure, TRACES "/003-fig2-wait-notify.std", MODEL_VALUE, SMT_EQUATIONS);
    struct smt_owner_steps steps = {0};
    uint32_t initial;
    assert_true(smt_owner_steps_find(figure.window, 0, &steps, &initial));
    assert_int_equal(initial, SMT_NOBODY);
    assert_int_equal(steps.count, 7);
    expect_step(&figure, &steps, "e2", "0>1 of e5 e8; same e8");
    expect_step(&figure, &steps, "e4", "1>0 of e2 e5 e8; same e2");
    expect_step(&figure, &steps, "e4b", "0>1 of e4 e5 e8; same e4 e8");
    expect_step(&figure, &steps, "e5", "0>2 of e10 e2 e4 e4b; same e10 e4");
    expect_step(&figure, &steps, "e7", "2 of e10 e2 e4 e4b e5; same e5");
    expect_step(&figure, &steps, "e8", "2>0 of e10 e2 e4 e4b e5; same e5");
    expect_step(&figure, &steps, "e10", "1>0 of e4b e5 e8; same e4b");
    const struct smt_window *window = figure.window;
    assert_int_equal(window->waits.count, 1);
    assert_string_equal(name_of(&figure, window->waits.items[0].begin), "e4");
    assert_string_equal(name_of(&figure, window->waits.items[0].end), "e4b");
    assert_int_equal(window->signals.offset[1] - window->signals.offset[0], 1);
    assert_string_equal(name_of(&figure, window->signals.items[0]), "e7");
    array_free(&steps);
    figure_close(&figure);
}

/* Table 2, third column. Two conjuncts that the table prints follow from its own
 * rules and are gone here: e4 < e4' is in the partial order, and e5 < e10 is weaker
 * than e5 < e4'. */
static void table_2_is_what_we_emit(void **state)
{
    (void)state;
    struct figure figure;
    figure_open(&figure, TRACES "/003-fig2-wait-notify.std", MODEL_VALUE, SMT_EQUATIONS);
    expect(&figure, "e2", "(e2<e5)|(e8<e2)");
    expect(&figure, "e4", "((e4<e5)|(e5<e2))&((e4<e8)|(e8<e2))");
    expect(&figure, "e4b",
           "(((e4b<e5)|(e5<e4))&((e4b<e8)|(e8<e4)))|((e4<e8)&(e8<e4b)) ; (e4<e7)&(e7<e4b)");
    expect(&figure, "e5", "((e4<e5)&(e5<e4b))|(e10<e5)|(e5<e2)");
    expect(&figure, "e7",
           "((e10<e5)|(e7<e10))&((e2<e5)|(e7<e2))&((e4<e5)|(e7<e4))&((e4b<e5)|(e7<e4b))");
    expect(&figure, "e8",
           "((e10<e5)|(e8<e10))&((e2<e5)|(e8<e2))&((e4<e5)|(e8<e4))&((e4b<e5)|(e8<e4b))");
    expect(&figure, "e10", "((e10<e5)|(e5<e4b))&((e10<e8)|(e8<e4b))");
    figure_close(&figure);
}

/* The write-read consistency, e6 < e1 or e3 < e6, with a choice for each. */
static void figure_2_reads_as_the_seed_says(void **state)
{
    (void)state;
    struct figure figure;
    figure_open(&figure, TRACES "/003-fig2-wait-notify.std", MODEL_VALUE, SMT_EQUATIONS);
    const struct smt_encoding *encoding = figure.encoding;
    const char *wanted[] = {"(!c0)|(e6<e1)", "(!c1)|(e3<e6)", "(!c2)|(e9<e1)", "(!c3)|(e3<e9)"};
    size_t seen = 0;
    for (size_t i = 0; i < encoding->constraints.count; i++) {
        if (encoding->constraints.items[i].event != POS_NONE)
            continue;
        char *text = spell(&figure, encoding->constraints.items[i].formula);
        for (size_t k = 0; text && k < 4; k++)
            seen += strcmp(text, wanted[k]) == 0;
        free(text);
    }
    assert_int_equal(seen, 4);
    figure_close(&figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rf_is_exact),
        cmocka_unit_test(value_is_exact),
        cmocka_unit_test(branch_is_exact),
        cmocka_unit_test(sync_is_exact),
        cmocka_unit_test(whole_engine_is_exact),
        cmocka_unit_test(eager_is_exact),
        cmocka_unit_test(windows_are_sound),
        cmocka_unit_test(equations_say_the_same),
        cmocka_unit_test(agrees_with_the_order_search),
        cmocka_unit_test(open_pairs_are_counted),
        cmocka_unit_test(table_1_is_what_we_start_from),
        cmocka_unit_test(table_2_is_what_we_emit),
        cmocka_unit_test(figure_2_reads_as_the_seed_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
