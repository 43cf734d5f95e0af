/* preplay compare: the engines side by side, a row a finding. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/predict.h"
#include "report/json.h"
#include "report/text.h"

#include <string.h>

struct row {
    const struct finding *finding; /* of the first engine that has it */
    uint64_t engines;              /* bit i: found by engine i */
};

struct rows ARRAY_OF(struct row);

/* Same kind, same places; the order of a finding's events does not matter. */
static bool has_event(const struct finding *finding, const struct finding_event *event,
                      bool every_pair)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (every_pair ? finding->events[i].pos == event->pos
                       : finding->events[i].location == event->location)
            return true;
    return false;
}

static bool same(const struct finding *a, const struct finding *b, bool every_pair)
{
    if (a->kind != b->kind || a->event_count != b->event_count || a->error != b->error)
        return false;
    for (uint32_t i = 0; i < a->event_count; i++)
        if (!has_event(b, &a->events[i], every_pair) || !has_event(a, &b->events[i], every_pair))
            return false;
    return true;
}

static void collect(struct rows *rows, const struct prediction *prediction)
{
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct findings *findings = prediction->driver.runs[i].findings;
        for (size_t k = 0; k < findings->count; k++) {
            const struct finding *finding = &findings->items[k];
            size_t at = 0;
            while (at < rows->count &&
                   !same(rows->items[at].finding, finding, prediction->engine_options.every_pair))
                at++;
            if (at == rows->count) {
                struct row row = {finding, 0};
                array_push(rows, row);
            }
            rows->items[at].engines |= UINT64_C(1) << i;
        }
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct finding *x = ((const struct row *)a)->finding;
    const struct finding *y = ((const struct row *)b)->finding;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (uint32_t i = 0; i < x->event_count && i < y->event_count; i++)
        if (x->events[i].pos != y->events[i].pos)
            return x->events[i].pos < y->events[i].pos ? -1 : 1;
    return (x->event_count > y->event_count) - (x->event_count < y->event_count);
}

static int column_width(const struct engine_run *run)
{
    int width = (int)strlen(run->engine->name);
    return width < 6 ? 6 : width;
}

static void print_row(const struct prediction *prediction, const struct row *row)
{
    const struct finding *finding = row->finding;
    for (size_t i = 0; i < prediction->driver.count; i++)
        printf("%*s ", column_width(&prediction->driver.runs[i]),
               row->engines >> i & 1 ? "x" : ".");
    printf(" %s", finding_kind_text(finding->kind));
    if (finding->object_class != CLASS_NONE) {
        putchar(' ');
        report_safe_text(stdout,
                         trace_name(prediction->trace, finding->object_class, finding->object));
    }
    for (uint32_t i = 0; i < finding->event_count; i++) {
        fputs(i ? " ~ " : ": ", stdout);
        report_safe_text(stdout, trace_location(prediction->trace, finding->events[i].location));
    }
    putchar('\n');
}

static void print_table(const struct prediction *prediction, const struct rows *rows)
{
    const struct driver *driver = &prediction->driver;
    for (size_t i = 0; i < driver->count; i++)
        printf("%*s ", column_width(&driver->runs[i]), driver->runs[i].engine->name);
    puts(" finding");
    for (size_t i = 0; i < rows->count; i++)
        print_row(prediction, &rows->items[i]);
    for (size_t i = 0; i < driver->count; i++)
        printf("%*zu ", column_width(&driver->runs[i]), driver->runs[i].findings->count);
    puts(" findings");
    for (size_t i = 0; i < driver->count; i++)
        printf("%*.3f ", column_width(&driver->runs[i]), driver->runs[i].seconds);
    puts(" seconds");
    for (size_t i = 0; i < driver->count; i++)
        printf("  %-10s %s: %s\n", driver->runs[i].engine->name, driver->runs[i].engine->summary,
               driver->runs[i].engine->promise);
}

int cmd_compare(struct options *options, struct error *error)
{
    if (command_arguments(options, 1, "one TRACE", error))
        return -1;
    struct prediction prediction;
    int code = prediction_run(&prediction, options, options->arguments[0], NULL, error);
    if (code == 0) {
        struct rows rows = {0};
        collect(&rows, &prediction);
        if (rows.count)
            qsort(rows.items, rows.count, sizeof *rows.items, compare_rows);
        if (!options->json_file || strcmp(options->json_file, "-") != 0)
            print_table(&prediction, &rows);
        if (rows.count)
            code = (int)options->exit_code;
        array_free(&rows);
        if (options->json_file &&
            prediction_write_json(&prediction, NULL, options->json_file, error))
            code = -1;
    }
    prediction_free(&prediction);
    return code;
}
