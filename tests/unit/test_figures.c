/* Every trace of the papers (tests/traces) against its verdicts, for every engine that has
 * a verdict line, as .std and as a Tiddle file. With a directory as its argument: the
 * recordings there, of the programs that the Tiddle files are. */
#include "atomicity_text.h"

static void add_word(struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return;
    array_push(words, strdup(word));
}

/* "b~a" as "a~b": pairs are sets. */
static void add_pair(struct words *pairs, const char *first, const char *second)
{
    char pair[512];
    bool swap = strcmp(first, second) > 0;
    snprintf(pair, sizeof pair, "%s~%s", swap ? second : first, swap ? first : second);
    add_word(pairs, pair);
}

static bool contains(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

static void print_words(const char *what, const struct words *words)
{
    fprintf(stderr, "  %s:", what);
    for (size_t i = 0; i < words->count; i++)
        fprintf(stderr, " %s", words->items[i]);
    fputc('\n', stderr);
}

/* Reads the pairs of one key; false if the figure has no such line. */
static bool read_pairs(const char *name, const char *key, struct words *pairs)
{
    char *value = figure_verdict(name, key);
    if (!value)
        return false;
    for (char *rest = value, *pair; strcmp(value, "none") && (pair = strsep(&rest, ","));) {
        char *first = strsep(&pair, "~");
        assert_non_null(pair);
        add_pair(pairs, first, pair);
    }
    free(value);
    return true;
}

static void run_engine(const struct figure *figure, const struct engine *engine, enum model model,
                       enum finding_kind kind, struct words *pairs)
{
    struct error error = {0};
    struct engine_options options = {.jobs = 1, .model = model};
    struct driver driver;
    if (driver_run(&driver, figure->trace, &engine, 1, &options, &error))
        fail_msg("%s: %s", figure->trace->path, error.text);
    const struct findings *findings = driver.runs[0].findings;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->kind == kind && finding->event_count == 2)
            add_pair(pairs, figure_place(figure, finding->events[0].location),
                     figure_place(figure, finding->events[1].location));
    }
    driver_free(&driver);
}

/* What is found must lie between two verdicts: at least `least`, at most `most`
 * (each the union of one or two keys). */
struct expectation {
    const char *engine;
    enum model model;
    enum finding_kind kind;
    const char *least[2], *most[2];
};

static const struct expectation expectations[] = {
    {"hb", MODEL_NONE, FINDING_RACE, {"hb"}, {"hb"}},
    {"shb", MODEL_NONE, FINDING_RACE, {"shb"}, {"shb"}},
    {"lockset", MODEL_NONE, FINDING_RACE, {"oracle-sync"}, {"lockset"}},
    {"cp", MODEL_NONE, FINDING_RACE, {"cp"}, {"cp"}},
    {"wcp", MODEL_NONE, FINDING_RACE, {"wcp"}, {"wcp"}},
    {"mb", MODEL_NONE, FINDING_RACE, {"mb", "hb"}, {"mb", "hb"}},
    {"syncp", MODEL_NONE, FINDING_RACE, {NULL}, {"oracle-rf"}},
    {"tlh", MODEL_NONE, FINDING_RACE, {"tlh"}, {"tlh"}},
    {"csp", MODEL_NONE, FINDING_RACE, {NULL}, {"csp"}},
    {"auto", MODEL_RF, FINDING_RACE, {"oracle-rf"}, {"oracle-sync"}},
    {"auto", MODEL_SYNC, FINDING_RACE, {"oracle-sync"}, {"oracle-sync"}},
    {"smt", MODEL_RF, FINDING_RACE, {"oracle-rf"}, {"oracle-rf"}},
    {"smt", MODEL_VALUE, FINDING_RACE, {"oracle-value"}, {"oracle-value"}},
    {"deadlock", MODEL_RF, FINDING_DEADLOCK, {"deadlock-rf"}, {"deadlock-rf"}},
    {"deadlock", MODEL_SYNC, FINDING_DEADLOCK, {"deadlock-sync"}, {"deadlock-sync"}},
};

/* False if one of the keys is not in the file. */
static bool read_union(const char *name, const char *const keys[2], struct words *pairs)
{
    for (int i = 0; i < 2; i++)
        if (keys[i] && !read_pairs(name, keys[i], pairs))
            return false;
    return true;
}

/* How to open each figure. */
struct form {
    const char *ending, *recordings;
};

static size_t compare(const char *name, const struct form *form, const struct expectation *expected)
{
    const struct engine *engine = engine_find(expected->engine, strlen(expected->engine));
    struct words least = {0}, most = {0}, found = {0};
    size_t compared = 0;
    if (engine && read_union(name, expected->least, &least) &&
        read_union(name, expected->most, &most)) {
        compared = 1;
        struct figure figure;
        figure_open(&figure, name, form->ending, form->recordings);
        run_engine(&figure, engine, expected->model, expected->kind, &found);
        /* The verdict orders a signal before its wait. Our filter cannot: another
         * signal might end the wait in another schedule, and it must miss nothing. */
        bool has_conditions = trace_count(figure.trace, CLASS_CONDITION) > 0;
        bool bounded = strcmp(expected->engine, "lockset") != 0 || !has_conditions;
        /* 000 and 001 promise one race an object, not which. */
        bool good = strcmp(expected->engine, "csp") != 0 || !most.count || found.count;
        for (size_t i = 0; i < least.count; i++)
            good &= contains(&found, least.items[i]);
        for (size_t i = 0; i < found.count && bounded; i++)
            good &= contains(&most, found.items[i]);
        if (!good) {
            print_words("at least", &least);
            print_words("at most", &most);
            print_words("found", &found);
            fail_msg("%s: engine %s, model %s", figure.trace->path, expected->engine,
                     model_text(expected->model));
        }
        figure_close(&figure);
    }
    words_free(&least);
    words_free(&most);
    words_free(&found);
    return compared;
}

static void races_and_deadlocks(void **state)
{
    struct words names = {0};
    size_t compared = 0;
    figures_list(&names);
    assert_true(names.count >= 50);
    for (size_t i = 0; i < names.count; i++)
        for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++)
            compared += compare(names.items[i], *state, &expectations[k]);
    words_free(&names);
    assert_true(compared >= 600);
}

/* The errors of a verdict, sorted like those that atomicity_text() finds. */
static char *sorted_errors(char *value)
{
    struct words words = {0};
    char *rest = value, *comma;
    while ((comma = strstr(rest, ", "))) {
        array_push(&words, strndup(rest, (size_t)(comma - rest)));
        rest = comma + 2;
    }
    array_push(&words, strdup(rest));
    free(value);
    return join_sorted(&words);
}

/* sidetrack finds what the verdict lists; serial something where no serial order does. */
static void broken_blocks(void **state)
{
    const struct form *form = *state;
    const struct engine_options options = {.jobs = 1, .every_pair = true};
    struct words names = {0};
    size_t compared = 0;
    figures_list(&names);
    for (size_t i = 0; i < names.count; i++) {
        char *serialisable = figure_verdict(names.items[i], "serialisable");
        if (!serialisable)
            continue;
        char *wanted = sorted_errors(figure_verdict(names.items[i], "sidetrack"));
        struct figure figure;
        figure_open(&figure, names.items[i], form->ending, form->recordings);
        char *found = found_in(&figure, "sidetrack", &options);
        if (strcmp(found, wanted))
            fail_msg("%s: sidetrack finds %s, not %s", figure.trace->path, found, wanted);
        figure_close(&figure);
        figure_open(&figure, names.items[i], form->ending, form->recordings);
        char *cycles = found_in(&figure, "serial", &options);
        if (!strcmp(cycles, "none") != !strcmp(serialisable, "yes"))
            fail_msg("%s: serial finds %s, serialisable: %s", figure.trace->path, cycles,
                     serialisable);
        figure_close(&figure);
        free(serialisable);
        free(wanted);
        free(found);
        free(cycles);
        compared++;
    }
    words_free(&names);
    assert_true(compared >= 18);
}

int main(int count, char **arguments)
{
    static struct form text = {"std", NULL}, tiddle = {"tiddle", NULL}, recorded = {"tiddle", NULL};
    const struct CMUnitTest written[] = {
        {"races and deadlocks of .std files", races_and_deadlocks, NULL, NULL, &text},
        {"broken blocks of .std files", broken_blocks, NULL, NULL, &text},
        {"races and deadlocks of Tiddle files", races_and_deadlocks, NULL, NULL, &tiddle},
        {"broken blocks of Tiddle files", broken_blocks, NULL, NULL, &tiddle},
    };
    const struct CMUnitTest performed[] = {
        {"races and deadlocks of recordings", races_and_deadlocks, NULL, NULL, &recorded},
        {"broken blocks of recordings", broken_blocks, NULL, NULL, &recorded},
    };
    recorded.recordings = count > 1 ? arguments[1] : NULL;
    return count > 1 ? cmocka_run_group_tests(performed, NULL, NULL)
                     : cmocka_run_group_tests(written, NULL, NULL);
}
