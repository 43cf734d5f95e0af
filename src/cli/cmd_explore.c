/* preplay explore: every behaviour of a program on one input, and its failures. */
#include "base/files.h"
#include "base/interruption.h"
#include "cli/command.h"
#include "cli/explore_text.h"
#include "cli/recording_options.h"
#include "cli/reporting.h"
#include "explore/stepping.h"
#include "target/trace_directory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.0 /* seconds without a step */

static int write_json(const struct explore_report *report, const char *path, struct error *error)
{
    json_t *json = explore_json(report);
    FILE *file = command_output(path, error);
    int result = -1;
    if (file) {
        json_dumpf(json, file, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        fputc('\n', file);
        result = command_close(file, path, error);
    }
    json_decref(json);
    return result;
}

/* For `preplay replay`, which needs the schedules. */
static int keep(const struct explore_report *report, struct error *error)
{
    char path[PATH_MAX];
    struct new_file file;
    snprintf(path, sizeof path, "%.4000s/exploration.json", report->directory);
    if (files_begin(&file, path, error))
        return -1;
    json_t *json = explore_json(report);
    json_dumpf(json, file.stream, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(json);
    return files_commit(&file, error);
}

static int tell(const struct exploration *exploration, const struct options *options,
                const struct exploring_limits *limits, const char *directory, struct error *error)
{
    char modules[PATH_MAX], tool[PATH_MAX];
    snprintf(modules, sizeof modules, "%.4000s/modules", directory);
    struct explore_report report = {.exploration = exploration,
                                    .directory = directory,
                                    .symbols = symbols_open(modules),
                                    .tool = reporting_tool(tool),
                                    .limits = limits};
    explore_text(options->json_file && strcmp(options->json_file, "-") == 0 ? stderr : stdout,
                 &report);
    int result = keep(&report, error);
    if (!result && options->json_file)
        result = write_json(&report, options->json_file, error);
    symbols_close(report.symbols);
    return result;
}

static int explore(const struct recording *recording, const struct options *options,
                   struct exploration *exploration, struct error *error)
{
    char directory[PATH_MAX];
    struct exploring_limits limits = {.runs = options->runs,
                                      .seconds = options->explore_time,
                                      .preemptions = options->preemptions == OPTION_UNSAID
                                                         ? UINT32_MAX
                                                         : (uint32_t)options->preemptions,
                                      .until_failure = options->until_failure};
    if (!realpath(recording->directory, directory))
        return error_set(error, ERROR_INPUT, "%s: %s", recording->directory, strerror(errno));
    struct stepping *stepping =
        stepping_create(&(struct stepping_wish){.command = (const char *const *)options->arguments,
                                                .directory = directory,
                                                .in_place = options->in_place,
                                                .patience = PATIENCE},
                        error);
    if (!stepping)
        return -1;
    if (*stepping_note(stepping))
        fprintf(stderr, "preplay: %s\n", stepping_note(stepping));
    struct explore_backend backend = stepping_backend(stepping);
    int result = exploring_run(&backend, directory, &limits, exploration, error);
    stepping_destroy(stepping);
    if (!result && exploration->unstepped)
        return error_set(error, ERROR_USAGE,
                         "%s: its threads cannot be stepped: build it with preplay cc, and give "
                         "the program itself, no script that starts it",
                         options->arguments[0]);
    return result ? -1 : tell(exploration, options, &limits, recording->directory, error);
}

int cmd_explore(struct options *options, struct error *error)
{
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay explore takes a PROGRAM to run");
    struct recording recording = recording_wanted(options);
    struct exploration exploration = {0};
    if (recording_prepare(&recording, error))
        return -1;
    interruption_expect("preplay: coming to an end, with what is known so far",
                        "preplay: ended at once");
    int result = trace_directory_write_manifest(&recording, false, error) ||
                         explore(&recording, options, &exploration, error)
                     ? -1
                     : 0;
    if (result)
        trace_directory_discard(recording.directory, &recording.lock);
    else
        recordings_point_to(recording.directory);
    int code = exploration.failures.count ? (int)options->exit_code
               : *exploration.doubts      ? EXIT_INCOMPLETE
                                          : EXIT_OK;
    exploration_free(&exploration);
    recording_close(&recording);
    return result ? -1 : code;
}
