/* Equivalent traces are the same to every engine: same findings, event for event
 * (dissertation, Section 24.6). Which of several pairs of the same two locations
 * an engine names may depend on the order, so every event has its own location. */
#include "base/array.h"
#include "engine/driver.h"
#include "tiddle/generator.h"
#include "tiddle/sample.h"
#include "trace/formats.h"
#include "trace/std_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct lines ARRAY_OF(char *);

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* A finding as text: its kind, and its events by location. */
static char *describe(const struct trace *trace, const struct finding *finding)
{
    struct lines places = {0};
    char *text = NULL;
    size_t length;
    for (uint32_t i = 0; i < finding->event_count; i++)
        array_push(&places, (char *)trace_location(trace, finding->events[i].location));
    if (finding->kind != FINDING_ATOMICITY && places.count)
        qsort(places.items, places.count, sizeof *places.items, by_text);
    FILE *out = open_memstream(&text, &length);
    fputs(finding_kind_text(finding->kind), out);
    for (size_t i = 0; i < places.count; i++)
        fprintf(out, " %s", places.items[i]);
    fclose(out);
    array_free(&places);
    return text;
}

/* All findings of one engine, sorted, one a line; the caller frees it. */
static char *answer(const struct engine *engine, const struct history *history,
                    const uint32_t *order)
{
    struct error error = {0};
    const struct engine_options options = {.jobs = 1, .every_pair = true};
    char *text = NULL, *result = NULL;
    size_t length, result_length;
    FILE *out = open_memstream(&text, &length);
    for (uint32_t i = 0; i < history->count; i++)
        std_write_event(out, history->trace, &history->events[order[i]]);
    fclose(out);
    struct trace *trace = std_open_memory("equivalent", text, length);
    struct driver driver;
    struct lines lines = {0};
    if (driver_run(&driver, trace, &engine, 1, &options, &error))
        fail_msg("%s: %s\n%s", engine->name, error.text, text);
    for (size_t i = 0; i < driver.runs[0].findings->count; i++)
        array_push(&lines, describe(trace, &driver.runs[0].findings->items[i]));
    if (lines.count)
        qsort(lines.items, lines.count, sizeof *lines.items, by_text);
    out = open_memstream(&result, &result_length);
    for (size_t i = 0; i < lines.count; i++) {
        fprintf(out, "%s\n", lines.items[i]);
        free(lines.items[i]);
    }
    fclose(out);
    array_free(&lines);
    driver_free(&driver);
    trace_close(trace);
    free(text);
    return result;
}

/* To the relations that predict without a search a failed try comes after all that the
 * holder did, not just its acquire (model/hard_edges.h): what that hides depends on the
 * order. */
static bool is_exact(const struct engine *engine, const struct history *history)
{
    bool relation = strcmp(engine->name, "cp") == 0 || strcmp(engine->name, "wcp") == 0 ||
                    strcmp(engine->name, "mb") == 0;
    for (uint32_t pos = 0; relation && pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ACQUIRING) && !event_acquires(&history->events[pos]))
            return false;
    return true;
}

static void check_trace(const struct sample *sample, uint64_t seed)
{
    const struct history *history = sample->history;
    uint32_t *own = NEW_ARRAY(uint32_t, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++)
        own[pos] = pos;
    for (size_t i = 0; engine_registry[i]; i++) {
        const struct engine *engine = engine_registry[i];
        if (!is_exact(engine, history))
            continue;
        char *wanted = answer(engine, history, own);
        struct sampler *sampler = sampler_create(history, seed);
        for (int draw = 0; draw < 4; draw++) {
            char *found = answer(engine, history, sampler_next(sampler));
            if (strcmp(found, wanted) != 0)
                fail_msg("%s finds\n%sin an equivalent of\n%sinstead of\n%s", engine->name, found,
                         sample->text, wanted);
            free(found);
        }
        sampler_destroy(sampler);
        free(wanted);
    }
    free(own);
}

static void engines_agree(const char *text, uint64_t seeds)
{
    struct error error = {0};
    struct shape shape;
    assert_int_equal(shape_parse(&shape, text, &error), 0);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        check_trace(&sample, seed);
        sample_free(&sample);
    }
}

static void on_accesses_and_locks(void **state)
{
    (void)state;
    engines_agree("basic:events=14", 40);
    engines_agree("locks:events=14", 40);
}

static void on_all_synchronisation(void **state)
{
    (void)state;
    engines_agree("all:events=12", 40);
    engines_agree("tries:events=14", 40);
}

static void on_blocks(void **state)
{
    (void)state;
    engines_agree("blocks:events=14", 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_accesses_and_locks),
        cmocka_unit_test(on_all_synchronisation),
        cmocka_unit_test(on_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
