/* preplay run: record a program, predict, replay what was predicted, report. */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/confirming.h"
#include "cli/ending.h"
#include "cli/predict.h"
#include "cli/processes.h"
#include "cli/recording.h"
#include "cli/reporting.h"
#include "report/full_text.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* One recorded process. */
struct part {
    const char *directory; /* its trace */
    struct prediction prediction;
    struct trace *trace; /* read again for its events, if no engine kept them */
    struct history *history;
    struct report_engine *engines;
    struct report report;
};

struct run {
    const struct options *options;
    struct recording recording;
    struct reporting_filter filter;
    struct processes processes;
    struct part *parts;
    struct report_run numbers;
    char tool[PATH_MAX];
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
    run->recording = recording_wanted(options);
    if (recording_run(&run->recording, error))
        return -1;
    fflush(stdout);
    run->numbers.recording = run->recording.seconds;
    processes_find(&run->processes, run->recording.directory, run->recording.process);
    run->parts = NEW_ARRAY(struct part, run->processes.count);
    if (!run->processes.count)
        return error_set(error, ERROR_INPUT, "%s: no process of the program was recorded",
                         run->recording.directory);
    return 0;
}

/* Engines that keep no history of the trace have no witnesses to replay either. */
static int confirm(struct run *run, struct part *part, struct error *error)
{
    struct driver *driver = &part->prediction.driver;
    if (!driver->history || !run->options->max_replays || run->numbers.interrupted)
        return 0;
    struct findings **lists = NEW_ARRAY(struct findings *, driver->count);
    for (size_t i = 0; i < driver->count; i++)
        lists[i] = driver->runs[i].findings;
    struct confirming confirming = {
        .history = driver->history,
        .lists = lists,
        .list_count = driver->count,
        .most = run->options->max_replays - run->numbers.replays,
        .budget = run->options->budget - run->numbers.replaying,
        .timeout = run->options->timeout,
        .progress = isatty(STDERR_FILENO),
    };
    int result = confirming_run(&confirming, part->directory, error);
    run->numbers.replaying += confirming.seconds;
    run->numbers.replays += confirming.replays;
    run->numbers.left += confirming.left;
    run->numbers.interrupted |= confirming.interrupted;
    free(lists);
    return result;
}

/* Its events: those that an engine kept, or else read again. */
static int find_history(struct part *part, struct error *error)
{
    if (part->prediction.driver.history)
        return 0;
    part->trace = trace_open(part->directory, error);
    part->history = part->trace ? history_read(part->trace, error) : NULL;
    return part->history ? 0 : -1;
}

static int analyse(struct run *run, struct part *part, struct error *error)
{
    double started = now();
    int result = prediction_run(&part->prediction, run->options, part->directory, "auto", error);
    run->numbers.predicting += now() - started;
    if (result || confirm(run, part, error) || find_history(part, error))
        return -1;
    /* The disk may be full by now, and what was found is to be told all the same. */
    struct error kept = {0};
    if (prediction_keep(&part->prediction, &run->numbers, &kept))
        fprintf(stderr, "preplay: %s\n", kept.text);
    return 0;
}

static void make_report(struct run *run, struct part *part, const char *here,
                        struct interner *reported)
{
    const struct history *history = part->history ? part->history : part->prediction.driver.history;
    part->engines = prediction_engines(&part->prediction);
    report_create(&part->report, history->trace, history, part->directory, part->engines,
                  part->prediction.driver.count, run->options->all);
    part->report.run = &run->numbers;
    part->report.directory = here;
    part->report.tool = reporting_tool(run->tool);
    if (part != run->parts)
        part->report.process = part->directory + strlen(run->recording.directory) + 1;
    report_leave_out(&part->report, run->filter.suppressions, run->filter.baseline, reported);
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
static long write_reports(struct run *run, struct error *error)
{
    char here[PATH_MAX];
    const char *directory = getcwd(here, sizeof here);
    struct interner *reported = interner_create();
    for (size_t i = 0; i < run->processes.count; i++) {
        make_report(run, &run->parts[i], directory, reported);
        if (i)
            run->parts[i - 1].report.next = &run->parts[i].report;
    }
    interner_destroy(reported);
    const struct report *first = &run->parts[0].report;
    if (write_all(first, run->options, error))
        return -1;
    for (size_t i = 0; i < run->processes.count; i++)
        ending_say_incomplete(run->parts[i].directory);
    return (long)report_count_real(first);
}

static long analyse_all(struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->processes.count; i++) {
        run->parts[i].directory = run->processes.items[i];
        if (analyse(run, &run->parts[i], error))
            return -1;
    }
    return write_reports(run, error);
}

static void free_run(struct run *run)
{
    for (size_t i = 0; i < run->processes.count; i++) {
        struct part *part = &run->parts[i];
        report_free(&part->report);
        free(part->engines);
        history_destroy(part->history);
        trace_close(part->trace);
        prediction_free(&part->prediction);
    }
    free(run->parts);
    processes_free(&run->processes);
    reporting_filter_free(&run->filter);
}

int cmd_run(struct options *options, struct error *error)
{
    struct run run = {.options = options};
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay run takes a PROGRAM to run");
    long real = -1;
    if (reporting_filter_read(&run.filter, options, error) == 0 && record(&run, error) == 0)
        real = analyse_all(&run, error);
    free_run(&run);
    if (real < 0)
        return -1;
    return real ? (int)options->exit_code : recording_exit_code(&run.recording);
}
