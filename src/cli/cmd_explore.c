/* preplay explore: every behaviour of a program on one input, and its failures. */
#include "base/files.h"
#include "base/interruption.h"
#include "cli/command.h"
#include "cli/explore_findings.h"
#include "cli/explore_text.h"
#include "cli/recording_options.h"
#include "cli/reporting.h"
#include "explore/stepping.h"
#include "report/full_text.h"
#include "target/trace_directory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.0 /* seconds without a step */

/* For `preplay replay`, which needs the schedules, and `preplay report`: all that was found. */
static int keep(const struct explored *explored, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    struct new_file file;
    snprintf(path, sizeof path, "%.4000s/exploration.json", directory);
    if (explored_keep(explored, directory, error) || files_begin(&file, path, error))
        return -1;
    report_json(file.stream, explored_reports(explored));
    return files_commit(&file, error);
}

static void print(const struct explore_report *report, const struct report *reports,
                  const struct options *options)
{
    FILE *out = reporting_takes_output(options) ? stderr : stdout;
    for (const struct report *each = reports; each; each = each->next)
        if (each->count)
            report_text_findings(out, each, text_style_of(out));
    explore_text_end(out, report, reports);
}

static int write_formats(const struct report *reports, const struct options *options,
                         struct error *error)
{
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (reporting_file(options, format) &&
            reporting_write(reports, format, reporting_file(options, format), error))
            return -1;
    return 0;
}

/* Whatever was found is kept; then the user's filters apply. The number of findings that are left,
 * or -1. */
static long tell_all(const struct explore_report *report, struct explored *explored,
                     const struct options *options, struct error *error)
{
    struct reporting_filter filter;
    struct interner *reported = interner_create();
    long count = -1;
    if (!keep(explored, report->directory, error) &&
        !reporting_filter_read(&filter, options, error)) {
        explored_leave_out(explored, &filter, reported);
        print(report, explored_reports(explored), options);
        count = (long)report_count_real(explored_reports(explored));
        if (write_formats(explored_reports(explored), options, error))
            count = -1;
        reporting_filter_free(&filter);
    }
    interner_destroy(reported);
    return count;
}

static long tell(struct exploration *exploration, const struct predictions *predictions,
                 const struct exploring_limits *limits, const char *directory, struct error *error)
{
    const struct options *options = predictions->options;
    char tool[PATH_MAX];
    struct explored explored;
    explored_create(&explored, exploration, predictions, directory);
    struct explore_report report = {.exploration = exploration,
                                    .directory = directory,
                                    .symbols = explored.symbols,
                                    .tool = reporting_tool(tool),
                                    .limits = limits,
                                    .check = options->check_command};
    json_t *extra = explore_json(&report), *besides = explore_besides(exploration);
    explored_number(&explored, besides);
    explored_add(&explored, extra, besides);
    long count = tell_all(&report, &explored, options, error);
    explored_free(&explored);
    json_decref(extra);
    json_decref(besides);
    return count;
}

/* What runs the program, as often as is wanted side by side. */
struct workers {
    struct stepping *stepping[EXPLORING_WORKERS];
    struct explore_backend backends[EXPLORING_WORKERS];
    size_t count;
};

static int add_worker(struct workers *workers, const char *directory, const struct options *options,
                      struct error *error)
{
    struct stepping_wish wish = {.command = (const char *const *)options->arguments,
                                 .directory = directory,
                                 .in_place = options->in_place,
                                 .own_network = options->jobs > 1,
                                 .beside = workers->count > 0,
                                 .check = options->check_command,
                                 .patience = PATIENCE};
    struct stepping *stepping = stepping_create(&wish, error);
    if (!stepping)
        return -1;
    workers->stepping[workers->count] = stepping;
    workers->backends[workers->count++] = stepping_backend(stepping);
    return 0;
}

static int make_workers(struct workers *workers, const char *directory,
                        const struct options *options, struct error *error)
{
    size_t wanted = options->jobs < EXPLORING_WORKERS ? options->jobs : EXPLORING_WORKERS;
    if (add_worker(workers, directory, options, error))
        return -1;
    const char *note = stepping_note(workers->stepping[0]);
    if (*note)
        fprintf(stderr, "preplay: %s\n", note);
    if (wanted > 1 && !stepping_beside_others(workers->stepping[0])) {
        fputs("preplay: one run at a time, for here they cannot be kept apart from each other\n",
              stderr);
        wanted = 1;
    }
    while (workers->count < wanted)
        if (add_worker(workers, directory, options, error))
            return -1;
    return 0;
}

static void end_workers(struct workers *workers)
{
    for (size_t i = 0; i < workers->count; i++)
        stepping_destroy(workers->stepping[i]);
}

static int confirm(struct predictions *predictions, const struct explore_backend *backend,
                   const char *directory, struct error *error)
{
    char output[PATH_MAX];
    snprintf(output, sizeof output, "%.4000s/output", directory);
    return predictions_confirm(predictions, backend, output, error);
}

/* How many findings there are, or -1. */
static long explore(const struct recording *recording, const struct options *options,
                    struct exploration *exploration, struct error *error)
{
    char directory[PATH_MAX];
    struct workers workers = {0};
    struct exploring_limits limits = {.runs = options->runs,
                                      .seconds = options->explore_time,
                                      .preemptions = options->preemptions == OPTION_UNSAID
                                                         ? UINT32_MAX
                                                         : (uint32_t)options->preemptions,
                                      .until_failure = options->until_failure,
                                      .same_output = options->same_output};
    if (!realpath(recording->directory, directory))
        return error_set(error, ERROR_INPUT, "%s: %s", recording->directory, strerror(errno));
    struct predictions predictions;
    predictions_create(&predictions, directory, options);
    int result = make_workers(&workers, directory, options, error);
    if (!result)
        result = exploring_run(&(struct exploring_workers){workers.backends, workers.count,
                                                           predictions_watch, &predictions},
                               directory, &limits, exploration, error);
    if (predictions.not_asked)
        fprintf(stderr,
                "preplay: of %u runs %u were not looked at for races, deadlocks and broken blocks: "
                "that would have taken too long\n",
                exploration->runs, predictions.not_asked);
    if (!result && !exploration->unstepped)
        result = confirm(&predictions, &workers.backends[0], directory, error);
    end_workers(&workers);
    if (!result && exploration->unstepped)
        result = error_set(error, ERROR_USAGE,
                           "%s: its threads cannot be stepped: build it with preplay cc, and give "
                           "the program itself, no script that starts it",
                           options->arguments[0]);
    long found =
        result ? -1 : tell(exploration, &predictions, &limits, recording->directory, error);
    predictions_free(&predictions);
    return found;
}

int cmd_explore(struct options *options, struct error *error)
{
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay explore takes a PROGRAM to run");
    struct recording recording = recording_wanted(options);
    struct exploration exploration = {0};
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (reporting_check(reporting_file(options, format), error))
            return -1;
    if (recording_prepare(&recording, error))
        return -1;
    interruption_expect("preplay: coming to an end, with what is known so far",
                        "preplay: ended at once");
    long found = trace_directory_write_manifest(&recording, false, error)
                     ? -1
                     : explore(&recording, options, &exploration, error);
    if (found < 0)
        trace_directory_discard(recording.directory, &recording.lock);
    else
        recordings_point_to(recording.directory);
    int code = found > 0             ? (int)options->exit_code
               : *exploration.doubts ? EXIT_INCOMPLETE
                                     : EXIT_OK;
    exploration_free(&exploration);
    recording_close(&recording);
    return found < 0 ? -1 : code;
}
