/* SPDX-License-Identifier: MIT */
#include "cli/recording_options.h"

#include "cli/reporting.h"
#include "trace/hidden.h"

#include <stdio.h>

/* Besides what looks like a secret; the text lives as long as the options do. */
static const char *hidden_variables(const struct options *options)
{
    static char all[8192];
    if (!options->no_env)
        return HIDDEN_STANDARD;
    if (!*options->no_env)
        return NULL;
    snprintf(all, sizeof all, "%s,%s", HIDDEN_STANDARD, options->no_env);
    return all;
}

struct recording recording_wanted(const struct options *options)
{
    return (struct recording){
        .directory = options->directory,
        .rule = {.keep = options->keep, .bytes = options->keep_size},
        .command = options->arguments,
        .hidden = hidden_variables(options),
        .sync_only = options->sync_only,
        .valgrind = options->valgrind,
        .switch_every = options->switch_every,
        .values = options->values,
        .branches = options->branches,
        .blocks = options->blocks,
        .limit = options->max_trace == OPTION_UNSAID ? RECORDING_SHARE : options->max_trace,
        .output_is_ours = reporting_takes_output(options),
        .keep = options->keep_files,
        .stop_after = options->stop_after,
    };
}
