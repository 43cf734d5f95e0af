/* preplay run: record a program, predict, replay what was predicted, report. */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/confirming.h"
#include "cli/predict.h"
#include "cli/recording.h"
#include "cli/reporting.h"
#include "report/full_text.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct run {
    const struct options *options;
    struct recording recording;
    struct prediction prediction;
    struct report_run numbers;
    struct reporting_filter filter;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int record(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    run->recording = (struct recording){
        .directory = options->directory ? options->directory : "preplay.data",
        .command = options->arguments,
        .sync_only = options->sync_only,
        .values = options->values,
        .branches = options->branches,
        .blocks = options->blocks,
        .limit = options->max_trace,
    };
    int result = recording_run(&run->recording, error);
    run->numbers.recording = run->recording.seconds;
    return result;
}

static int predict(struct run *run, struct error *error)
{
    double started = now();
    int result =
        prediction_run(&run->prediction, run->options, run->recording.directory, "auto", error);
    run->numbers.predicting = now() - started;
    return result;
}

/* Engines that keep no history of the trace have no witnesses to replay either. */
static int confirm(struct run *run, struct error *error)
{
    struct driver *driver = &run->prediction.driver;
    if (!driver->history || !run->options->max_replays)
        return 0;
    struct findings **lists = NEW_ARRAY(struct findings *, driver->count);
    for (size_t i = 0; i < driver->count; i++)
        lists[i] = driver->runs[i].findings;
    struct confirming confirming = {
        .history = driver->history,
        .lists = lists,
        .list_count = driver->count,
        .most = run->options->max_replays,
        .budget = run->options->budget,
        .timeout = run->options->timeout,
        .progress = isatty(STDERR_FILENO),
    };
    int result = confirming_run(&confirming, run->recording.directory, error);
    run->numbers.replaying = confirming.seconds;
    run->numbers.replays = confirming.replays;
    run->numbers.left = confirming.left;
    free(lists);
    return result;
}

static int write_all(const struct report *report, const struct options *options,
                     struct error *error)
{
    const struct {
        const char *path;
        enum report_format format;
    } files[] = {{options->json_file, REPORT_JSON},
                 {options->sarif_file, REPORT_SARIF},
                 {options->html_file, REPORT_HTML}};
    report_text(stderr, report, text_style_of(stderr));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].path && reporting_write(report, files[i].format, files[i].path, error))
            return -1;
    return 0;
}

/* How many findings happened, or -1. */
static long report_findings(const struct run *run, const struct history *history,
                            struct error *error)
{
    char here[PATH_MAX];
    struct report_engine *engines = prediction_engines(&run->prediction);
    struct report report;
    report_create(&report, history, run->recording.directory, engines, run->prediction.driver.count,
                  run->options->all);
    report_leave_out(&report, run->filter.suppressions, run->filter.baseline);
    report.run = &run->numbers;
    report.directory = getcwd(here, sizeof here);
    long real = (long)report_count_real(&report);
    if (write_all(&report, run->options, error))
        real = -1;
    report_free(&report);
    free(engines);
    return real;
}

static long write_reports(const struct run *run, struct error *error)
{
    const struct prediction *prediction = &run->prediction;
    if (prediction_keep(prediction, &run->numbers, error))
        return -1;
    if (prediction->driver.history)
        return report_findings(run, prediction->driver.history, error);
    /* None of the engines kept the events. */
    struct trace *trace = trace_open(run->recording.directory, error);
    struct history *history = trace ? history_read(trace, error) : NULL;
    long real = history ? report_findings(run, history, error) : -1;
    history_destroy(history);
    trace_close(trace);
    return real;
}

int cmd_run(struct options *options, struct error *error)
{
    struct run run = {.options = options};
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay run takes a PROGRAM to run");
    long real = -1;
    if (reporting_filter_read(&run.filter, options, error) || record(&run, error)) {
        reporting_filter_free(&run.filter);
        return -1;
    }
    fflush(stdout);
    if (predict(&run, error) == 0 && confirm(&run, error) == 0)
        real = write_reports(&run, error);
    prediction_free(&run.prediction);
    reporting_filter_free(&run.filter);
    if (real < 0)
        return -1;
    return real ? (int)options->exit_code : recording_exit_code(&run.recording);
}
