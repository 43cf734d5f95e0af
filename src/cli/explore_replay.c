/* SPDX-License-Identifier: MIT */
#include "cli/explore_replay.h"

#include "cli/command.h"
#include "cli/explore_debug.h"
#include "cli/explore_findings.h"
#include "cli/explore_text.h"
#include "cli/reporting.h"
#include "explore/failures_file.h"
#include "explore/stepping.h"
#include "explore/witness_run.h"
#include "replay/replaying.h"
#include "report/full_text.h"
#include "trace/finding_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_ALL_CONFIRMED 1
#define PATIENCE          10.0 /* seconds without a step */
#define LONGEST           600.0

static bool is_wanted(const struct options *options, const char *id)
{
    for (size_t i = 1; i < options->argument_count; i++)
        if (finding_id_means(options->arguments[i], id))
            return true;
    return options->argument_count == 1;
}

struct again {
    const struct options *options;
    const struct replay_program *program;
    struct stepping *stepping;
    struct explore_backend backend;
    struct symbols *symbols;
    char directory[PATH_MAX], output[PATH_MAX], modules[PATH_MAX], expected[PATH_MAX];
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

static int run_one(struct again *again, const struct failure *wanted,
                   const struct failure_norm *norm, struct error *error)
{
    struct failure found;
    struct stepped_run run;
    if (again->backend.run(again->backend.context, wanted->turns.items, wanted->turns.count,
                           again->output, &run, error))
        return -1;
    failure_judge(&found, &run, norm, again->output, again->modules);
    found.run = wanted->run;
    found.preemptions = wanted->preemptions;
    bool same = strcmp(found.identity, wanted->identity) == 0;
    snprintf(found.id, sizeof found.id, "%s", same ? wanted->id : "(another)");
    again->failed_again += same;
    printf("%s %s\n", wanted->id, same ? "confirmed" : "unreached");
    tell(again, &found, same, !run.page->diverged);
    failure_free(&found);
    return 0;
}

/* --- what a run shows that did not fail ---------------------------------------------------------
 */

static void tell_shown(const struct again *again, const struct explored_run *part,
                       struct finding *finding)
{
    char tool[PATH_MAX];
    const struct finding *items[] = {finding};
    struct report report = {
        .tool = reporting_tool(tool),
        .trace = part->trace.trace,
        .history = part->trace.history,
        .path = again->options->arguments[0],
        .directory = part->report.directory,
        .source_roots = again->options->source_root,
        .items = items,
        .count = 1,
        .explored = part->number,
    };
    report_look(&report);
    report_text_findings(stdout, &report, text_style_of(stdout));
    report_forget(&report);
}

static int run_witness(struct again *again, const struct explored_run *part,
                       struct finding *finding, const char *id, struct error *error)
{
    struct witness_run witness;
    struct stepped_run run;
    bool happened = false;
    if (witness_run_create(&witness, finding, &part->trace, &part->run)) {
        if (again->backend.run(again->backend.context, witness.turns.items, witness.turns.count,
                               again->output, &run, error)) {
            witness_run_free(&witness);
            return -1;
        }
        happened = witness_run_happened(&witness, run.page);
        witness_run_free(&witness);
    }
    again->failed_again += happened;
    printf("%s %s\n", id, happened ? "confirmed" : "unreached");
    finding_settle(finding, happened ? VERDICT_CONFIRMED : VERDICT_UNREACHED,
                   happened ? "its schedule showed it again" : "its schedule did not show it");
    tell_shown(again, part, finding);
    return 0;
}

static bool is_failure(const struct kept_failures *failures, const char *id)
{
    for (size_t i = 0; i < failures->count; i++)
        if (strcmp(failures->items[i].id, id) == 0)
            return true;
    return false;
}

static int run_shown(struct again *again, const struct kept_failures *failures, struct error *error)
{
    struct explored explored;
    if (again->wanted && again->wanted + 1 >= again->options->argument_count &&
        again->options->argument_count > 1)
        return 0; /* all that was named are failures: nothing is read for that */
    int result = explored_read(&explored, again->options->arguments[0], again->options, error);
    for (size_t i = 0; i < explored.count && !result; i++) {
        struct explored_run *part = &explored.runs[i];
        for (size_t k = 0; k < part->findings->count && !result; k++) {
            struct finding *finding = &part->findings->items[k];
            char id[FINDING_ID_SIZE];
            finding_id(finding, part->trace.trace, id);
            bool named = again->options->argument_count > 1;
            if (!is_wanted(again->options, id) || is_failure(failures, id) ||
                (!named && !finding_happened(finding)))
                continue;
            again->wanted++;
            result = run_witness(again, part, finding, id, error);
        }
    }
    explored_free(&explored);
    return result;
}

/* --- under gdb ----------------------------------------------------------------------------------
 */

static const struct failure_turns *turns_of(const struct kept_failures *failures, const char *id)
{
    for (size_t i = 0; i < failures->count; i++)
        if (strcmp(failures->items[i].id, id) == 0)
            return &failures->items[i].turns;
    return NULL;
}

/* The first that is wanted. */
static int debug(struct again *again, const struct kept_failures *failures, struct error *error)
{
    struct explored explored;
    int result = explored_read(&explored, again->options->arguments[0], again->options, error);
    bool any = false;
    for (size_t i = 0; i < explored.count && !result && !any; i++) {
        const struct explored_run *part = &explored.runs[i];
        for (size_t k = 0; k < part->findings->count && !any; k++) {
            const struct finding *finding = &part->findings->items[k];
            char id[FINDING_ID_SIZE];
            finding_id(finding, part->trace.trace, id);
            any = is_wanted(again->options, id);
            if (any)
                result = explore_debug(part, finding, turns_of(failures, id), again->stepping,
                                       (const char *const *)again->program->command,
                                       again->directory, error);
        }
    }
    if (!result && !any)
        result = error_set(error, ERROR_USAGE, "no finding to debug in %s",
                           again->options->arguments[0]);
    explored_free(&explored);
    return result;
}

/* --- all of them --------------------------------------------------------------------------------
 */

static int run_all(struct again *again, const struct kept_failures *failures, struct error *error)
{
    struct failure_norm norm = {.code = failures->usual,
                                .output = failures->same_output ? again->expected : NULL};
    for (size_t i = 0; i < failures->count; i++) {
        if (!is_wanted(again->options, failures->items[i].id))
            continue;
        again->wanted++;
        if (run_one(again, &failures->items[i], &norm, error))
            return -1;
    }
    if (run_shown(again, failures, error))
        return -1;
    if (!again->wanted && again->options->argument_count > 1)
        return error_set(error, ERROR_USAGE, "no finding %s in %s", again->options->arguments[1],
                         again->options->arguments[0]);
    return again->failed_again == again->wanted ? EXIT_OK : NOT_ALL_CONFIRMED;
}

static int with_program(struct again *again, const struct replay_program *program,
                        struct error *error)
{
    struct kept_failures failures;
    if (failures_file_read(&failures, again->directory, error))
        return -1;
    struct stepping *stepping = stepping_create(
        &(struct stepping_wish){.command = (const char *const *)program->command,
                                .environment = (const char *const *)program->environment,
                                .here = program->directory,
                                .directory = again->directory,
                                .in_place = again->options->in_place,
                                .input_is_kept = true,
                                .check = failures.check,
                                .patience = PATIENCE,
                                .longest = LONGEST},
        error);
    again->symbols = symbols_open(again->modules);
    if (stepping)
        again->backend = stepping_backend(stepping);
    again->program = program;
    again->stepping = stepping;
    int code = !stepping             ? -1
               : again->options->gdb ? debug(again, &failures, error)
                                     : run_all(again, &failures, error);
    symbols_close(again->symbols);
    stepping_destroy(stepping);
    failures_file_free(&failures);
    return code;
}

int explore_replay(const struct options *options, struct error *error)
{
    struct again again = {.options = options};
    struct replay_program program = {0};
    if (options->lldb)
        return error_set(error, ERROR_USAGE,
                         "--lldb: what preplay explore found is stopped by gdb alone; "
                         "use --gdb");
    if (!realpath(options->arguments[0], again.directory))
        return error_set(error, ERROR_INPUT, "%s: %s", options->arguments[0], strerror(errno));
    snprintf(again.output, sizeof again.output, "%.4000s/output", again.directory);
    snprintf(again.modules, sizeof again.modules, "%.4000s/modules", again.directory);
    snprintf(again.expected, sizeof again.expected, "%.4000s/expected", again.directory);
    if (replay_program_read(&program, options->arguments[0], error))
        return -1;
    int code = with_program(&again, &program, error);
    replay_program_free(&program);
    return code;
}
