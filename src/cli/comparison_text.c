/* SPDX-License-Identifier: MIT */
/* The comparison as a table, and as JSON. */
#include "cli/command.h"
#include "cli/comparison.h"
#include "report/report.h"
#include "report/text.h"
#include "report/words.h"
#include "trace/finding_id.h"

#include <string.h>

static const char *cell_text(enum cell cell)
{
    static const char *const texts[] = {
        [CELL_NOT_ITS_KIND] = "", [CELL_ABSENT] = "-", [CELL_FOUND] = "x",
        [CELL_COVERED] = "o",     [CELL_MISSED] = ".", [CELL_WRONG] = "!",
    };
    return texts[cell];
}

static const char *truth_text(enum model truth)
{
    return truth == MODEL_COUNT ? "?" : truth == MODEL_NONE ? "false" : model_text(truth);
}

static int column_width(const struct engine_run *run)
{
    int width = (int)strlen(run->engine->name);
    return width < 6 ? 6 : width;
}

static void print_row(const struct comparison *comparison, const struct comparison_row *row)
{
    const struct prediction *prediction = comparison->prediction;
    const struct finding *finding = row->finding;
    for (size_t i = 0; i < prediction->driver.count; i++)
        printf("%*s ", column_width(&prediction->driver.runs[i]), cell_text(row->cells[i]));
    if (comparison->judged)
        printf("%6s ", truth_text(row->truth));
    printf(" %s", finding_kind_text(finding->kind));
    if (finding->object_class != CLASS_NONE) {
        putchar(' ');
        report_name(stdout, prediction->trace, finding->object_class, finding->object);
    }
    for (uint32_t i = 0; i < finding->event_count; i++) {
        fputs(i ? " ~ " : ": ", stdout);
        report_safe_text(stdout, trace_location(prediction->trace, finding->events[i].location));
    }
    putchar('\n');
}

static void print_counts(const struct comparison *comparison, const size_t *counts,
                         const char *name)
{
    const struct driver *driver = &comparison->prediction->driver;
    for (size_t i = 0; i < driver->count; i++)
        printf("%*zu ", column_width(&driver->runs[i]),
               counts ? counts[i] : driver->runs[i].findings->count);
    printf("%s %s\n", comparison->judged ? "       " : "", name);
}

static void print_legend(const struct comparison *comparison)
{
    const struct driver *driver = &comparison->prediction->driver;
    if (comparison->judged)
        printf("x found  . missed  ! wrong: not true under its model (rf where it has none)\n"
               "o another of this object is reported  - not true under its model\n"
               "truth: by visiting every correct reordering; the strictest model it is true "
               "under%s\n",
               comparison->complete ? "" : "; ? not settled, there are too many");
    else
        puts("x found  . not found  o another of this object is reported (the trace is too large "
             "to know the truth)");
    for (size_t i = 0; i < driver->count; i++)
        printf("  %-10s %s: %s\n", driver->runs[i].engine->name, driver->runs[i].engine->summary,
               driver->runs[i].engine->promise);
}

void comparison_print(const struct comparison *comparison)
{
    const struct driver *driver = &comparison->prediction->driver;
    for (size_t i = 0; i < driver->count; i++)
        printf("%*s ", column_width(&driver->runs[i]), driver->runs[i].engine->name);
    printf("%s finding\n", comparison->judged ? " truth " : "");
    for (size_t i = 0; i < comparison->rows.count; i++)
        print_row(comparison, &comparison->rows.items[i]);
    print_counts(comparison, NULL, "findings");
    print_counts(comparison, comparison->missed, "missed");
    if (comparison->judged)
        print_counts(comparison, comparison->wrong, "wrong");
    for (size_t i = 0; i < driver->count; i++)
        printf("%*.3f ", column_width(&driver->runs[i]), driver->runs[i].seconds);
    printf("%s seconds\n", comparison->judged ? "       " : "");
    print_legend(comparison);
}

static json_t *names_json(const struct comparison *comparison, const struct comparison_row *row,
                          enum cell cell)
{
    json_t *names = json_array();
    for (size_t i = 0; i < comparison->prediction->driver.count; i++)
        if (row->cells[i] == cell)
            json_array_append_new(names,
                                  json_string(comparison->prediction->driver.runs[i].engine->name));
    return names;
}

static json_t *row_json(const struct comparison *comparison, const struct comparison_row *row)
{
    const struct trace *trace = comparison->prediction->trace;
    const struct finding *finding = row->finding;
    char id[FINDING_ID_SIZE];
    finding_id(finding, trace, id);
    json_t *events = json_array();
    for (uint32_t i = 0; i < finding->event_count; i++)
        json_array_append_new(events, json_integer(finding->events[i].pos));
    json_t *object =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", id, "kind", finding_kind_text(finding->kind),
                  "events", events, "found", names_json(comparison, row, CELL_FOUND), "missed",
                  names_json(comparison, row, CELL_MISSED));
    json_t *covered = names_json(comparison, row, CELL_COVERED);
    if (json_array_size(covered))
        json_object_set(object, "covered", covered);
    json_decref(covered);
    if (comparison->judged) {
        json_object_set_new(object, "wrong", names_json(comparison, row, CELL_WRONG));
        json_object_set_new(
            object, "truth",
            json_string(row->truth == MODEL_COUNT ? "unknown" : truth_text(row->truth)));
    }
    return object;
}

static json_t *engine_json(const struct comparison *comparison, size_t engine)
{
    const struct engine_run *run = &comparison->prediction->driver.runs[engine];
    json_t *object = json_pack("{s:s, s:I, s:I}", "name", run->engine->name, "findings",
                               (json_int_t)run->findings->count, "missed",
                               (json_int_t)comparison->missed[engine]);
    if (comparison->judged)
        json_object_set_new(object, "wrong", json_integer((json_int_t)comparison->wrong[engine]));
    return object;
}

int comparison_write_json(const struct comparison *comparison, const char *path,
                          struct error *error)
{
    json_t *rows = json_array(), *engines = json_array();
    for (size_t i = 0; i < comparison->rows.count; i++)
        json_array_append_new(rows, row_json(comparison, &comparison->rows.items[i]));
    for (size_t i = 0; i < comparison->prediction->driver.count; i++)
        json_array_append_new(engines, engine_json(comparison, i));
    json_t *extra = json_pack("{s:{s:s, s:o, s:o}}", "comparison", "truth",
                              !comparison->judged    ? "none"
                              : comparison->complete ? "complete"
                                                     : "partial",
                              "engines", engines, "rows", rows);
    int result = prediction_write_json_with(comparison->prediction, NULL, extra, path, error);
    json_decref(extra);
    return result;
}
