/* SPDX-License-Identifier: MIT */
/* preplay report: what is known about a trace, as text, JSON, SARIF or HTML. */
#include "cli/command.h"
#include "cli/explore_report.h"
#include "cli/trace_argument.h"
#include "cli/predict.h"
#include "model/sift.h"
#include "replay/replaying.h"
#include "cli/reporting.h"
#include "cli/reporting_program.h"
#include "cli/told_first.h"
#include "explore/failures_file.h"
#include "report/findings_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source {
    struct trace *trace;
    struct history *history;
    struct findings *findings;
    struct replay_program program; /* with a manifest, if the trace has one */
    struct report_engine engine;
    struct report_run run;
    bool has_run;
};

static void close_source(struct source *source)
{
    if (source->program.manifest)
        replay_program_free(&source->program);
    findings_destroy(source->findings);
    history_destroy(source->history);
    trace_close(source->trace);
}

static void copy_findings(struct source *source, const struct prediction *prediction)
{
    for (size_t i = 0; i < prediction->driver.count; i++) {
        const struct engine_run *run = &prediction->driver.runs[i];
        for (size_t k = 0; k < run->findings->count; k++)
            findings_add(source->findings, &run->findings->items[k]);
        source->engine.candidates += run->candidates;
        source->engine.refuted += run->refuted;
        source->engine.exhausted += run->exhausted;
        source->engine.seconds += run->seconds;
    }
}

/* A trace that nobody has predicted for yet. */
static int predict(struct source *source, struct options *options, const char *path,
                   struct error *error)
{
    struct prediction prediction;
    int result = prediction_run(&prediction, options, path, "auto", error);
    if (result == 0) {
        copy_findings(source, &prediction);
        result = prediction_keep(&prediction, NULL, error);
    }
    prediction_free(&prediction);
    return result;
}

/* The file is large where there are many findings: it is parsed once. */
static int take_findings(struct source *source, struct options *options, const char *path,
                         struct error *error)
{
    char file[4200];
    snprintf(file, sizeof file, "%s/findings.json", path);
    json_t *root = access(file, F_OK) == 0 ? findings_file_load(file, error) : NULL;
    if (!root && access(file, F_OK) == 0)
        return -1;
    /* Of a whole recording, only an interrupted prediction leaves a file that is not. */
    bool cut_short = root && !source->trace->incomplete && findings_file_incomplete(root);
    int result;
    if (!root || cut_short) {
        result = predict(source, options, path, error);
    } else {
        source->has_run = findings_file_numbers(root, &source->engine, &source->run);
        result = findings_file_take(source->findings, source->history, root, file, error);
    }
    json_decref(root);
    return result;
}

static int open_source(struct source *source, struct options *options, const char *path,
                       struct error *error)
{
    struct error ignored = {0};
    source->trace = sift_open(path, error);
    source->history = source->trace ? history_read(source->trace, error) : NULL;
    if (!source->history)
        return -1;
    source->findings = findings_create(true);
    source->engine =
        (struct report_engine){.name = "auto", .model = MODEL_RF, .findings = source->findings};
    bool recorded = strcmp(source->trace->format->name, "binary") == 0;
    if (recorded)
        replay_program_read(&source->program, path, &ignored);
    return recorded ? take_findings(source, options, path, error)
                    : predict(source, options, path, error);
}

static enum report_format format_of(const struct options *options)
{
    return options->as_html           ? REPORT_HTML
           : options->as_junit        ? REPORT_JUNIT
           : options->as_code_quality ? REPORT_CODE_QUALITY
           : options->as_sarif        ? REPORT_SARIF
           : options->as_json         ? REPORT_JSON
                                      : REPORT_TEXT;
}

int cmd_report(struct options *options, struct error *error)
{
    struct source source = {0};
    if (trace_argument(options, error))
        return -1;
    if (options->as_html + options->as_sarif + options->as_json + options->as_text +
            options->as_junit + options->as_code_quality >
        1)
        return error_set(error, ERROR_USAGE, "preplay report writes one format at a time");
    if (failures_file_is_in(options->arguments[0]))
        return explore_report(options, format_of(options), error);
    struct reporting_filter filter;
    struct told_first told;
    int code = reporting_filter_read(&filter, options, error);
    told_first_begin(&told, options, &filter);
    if (code == 0)
        code = open_source(&source, options, options->arguments[0], error);
    if (code == 0) {
        struct report report;
        struct report_program program;
        char tool[PATH_MAX];
        report_create(&report, source.trace, source.history, options->arguments[0], &source.engine,
                      1, options->all);
        report_leave_out(&report, filter.suppressions, filter.baseline, NULL);
        report.run = source.has_run ? &source.run : NULL;
        report.directory = source.program.directory;
        report.source_roots = options->source_root;
        report.tool = reporting_tool(tool);
        report.program = reporting_program(&program, options->arguments[0]) ? &program : NULL;
        report.most = options->max_findings;
        code = reporting_write(&report, format_of(options), options->output, error);
        if (code == 0 && report.count)
            code = (int)options->exit_code;
        else if (code == 0 && report_incomplete(&report))
            code = EXIT_INCOMPLETE;
        report_free(&report);
    }
    close_source(&source);
    reporting_filter_free(&filter);
    return code;
}
