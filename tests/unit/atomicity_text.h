/* What an atomicity engine finds in a small trace, as text in the form of the
 * verdict files (tests/traces/README.md): errors sorted and joined by ", ". */
#ifndef PREPLAY_TESTS_UNIT_ATOMICITY_TEXT_H
#define PREPLAY_TESTS_UNIT_ATOMICITY_TEXT_H

#include "engine/driver.h"
#include "trace/formats.h"
#include "figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Frees the words. */
static inline char *join_sorted(struct words *words)
{
    char *text = memory_zero(65536, 1), *at = text;
    words_sort(words);
    for (size_t i = 0; i < words->count; i++)
        at += sprintf(at, "%s%s", i ? ", " : "", words->items[i]);
    if (!words->count)
        strcpy(text, "none");
    words_free(words);
    return text;
}

static inline char *finding_text(const struct figure *figure, const struct finding *finding)
{
    char *text = NULL;
    const struct finding_event *events = finding->events;
    const char *blame = finding->note && strncmp(finding->note, "blame ", 6) == 0
                            ? finding->note + 6
                            : trace_name(figure->trace, CLASS_LABEL, finding->block);
    int length = (int)strcspn(blame, ": ");
    assert_true(asprintf(&text, "%s block=%.*s window=%s..%s culprit=%s",
                         atomicity_error_text(finding->error), length, blame,
                         figure_place(figure, events[0].location),
                         figure_place(figure, events[1].location),
                         figure_place(figure, events[2].location)) > 0);
    return text;
}

static inline char *found_in(const struct figure *figure, const char *engine_name,
                             const struct engine_options *options)
{
    struct error error = {0};
    const struct engine *engine = engine_find(engine_name, strlen(engine_name));
    assert_non_null(engine);
    struct driver driver;
    if (driver_run(&driver, figure->trace, &engine, 1, options, &error))
        fail_msg("%s", error.text);
    struct words words = {0};
    const struct findings *findings = driver.runs[0].findings;
    for (size_t i = 0; i < findings->count; i++)
        array_push(&words, finding_text(figure, &findings->items[i]));
    driver_free(&driver);
    return join_sorted(&words);
}

static inline void expect_found(const char *engine, const char *text,
                                const struct engine_options *options, const char *wanted)
{
    struct figure trace = {.trace = std_open_memory("test", text, strlen(text))};
    char *found = found_in(&trace, engine, options);
    assert_string_equal(found, wanted);
    free(found);
    figure_close(&trace);
}

/* The same block with the same locations, broken into twice by two culprits. */
#define BROKEN_ONCE                                                                                \
    "A|begin(f)|1\nA|acq(m)|2\nA|rel(m)|3\nB|acq(m)|4\nB|rel(m)|5\n"                               \
    "A|acq(m)|6\nA|rel(m)|7\nA|end(f)|8\n"
#define BROKEN_TWICE BROKEN_ONCE BROKEN_ONCE

#endif
