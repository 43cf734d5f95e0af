#include "cli/explore_replay.h"

#include "cli/command.h"
#include "cli/explore_text.h"
#include "cli/reporting.h"
#include "explore/stepping.h"
#include "replay/replaying.h"
#include "trace/finding_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_ALL_CONFIRMED 1
#define PATIENCE          10.0 /* seconds without a step */

static void file_of(const char *directory, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/exploration.json", directory);
}

bool explore_replay_is_for(const char *directory)
{
    char path[PATH_MAX];
    file_of(directory, path);
    return access(path, F_OK) == 0;
}

/* The file may have been written by anybody. */
static int read_schedule(const json_t *finding, struct failure *failure, struct error *error)
{
    const json_t *turn, *schedule = json_object_get(finding, "schedule");
    size_t i;
    json_array_foreach(schedule, i, turn)
    {
        const char *name;
        json_int_t count, waiter;
        if (json_unpack((json_t *)turn, "[s, I, I]", &name, &count, &waiter) || count < 0 ||
            count > UINT32_MAX || waiter < 0 || waiter > UINT32_MAX || i >= STEPPER_TURNS)
            return error_set(error, ERROR_INPUT, "exploration.json: turn %zu of %s is malformed", i,
                             failure->id);
        array_push(&failure->turns, ((struct step_turn){.thread = strtoull(name, NULL, 16),
                                                        .count = (uint32_t)count,
                                                        .waiter = (uint32_t)waiter}));
    }
    return 0;
}

static bool is_wanted(const struct options *options, const char *id)
{
    for (size_t i = 1; i < options->argument_count; i++)
        if (finding_id_means(options->arguments[i], id))
            return true;
    return options->argument_count == 1;
}

struct again {
    const struct options *options;
    struct explore_backend backend;
    struct symbols *symbols;
    char directory[PATH_MAX], output[PATH_MAX], modules[PATH_MAX];
    int usual;
    uint32_t wanted, failed_again;
};

static void tell(const struct again *again, struct failure *found, bool same, bool kept)
{
    char tool[PATH_MAX];
    struct exploring_limits limits = {.preemptions = UINT32_MAX};
    struct explore_report report = {.directory = again->options->arguments[0],
                                    .symbols = again->symbols,
                                    .tool = reporting_tool(tool),
                                    .limits = &limits};
    found->repeated = same;
    if (found->kind != FAILURE_NONE)
        explore_text_failure(stdout, &report, found);
    else
        printf("the program did not fail%s\n",
               kept ? "" : ", for it left the schedule: it does not do the same as before");
}

static int run_one(struct again *again, const json_t *finding, const char *id, struct error *error)
{
    struct failure wanted = {0}, found;
    struct stepped_run run;
    json_int_t first = 0, preemptions = 0;
    snprintf(wanted.id, sizeof wanted.id, "%s", id);
    int result = read_schedule(finding, &wanted, error);
    if (!result)
        result = again->backend.run(again->backend.context, wanted.turns.items, wanted.turns.count,
                                    again->output, &run, error);
    if (!result) {
        failure_judge(&found, &run, again->usual, again->output, again->modules);
        json_unpack((json_t *)finding, "{s:I, s:I}", "run", &first, "preemptions", &preemptions);
        found.run = (uint32_t)first;
        found.preemptions = (uint32_t)preemptions;
        bool same = strcmp(found.id, id) == 0;
        again->failed_again += same;
        printf("%s %s\n", id, same ? "confirmed" : "unreached");
        tell(again, &found, same, !run.page->diverged);
        failure_free(&found);
    }
    failure_free(&wanted);
    return result;
}

static int run_all(struct again *again, const json_t *json, struct error *error)
{
    const json_t *finding;
    size_t i;
    json_unpack((json_t *)json, "{s:{s:i}}", "exploration", "usual", &again->usual);
    json_array_foreach(json_object_get(json, "findings"), i, finding)
    {
        const char *id = json_string_value(json_object_get(finding, "id"));
        if (!id || !is_wanted(again->options, id))
            continue;
        again->wanted++;
        if (run_one(again, finding, id, error))
            return -1;
    }
    if (!again->wanted && again->options->argument_count > 1)
        return error_set(error, ERROR_USAGE, "no failure %s in %s", again->options->arguments[1],
                         again->options->arguments[0]);
    return again->failed_again == again->wanted ? EXIT_OK : NOT_ALL_CONFIRMED;
}

static int with_program(struct again *again, const struct replay_program *program,
                        struct error *error)
{
    char path[PATH_MAX];
    json_error_t reason;
    file_of(again->directory, path);
    json_t *json = json_load_file(path, 0, &reason);
    if (!json)
        return error_set(error, ERROR_INPUT, "%s: line %d: %s", path, reason.line, reason.text);
    struct stepping *stepping = stepping_create(
        &(struct stepping_wish){.command = (const char *const *)program->command,
                                .environment = (const char *const *)program->environment,
                                .here = program->directory,
                                .directory = again->directory,
                                .in_place = again->options->in_place,
                                .input_is_kept = true,
                                .patience = PATIENCE},
        error);
    again->symbols = symbols_open(again->modules);
    if (stepping)
        again->backend = stepping_backend(stepping);
    int code = stepping ? run_all(again, json, error) : -1;
    symbols_close(again->symbols);
    stepping_destroy(stepping);
    json_decref(json);
    return code;
}

int explore_replay(const struct options *options, struct error *error)
{
    struct again again = {.options = options};
    struct replay_program program = {0};
    if (!realpath(options->arguments[0], again.directory))
        return error_set(error, ERROR_INPUT, "%s: %s", options->arguments[0], strerror(errno));
    snprintf(again.output, sizeof again.output, "%.4000s/output", again.directory);
    snprintf(again.modules, sizeof again.modules, "%.4000s/modules", again.directory);
    if (replay_program_read(&program, options->arguments[0], error))
        return -1;
    int code = with_program(&again, &program, error);
    replay_program_free(&program);
    return code;
}
