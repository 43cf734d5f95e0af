/* SPDX-License-Identifier: MIT */
/* preplay record: run a program and keep what its threads did. */
#include "cli/command.h"
#include "cli/online.h"
#include "cli/predict.h"
#include "cli/recording_options.h"
#include "cli/run_ranks.h"

static int record_online(struct recording *recording, const struct options *options,
                         struct error *error)
{
    if (prediction_check(options, ONLINE_ENGINES, error) || recording_prepare(recording, error))
        return -1;
    struct online *online = online_create(options, recording->directory);
    recording->started = online_start;
    recording->started_context = online;
    int result = recording_run(recording, error);
    fflush(stdout);
    long findings = result ? -1 : online_finish(online, recording, error);
    online_destroy(online);
    if (findings < 0)
        return -1;
    return findings ? (int)options->exit_code : recording_exit_code(recording);
}

int cmd_record(struct options *options, struct error *error)
{
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay record takes a PROGRAM to run");
    struct run_ranks ranks;
    if (run_ranks_begin(&ranks, options, error))
        return -1;
    struct recording recording = recording_wanted(options);
    if (options->online)
        return record_online(&recording, options, error);
    if (recording_run(&recording, error))
        return -1;
    fflush(stdout);
    return recording_exit_code(&recording);
}
