/* preplay record: run a program and keep what its threads did. */
#include "cli/command.h"
#include "cli/recording.h"

int cmd_record(struct options *options, struct error *error)
{
    if (!options->argument_count)
        return error_set(error, ERROR_USAGE, "preplay record takes a PROGRAM to run");
    struct recording recording = {
        .directory = options->directory ? options->directory : "preplay.data",
        .command = options->arguments,
        .sync_only = options->sync_only,
        .valgrind = options->valgrind,
        .switch_every = options->switch_every,
        .values = options->values,
        .branches = options->branches,
        .blocks = options->blocks,
        .limit = options->max_trace,
    };
    if (recording_run(&recording, error))
        return -1;
    fflush(stdout);
    return recording_exit_code(&recording);
}
