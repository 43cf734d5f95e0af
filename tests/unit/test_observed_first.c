/* What happened in a long run is told before anything is predicted, and nothing but that; of a
 * short one nothing is. */
#include "auto/observed_first.h"
#include "base/memory.h"
#include "engine/driver.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct engine engine_auto;

/* The race on x happens; that on y is hidden by the lock, and only predicted. */
static const char errors[] = "T0|fork(T1)|1\n"
                             "T0|w(x)|2\n"
                             "T0|w(y)|3\n"
                             "T0|acq(l)|4\n"
                             "T0|rel(l)|5\n"
                             "T1|acq(l)|6\n"
                             "T1|rel(l)|7\n"
                             "T1|w(y)|8\n"
                             "T0|w(z)|9\n"
                             "T1|w(z)|10\n"
                             "T0|badrel(l)|11\n";

static char *text_of(size_t padding)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < padding; i++)
        fputs("T0|w(p)|99\n", out);
    fputs(errors, out);
    fclose(out);
    return text;
}

struct seen {
    const struct driver *driver;
    size_t calls, predicted_before;
    char text[200];
};

static void note(void *context, const struct trace *trace, struct findings *observed)
{
    struct seen *seen = context;
    size_t length = 0;
    seen->calls++;
    seen->predicted_before += seen->driver->runs[0].findings->count;
    for (size_t i = 0; i < observed->count; i++) {
        const struct finding *finding = &observed->items[i];
        const struct finding_event *last = &finding->events[finding->event_count - 1];
        length += (size_t)snprintf(seen->text + length, sizeof seen->text - length, "%s %s %s;",
                                   finding_kind_text(finding->kind), verdict_text(finding->verdict),
                                   trace_location(trace, last->location));
    }
}

static void observe(struct seen *seen, size_t padding, size_t *found)
{
    struct driver driver = {0};
    struct error error = {0};
    const struct observer observer = {note, seen};
    const struct engine_options options = {.jobs = 1, .observer = &observer};
    const struct engine *engine = &engine_auto;
    char *text = text_of(padding);
    struct trace *trace = std_open_memory("example", text, strlen(text));
    *seen = (struct seen){.driver = &driver};
    if (driver_run(&driver, trace, &engine, 1, &options, &error))
        fail_msg("%s", error.text);
    *found = driver.runs[0].findings->count;
    driver_free(&driver);
    trace_close(trace);
    free(text);
}

static void long_runs_are_told_first(void **state)
{
    (void)state;
    struct seen seen;
    size_t found;
    observe(&seen, OBSERVED_FIRST_FROM, &found);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.predicted_before, 0);
    assert_string_equal(seen.text, "race observed 10;misuse observed 11;");
    assert_int_equal(found, 3); /* and the one on y */
}

static void short_runs_are_not(void **state)
{
    (void)state;
    struct seen seen;
    size_t found;
    observe(&seen, 0, &found);
    assert_int_equal(seen.calls, 0);
    assert_int_equal(found, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_runs_are_told_first),
        cmocka_unit_test(short_runs_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
