/* SPDX-License-Identifier: MIT */
/* preplay run: record a program, predict, replay what was predicted, report. */
#include "base/files.h"
#include "base/interruption.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/explore_program.h"
#include "model/sift.h"
#include "replay/confirming.h"
#include "cli/predict.h"
#include "cli/progress_line.h"
#include "target/processes.h"
#include "cli/recording_options.h"
#include "cli/reporting.h"
#include "cli/reporting_program.h"
#include "cli/run_ranks.h"
#include "cli/told_first.h"
#include "report/full_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One recorded process. */
struct part {
    const char *directory; /* its trace */
    struct prediction prediction;
    struct trace *trace; /* read again for its events, if no engine kept them */
    struct history *history;
    struct report_engine *engines;
    struct report_program program;
    struct report report;
};

struct run {
    const struct options *options;
    struct recording recording;
    struct reporting_filter filter;
    struct processes processes;
    struct part *parts;
    struct report_run numbers;
    bool incomplete; /* the recording of one of them stopped early */
    struct options exploring_options;
    struct explore_program *exploration; /* --explore; NULL: there is none */
    char exploring_directory[PATH_MAX];
    char tool[PATH_MAX];
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Once the program has ended, signals are for us. */
static void expect_interruption(const char *directory)
{
    char last[2 * PATH_MAX + 256];
    snprintf(last, sizeof last,
             "preplay: ended. The recording is in %s: preplay report %s goes on\n", directory,
             directory);
    interruption_expect("\npreplay: interrupted: what is known so far follows; once more ends it\n",
                        last);
}

static int record(struct run *run, struct error *error)
{
    const struct options *options = run->options;
    run->recording = recording_wanted(options);
    if (recording_prepare(&run->recording, error))
        return -1;
    expect_interruption(run->recording.directory);
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

/* NULL: done. */
static void show_progress(void *unused, const struct confirming_progress *progress)
{
    (void)unused;
    if (progress && progress->current)
        fprintf(stderr,
                "\r\033[Kpreplay: replaying, %zu of %zu settled, %zu happened, at most %.0f s "
                "left; now %s",
                progress->settled, progress->total, progress->confirmed, progress->left,
                progress->current);
    else
        progress_line_clear();
    fflush(stderr);
}

/* Engines that keep no history of the trace have no witnesses to replay either. */
static int confirm(struct run *run, struct part *part, struct error *error)
{
    struct driver *driver = &part->prediction.driver;
    if (!driver->history || !run->options->max_replays || interruption_asked())
        return 0;
    struct findings **lists = NEW_ARRAY(struct findings *, driver->count);
    for (size_t i = 0; i < driver->count; i++)
        lists[i] = driver->runs[i].findings;
    struct confirming confirming = {
        .history = driver->history,
        .lists = lists,
        .list_count = driver->count,
        .most = run->options->max_replays - run->numbers.replays,
        .budget = run->options->budget,
        .spent = run->options->budget > 0 ? run->numbers.replaying : run->numbers.fruitless,
        .timeout = run->options->timeout,
        .lanes = run->options->jobs_said ? (size_t)run->options->jobs : 0,
        .progress = progress_line_wanted(run->options) ? show_progress : NULL,
        .in_place = run->options->in_place,
        .live_inputs = run->options->live_inputs,
    };
    int result = trace_lock_replay(&run->recording.lock, run->recording.directory, error)
                     ? -1
                     : confirming_run(&confirming, part->directory, error);
    run->numbers.replaying += confirming.seconds;
    run->numbers.budget = confirming.budget_was;
    run->numbers.fruitless += confirming.fruitless;
    run->numbers.replays += confirming.replays;
    run->numbers.left += confirming.left;
    if (confirming.at_once > run->numbers.at_once)
        run->numbers.at_once = confirming.at_once;
    run->numbers.foretold += confirming.foretold;
    run->numbers.interrupted |= confirming.interrupted;
    if (*confirming.note)
        memcpy(run->numbers.note, confirming.note, sizeof run->numbers.note);
    free(lists);
    return result;
}

/* Its events: those that an engine kept, or else read again. */
static int find_history(struct part *part, struct error *error)
{
    if (part->prediction.driver.history)
        return 0;
    part->trace = sift_open(part->directory, error);
    part->history = part->trace ? history_read(part->trace, error) : NULL;
    return part->history ? 0 : -1;
}

static int analyse(struct run *run, struct part *part, struct error *error)
{
    double started = now();
    int result = prediction_run(&part->prediction, run->options, part->directory, "auto", error);
    run->numbers.predicting += now() - started;
    run->numbers.cut_short |= interruption_asked();
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
    part->report.most = run->options->max_findings;
    part->report.directory = here;
    part->report.source_roots = run->options->source_root;
    part->report.tool = reporting_tool(run->tool);
    part->report.program =
        reporting_program(&part->program, part->directory) ? &part->program : NULL;
    if (part != run->parts)
        part->report.process = part->directory + strlen(run->recording.directory) + 1;
    report_leave_out(&part->report, run->filter.suppressions, run->filter.baseline, reported);
}

static int write_all(const struct report *report, const struct options *options,
                     struct error *error)
{
    if (!options->quiet)
        report_text(stderr, report, text_style_of(stderr));
    for (unsigned format = 0; format < REPORT_FORMATS; format++)
        if (reporting_file(options, format) &&
            reporting_write(report, format, reporting_file(options, format), error))
            return -1;
    return 0;
}

/* --- --explore ----------------------------------------------------------------------------------
 */

/* The exploration reads what the recorded run did. */
static void take_recorded_input(const char *directory)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/stdin", directory);
    int file = files_open(path);
    if (file < 0)
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        dup2(file, STDIN_FILENO);
    if (file > STDIN_FILENO)
        close(file);
}

/* Beside the recording. What cannot be explored is said, and recorded all the same. */
static void explore(struct run *run)
{
    char *directory = run->exploring_directory;
    struct error error = {0};
    const struct options *options = run->options;
    if (options->goes_exploring <= 0 || interruption_asked())
        return;
    run->exploring_options = *options;
    run->exploring_options.explore_time = options->goes_exploring;
    snprintf(directory, sizeof run->exploring_directory, "%.4000s-explored",
             run->recording.directory);
    take_recorded_input(run->recording.directory);
    struct explore_program *exploration = NEW(struct explore_program);
    if (explore_program_run(exploration, &run->exploring_options,
                            options->directory ? directory : NULL, &error)) {
        fprintf(stderr, "preplay: not explored: %s\n", error.text);
        explore_program_free(exploration);
        free(exploration);
        return;
    }
    run->exploration = exploration;
}

/* Its reports come behind those of the recording, without what these have. */
static void append_exploration(struct run *run, struct interner *reported)
{
    struct explore_program *exploration = run->exploration;
    if (!exploration)
        return;
    explored_leave_out(&exploration->explored, &run->filter, reported);
    struct report *first = &exploration->explored.runs[0].report;
    json_t *numbers =
        json_pack("{s:O}", "exploration", json_object_get(exploration->extra, "exploration"));
    first->extra = NULL;
    run->parts[0].report.extra = numbers;
    run->parts[run->processes.count - 1].report.next = first;
}

static void say_what_was_explored(const struct run *run)
{
    char tool[PATH_MAX];
    if (!run->exploration || run->options->quiet)
        return;
    struct explore_report report = explore_program_report(run->exploration, tool);
    explore_text_summary(stderr, &report, explored_reports(&run->exploration->explored));
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
    append_exploration(run, reported);
    interner_destroy(reported);
    const struct report *first = &run->parts[0].report;
    run->incomplete = report_incomplete(first) != NULL;
    if (write_all(first, run->options, error))
        return -1;
    say_what_was_explored(run);
    return (long)report_count_real(first);
}

static void say_how_to_go_on(const struct run *run)
{
    char tool[PATH_MAX];
    if (interruption_asked())
        fprintf(stderr,
                "preplay: it was interrupted. The recording is in %s; to go on: %s report %s%s\n",
                run->recording.directory, reporting_tool(tool), run->recording.directory,
                run->numbers.cut_short ? "" : ", and replay with the ids there");
}

static long analyse_all(struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->processes.count; i++) {
        run->parts[i].directory = run->processes.items[i];
        if (analyse(run, &run->parts[i], error))
            return -1;
    }
    explore(run);
    return write_reports(run, error);
}

static void free_run(struct run *run)
{
    if (run->exploration) {
        json_decref(run->parts[0].report.extra);
        explore_program_free(run->exploration);
        free(run->exploration);
    }
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
    recording_close(&run->recording);
}

/* What is wrong with the options is said before the program runs, which may take long or cannot
 * be done twice. */
static int check(const struct options *options, struct error *error)
{
    bool taken = false;
    for (unsigned format = 0; format < REPORT_FORMATS; format++) {
        const char *path = reporting_file(options, format);
        bool standard = path && strcmp(path, "-") == 0;
        if (standard && taken)
            return error_set(error, ERROR_USAGE, "only one report can go to standard output");
        taken |= standard;
        if (reporting_check(path, error))
            return -1;
    }
    return prediction_check(options, "auto", error);
}

static int run_one(struct options *options, struct error *error)
{
    struct run run = {.options = options};
    struct told_first told;
    long real = -1;
    told_first_begin(&told, options, &run.filter);
    if (reporting_filter_read(&run.filter, options, error) == 0 && record(&run, error) == 0)
        real = analyse_all(&run, error);
    if (real >= 0)
        say_how_to_go_on(&run);
    free_run(&run);
    if (real < 0)
        return -1;
    if (!real)
        interruption_end();
    return real             ? (int)options->exit_code
           : run.incomplete ? EXIT_INCOMPLETE
                            : recording_exit_code(&run.recording);
}

int cmd_run(struct options *options, struct error *error)
{
    struct run_ranks ranks;
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay run takes a PROGRAM to run");
    if (check(options, error) || run_ranks_begin(&ranks, options, error))
        return -1;
    return run_ranks_end(&ranks, run_one(options, error), error);
}
