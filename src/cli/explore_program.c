/* SPDX-License-Identifier: MIT */
#include "cli/explore_program.h"

#include "base/files.h"
#include "base/interruption.h"
#include "cli/command.h"
#include "cli/recording_options.h"
#include "explore/stepping.h"
#include "target/trace_directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.0 /* seconds without a step */

/* --- what runs the program ----------------------------------------------------------------------
 */

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
                                 .patience = PATIENCE,
                                 .longest = options->explore_time > PATIENCE ? options->explore_time
                                            : options->explore_time > 0      ? PATIENCE
                                                                             : 0};
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

/* --- the exploration ----------------------------------------------------------------------------
 */

static int confirm(struct predictions *predictions, uint32_t runs,
                   const struct explore_backend *backend, const char *directory,
                   struct error *error)
{
    char output[PATH_MAX];
    snprintf(output, sizeof output, "%.4000s/output", directory);
    if (predictions->not_asked)
        fprintf(stderr,
                "preplay: of %u runs %u were not looked at for races, deadlocks and broken blocks: "
                "that would have taken too long (--time gives them more)\n",
                runs, predictions->not_asked);
    return predictions_confirm(predictions, backend, output, error);
}

/* What is too long is said at once: all that comes after it is incomplete. */
static void watch(void *context, const struct kept_run *run, uint32_t number)
{
    if (number == 1 && run->event_count >= STEPPER_EVENTS)
        fprintf(stderr,
                "preplay: the first run has more than %u events, and what comes after them is not "
                "explored: give the program less to do, such as a smaller input\n",
                (unsigned)STEPPER_EVENTS);
    predictions_watch(context, run, number);
}

static int explore(struct explore_program *self, const struct options *options,
                   const char *directory, struct error *error)
{
    struct workers workers = {0};
    struct exploration *exploration = &self->exploration;
    int result = make_workers(&workers, directory, options, error);
    if (!result)
        result = exploring_run(
            &(struct exploring_workers){workers.backends, workers.count, watch, &self->predictions},
            directory, &self->limits, exploration, error);
    if (!result && !exploration->unstepped)
        result =
            confirm(&self->predictions, exploration->runs, &workers.backends[0], directory, error);
    end_workers(&workers);
    if (!result && exploration->unstepped)
        result = error_set(error, ERROR_USAGE,
                           "%s: its threads cannot be stepped: build it with preplay cc, and give "
                           "the program itself, no script that starts it",
                           options->arguments[0]);
    return result;
}

/* For `preplay replay`, which needs the schedules, and `preplay report`: all that was found. */
static int keep(const struct explore_program *self, struct error *error)
{
    char path[PATH_MAX];
    struct new_file file;
    snprintf(path, sizeof path, "%.4000s/exploration.json", self->recording.directory);
    if (explored_keep(&self->explored, self->recording.directory, error) ||
        files_begin(&file, path, error))
        return -1;
    report_json(file.stream, explored_reports(&self->explored));
    return files_commit(&file, error);
}

static int make_findings(struct explore_program *self, struct error *error)
{
    char tool[PATH_MAX];
    explored_create(&self->explored, &self->exploration, &self->predictions,
                    self->recording.directory);
    struct explore_report report = explore_program_report(self, tool);
    self->extra = explore_json(&report);
    self->besides = explore_besides(&self->exploration);
    explored_number(&self->explored, self->besides);
    explored_add(&self->explored, self->extra, self->besides);
    return keep(self, error);
}

static int run_prepared(struct explore_program *self, const struct options *options,
                        struct error *error)
{
    char directory[PATH_MAX];
    if (!realpath(self->recording.directory, directory))
        return error_set(error, ERROR_INPUT, "%s: %s", self->recording.directory, strerror(errno));
    predictions_create(&self->predictions, directory, options);
    return trace_directory_write_manifest(&self->recording, false, error) ||
                   explore(self, options, directory, error) || make_findings(self, error)
               ? -1
               : 0;
}

int explore_program_run(struct explore_program *self, const struct options *options,
                        const char *directory, struct error *error)
{
    *self = (struct explore_program){.recording = recording_wanted(options)};
    self->recording.directory = directory;
    self->limits = (struct exploring_limits){.runs = options->runs,
                                             .seconds = options->explore_time,
                                             .preemptions = options->preemptions == OPTION_UNSAID
                                                                ? UINT32_MAX
                                                                : (uint32_t)options->preemptions,
                                             .until_failure = options->until_failure,
                                             .same_output = options->same_output};
    if (recording_prepare(&self->recording, error))
        return -1;
    interruption_expect("preplay: coming to an end, with what is known so far",
                        "preplay: ended at once");
    int result = run_prepared(self, options, error);
    if (result)
        trace_directory_discard(self->recording.directory, &self->recording.lock);
    return result;
}

void explore_program_free(struct explore_program *self)
{
    explored_free(&self->explored);
    predictions_free(&self->predictions);
    exploration_free(&self->exploration);
    json_decref(self->extra);
    json_decref(self->besides);
    recording_close(&self->recording);
}

struct explore_report explore_program_report(const struct explore_program *self, char *tool)
{
    return (struct explore_report){.exploration = &self->exploration,
                                   .directory = self->recording.directory,
                                   .symbols = self->explored.symbols,
                                   .tool = reporting_tool(tool),
                                   .limits = &self->limits,
                                   .check = self->predictions.options->check_command};
}
