/* SPDX-License-Identifier: MIT */
/* preplay convert: a trace in another format. */
#include "cli/command.h"
#include "cli/trace_argument.h"
#include "csp/cspm.h"
#include "model/sift.h"
#include "report/findings_file.h"
#include "report/perfetto.h"
#include "smt/smt_text.h"
#include "tiddle/writer.h"
#include "trace/csv_writer.h"
#include "trace/std_writer.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static int to_std(struct trace *trace, const struct options *options, FILE *out,
                  struct error *error)
{
    (void)options;
    const struct event *batch;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++)
            std_write_event(out, trace, &batch[i]);
    return count < 0 ? -1 : 0;
}

static int to_csv(struct trace *trace, const struct options *options, FILE *out,
                  struct error *error)
{
    (void)options;
    const struct event *batch;
    uint32_t pos = 0;
    long count;
    csv_write_header(out);
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++)
            csv_write_event(out, trace, &batch[i], pos++);
    return count < 0 ? -1 : 0;
}

static int to_tiddle(struct trace *trace, const struct options *options, FILE *out,
                     struct error *error)
{
    (void)options;
    const struct event *batch;
    uint32_t line = 1;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++)
            tiddle_write_event(out, trace, &batch[i], line++);
    return count < 0 ? -1 : 0;
}

/* Not the trace but a question about it: can this pair race? */
static int to_smt2(struct trace *trace, const struct options *options, FILE *out,
                   struct error *error)
{
    enum model model = options->model ? model_parse(options->model) : MODEL_RF;
    if (model == MODEL_COUNT)
        return error_set(error, ERROR_USAGE, "no model '%s'; there are rf, value, branch and sync",
                         options->model);
    struct history *history = history_read(trace, error);
    if (!history)
        return -1;
    struct rules *rules = rules_create(history, model);
    int code = smt_text_write(out, rules, options->pair, error);
    rules_destroy(rules);
    history_destroy(history);
    return code;
}

static int to_cspm(struct trace *trace, const struct options *options, FILE *out,
                   struct error *error)
{
    struct history *history = history_read(trace, error);
    if (!history)
        return -1;
    cspm_write(out, history, options->per_pair);
    history_destroy(history);
    return 0;
}

/* The run with what was found in it, if somebody has looked. */
static int to_perfetto(struct trace *trace, const struct options *options, FILE *out,
                       struct error *error)
{
    char file[PATH_MAX];
    struct history *history = history_read(trace, error);
    if (!history)
        return -1;
    struct findings *findings = findings_create(true);
    struct report_engine engine = {.name = "auto", .model = MODEL_RF, .findings = findings};
    snprintf(file, sizeof file, "%s/findings.json", options->arguments[0]);
    bool found = strcmp(trace->format->name, "binary") == 0 && access(file, R_OK) == 0;
    int code = found ? findings_file_read(findings, history, file, error) : 0;
    if (code == 0) {
        struct report report;
        report_create(&report, trace, history, options->arguments[0], &engine, 1, false);
        report_leave_out(&report, NULL, NULL, NULL);
        report_perfetto(out, &report);
        report_free(&report);
    }
    findings_destroy(findings);
    history_destroy(history);
    return code;
}

static const struct {
    const char *name;
    int (*write)(struct trace *trace, const struct options *options, FILE *out,
                 struct error *error);
    bool sifted; /* as engines see it, for positions in findings count that */
} targets[] = {
    {"std", to_std, false},   {"csv", to_csv, false},   {"tiddle", to_tiddle, false},
    {"smt2", to_smt2, false}, {"cspm", to_cspm, false}, {"perfetto", to_perfetto, true},
};

#define TARGET_COUNT (sizeof targets / sizeof *targets)

static int convert(size_t target, const struct options *options, struct error *error)
{
    struct trace *trace = targets[target].sifted ? sift_open(options->arguments[0], error)
                                                 : trace_open(options->arguments[0], error);
    if (!trace)
        return -1;
    FILE *out = command_output(options->output, error);
    int code = -1;
    if (out) {
        code = targets[target].write(trace, options, out, error);
        if (command_close(out, options->output, error))
            code = -1;
    }
    trace_close(trace);
    return code;
}

int cmd_convert(struct options *options, struct error *error)
{
    if (trace_argument(options, error))
        return -1;
    for (size_t i = 0; i < TARGET_COUNT; i++)
        if (options->to && strcmp(options->to, targets[i].name) == 0)
            return convert(i, options, error);
    char list[128] = "";
    for (size_t i = 0; i < TARGET_COUNT; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", targets[i].name);
    }
    if (!options->to)
        return error_set(error, ERROR_USAGE, "preplay convert needs --to FORMAT, one of: %s", list);
    return error_set(error, ERROR_USAGE, "no format '%s' to convert to; there are: %s", options->to,
                     list);
}
