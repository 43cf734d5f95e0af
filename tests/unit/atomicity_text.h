/* What an atomicity engine finds in a small trace, as text in the form of the
 * verdict files (tests/traces/README.md): errors sorted and joined by ", ". */
#ifndef PREPLAY_TESTS_UNIT_ATOMICITY_TEXT_H
#define PREPLAY_TESTS_UNIT_ATOMICITY_TEXT_H

#include "base/array.h"
#include "engine/driver.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

struct words ARRAY_OF(char *);

static inline int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Frees the words. */
static inline char *join_sorted(struct words *words)
{
    char *text = memory_zero(65536, 1), *at = text;
    if (words->count)
        qsort(words->items, words->count, sizeof *words->items, compare_words);
    for (size_t i = 0; i < words->count; i++) {
        at += sprintf(at, "%s%s", i ? ", " : "", words->items[i]);
        free(words->items[i]);
    }
    if (!words->count)
        strcpy(text, "none");
    array_free(words);
    return text;
}

static inline char *finding_text(const struct trace *trace, const struct finding *finding)
{
    char *text = NULL;
    const struct finding_event *events = finding->events;
    const char *blame = finding->note && strncmp(finding->note, "blame ", 6) == 0
                            ? finding->note + 6
                            : trace_name(trace, CLASS_LABEL, finding->block);
    int length = (int)strcspn(blame, ":");
    assert_true(asprintf(&text, "%s block=%.*s window=%s..%s culprit=%s",
                         atomicity_error_text(finding->error), length, blame,
                         trace_location(trace, events[0].location),
                         trace_location(trace, events[1].location),
                         trace_location(trace, events[2].location)) > 0);
    return text;
}

/* Runs the engine over an open trace, which it closes. */
static inline char *found_in(struct trace *trace, const char *engine_name,
                             const struct engine_options *options)
{
    struct error error = {0};
    const struct engine *engine = engine_find(engine_name, strlen(engine_name));
    assert_non_null(engine);
    struct driver driver;
    if (driver_run(&driver, trace, &engine, 1, options, &error))
        fail_msg("%s", error.text);
    struct words words = {0};
    const struct findings *findings = driver.runs[0].findings;
    for (size_t i = 0; i < findings->count; i++)
        array_push(&words, finding_text(trace, &findings->items[i]));
    driver_free(&driver);
    trace_close(trace);
    return join_sorted(&words);
}

static inline void expect_found(const char *engine, const char *text,
                                const struct engine_options *options, const char *wanted)
{
    char *found = found_in(std_open_memory("test", text, strlen(text)), engine, options);
    assert_string_equal(found, wanted);
    free(found);
}

/* The value of a key of a verdict file, sorted like found_in(); NULL if it has none. */
static inline char *verdict_of(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char line[4096], *value = NULL;
    while (!value && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) || line[length] != ':')
            continue;
        line[strcspn(line, "\n")] = 0;
        size_t end = strlen(line);
        if (end > 8 && strcmp(line + end - 8, " derived") == 0)
            line[end - 8] = 0;
        struct words words = {0};
        char *rest = line + length + 2, *comma;
        while ((comma = strstr(rest, ", "))) {
            array_push(&words, strndup(rest, (size_t)(comma - rest)));
            rest = comma + 2;
        }
        array_push(&words, strdup(rest));
        value = join_sorted(&words);
    }
    fclose(file);
    return value;
}

#endif
