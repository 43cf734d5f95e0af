/* Every trace of the papers (tests/traces) against its verdicts, for every engine
 * that has a verdict line. */
#include "base/array.h"
#include "engine/driver.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct names ARRAY_OF(char *);

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    array_free(names);
}

static void names_add(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    array_push(names, strdup(name));
}

/* "b~a" as "a~b": pairs are sets. */
static void add_pair(struct names *names, const char *first, const char *second)
{
    char pair[512];
    bool swap = strcmp(first, second) > 0;
    snprintf(pair, sizeof pair, "%s~%s", swap ? second : first, swap ? first : second);
    names_add(names, pair);
}

static bool contains(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static void print_names(const char *what, const struct names *names)
{
    fprintf(stderr, "  %s:", what);
    for (size_t i = 0; i < names->count; i++)
        fprintf(stderr, " %s", names->items[i]);
    fputc('\n', stderr);
}

/* Reads the pairs of one key; false if the file has no such line. */
static bool read_verdict(const char *path, const char *key, struct names *pairs)
{
    char line[4096];
    bool found = false;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0 || line[length] != ':')
            continue;
        found = true;
        char *value = line + length + 1;
        value += strspn(value, " ");
        value[strcspn(value, " \n")] = '\0';
        if (strcmp(value, "none") == 0)
            break;
        for (char *rest = value, *pair; (pair = strsep(&rest, ","));) {
            char *first = strsep(&pair, "~");
            assert_non_null(pair);
            add_pair(pairs, first, pair);
        }
        break;
    }
    fclose(file);
    return found;
}

/* Returns true if the trace has condition variables. */
static bool run_engine(const char *path, const struct engine *engine, enum model model,
                       enum finding_kind kind, struct names *pairs)
{
    struct error error = {0};
    struct trace *trace = trace_open(path, &error);
    if (!trace)
        fail_msg("%s", error.text);
    struct engine_options options = {.jobs = 1, .model = model};
    struct driver driver;
    if (driver_run(&driver, trace, &engine, 1, &options, &error))
        fail_msg("%s: %s", path, error.text);
    const struct findings *findings = driver.runs[0].findings;
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->kind == kind && finding->event_count == 2)
            add_pair(pairs, trace_location(trace, finding->events[0].location),
                     trace_location(trace, finding->events[1].location));
    }
    bool has_conditions = trace_count(trace, CLASS_CONDITION) > 0;
    driver_free(&driver);
    trace_close(trace);
    return has_conditions;
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
    {"auto", MODEL_RF, FINDING_RACE, {"oracle-rf"}, {"oracle-sync"}},
    {"auto", MODEL_SYNC, FINDING_RACE, {"oracle-sync"}, {"oracle-sync"}},
    {"smt", MODEL_RF, FINDING_RACE, {"oracle-rf"}, {"oracle-rf"}},
    {"smt", MODEL_VALUE, FINDING_RACE, {"oracle-value"}, {"oracle-value"}},
    {"deadlock", MODEL_RF, FINDING_DEADLOCK, {"deadlock-rf"}, {"deadlock-rf"}},
    {"deadlock", MODEL_SYNC, FINDING_DEADLOCK, {"deadlock-sync"}, {"deadlock-sync"}},
};

/* False if one of the keys is not in the file. */
static bool read_union(const char *path, const char *const keys[2], struct names *pairs)
{
    for (int i = 0; i < 2; i++)
        if (keys[i] && !read_verdict(path, keys[i], pairs))
            return false;
    return true;
}

static size_t compare(const char *path, const char *verdicts, const struct expectation *expected)
{
    const struct engine *engine = engine_find(expected->engine, strlen(expected->engine));
    struct names least = {0}, most = {0}, found = {0};
    size_t compared = 0;
    if (engine && read_union(verdicts, expected->least, &least) &&
        read_union(verdicts, expected->most, &most)) {
        compared = 1;
        bool has_conditions = run_engine(path, engine, expected->model, expected->kind, &found);
        /* The verdict orders a signal before its wait. Our filter cannot: another
         * signal might end the wait in another schedule, and it must miss nothing. */
        bool bounded = strcmp(expected->engine, "lockset") != 0 || !has_conditions;
        bool good = true;
        for (size_t i = 0; i < least.count; i++)
            good &= contains(&found, least.items[i]);
        for (size_t i = 0; i < found.count && bounded; i++)
            good &= contains(&most, found.items[i]);
        if (!good) {
            print_names("at least", &least);
            print_names("at most", &most);
            print_names("found", &found);
            fail_msg("%s: engine %s, model %s", path, expected->engine,
                     model_text(expected->model));
        }
    }
    names_free(&least);
    names_free(&most);
    names_free(&found);
    return compared;
}

static void list_traces(struct names *names)
{
    DIR *directory = opendir(TRACES);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".std") == 0)
            array_push(names, strndup(entry->d_name, length - 4));
    }
    closedir(directory);
    qsort(names->items, names->count, sizeof *names->items, compare_names);
}

static void figures_have_the_papers_verdicts(void **state)
{
    (void)state;
    struct names traces = {0};
    list_traces(&traces);
    assert_true(traces.count >= 50);
    size_t compared = 0;
    for (size_t i = 0; i < traces.count; i++) {
        char path[1024], verdicts[1024];
        snprintf(path, sizeof path, "%s/%s.std", TRACES, traces.items[i]);
        snprintf(verdicts, sizeof verdicts, "%s/%s.verdict", TRACES, traces.items[i]);
        for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++)
            compared += compare(path, verdicts, &expectations[k]);
    }
    names_free(&traces);
    assert_true(compared >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_have_the_papers_verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
