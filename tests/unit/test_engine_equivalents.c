/* Equivalent traces are the same to every engine: same findings, event for event
 * (Sadowski, Section 24.6). Which of several pairs of the same two locations
 * an engine names may depend on the order, so every event has its own location. */
#include "base/array.h"
#include "engine/driver.h"
#include "tiddle/equivalent.h"
#include "tiddle/sample.h"
#include "trace/formats.h"
#include "trace/std_writer.h"

#include "campaign.h"

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

static void compare_answers(const struct engine *engine, const struct sample *sample,
                            const uint32_t *order, const char *wanted)
{
    char *found = answer(engine, sample->history, order);
    if (strcmp(found, wanted) != 0)
        fail_msg("%s finds\n%sin an equivalent of\n%sinstead of\n%s", engine->name, found,
                 sample->text, wanted);
    free(found);
}

/* All equivalents, if there are not more than `most`; else a few. */
static void check_engine(const struct engine *engine, const struct sample *sample, uint64_t seed,
                         const char *wanted, int most)
{
    enum { FEW = 4 };
    struct equivalents *equivalents = equivalents_create(sample->history);
    int count = 0;
    for (const uint32_t *order; count <= most && (order = equivalents_next(equivalents)); count++)
        compare_answers(engine, sample, order, wanted);
    equivalents_destroy(equivalents);
    if (count <= most)
        return;
    struct sampler *sampler = sampler_create(sample->history, seed);
    for (int draw = 0; draw < FEW; draw++)
        compare_answers(engine, sample, sampler_next(sampler), wanted);
    sampler_destroy(sampler);
}

static void check_trace(const struct sample *sample, uint64_t seed, void *context)
{
    int most = *(const int *)context;
    const struct history *history = sample->history;
    uint32_t *own = NEW_ARRAY(uint32_t, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++)
        own[pos] = pos;
    for (size_t i = 0; engine_registry[i]; i++) {
        char *wanted = answer(engine_registry[i], history, own);
        check_engine(engine_registry[i], sample, seed, wanted, most);
        free(wanted);
    }
    free(own);
}

static void on_a_few_equivalents(void **state)
{
    int most = 8;
    campaign("EQUIVALENT", *state, 40, check_trace, &most);
}

static void on_all_equivalents(void **state)
{
    int most = 200;
    campaign("EQUIVALENT", *state, 40, check_trace, &most);
}

int main(void)
{
#define FEW(shape)                                                                                 \
    {                                                                                              \
        "a few equivalents of " shape, on_a_few_equivalents, NULL, NULL, (void *)shape             \
    }
#define ALL(shape)                                                                                 \
    {                                                                                              \
        "all equivalents of " shape, on_all_equivalents, NULL, NULL, (void *)shape                 \
    }
    const struct CMUnitTest tests[] = {
        FEW("basic:events=14"), FEW("locks:events=14"),  FEW("all:events=12"),
        FEW("tries:events=14"), FEW("blocks:events=14"), ALL("basic:events=8"),
        ALL("locks:events=9"),  ALL("all:events=8"),     ALL("tries:events=9"),
        ALL("blocks:events=9"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
