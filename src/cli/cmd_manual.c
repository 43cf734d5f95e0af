/* SPDX-License-Identifier: MIT */
/* preplay manual and preplay completion: pages for scdoc, words for shells. */
#include "cli/command.h"
#include "cli/manual.h"

#include <string.h>

int cmd_manual(struct options *options, struct error *error)
{
    if (options->argument_count > 1)
        return error_set(error, ERROR_USAGE, "preplay manual takes one COMMAND, or none");
    if (!options->argument_count) {
        manual_page(stdout, COMMAND_COUNT);
        return EXIT_OK;
    }
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(options->arguments[0], command_name(i)) == 0) {
            manual_page(stdout, i);
            return EXIT_OK;
        }
    return error_set(error, ERROR_USAGE, "no command '%s'", options->arguments[0]);
}

int cmd_completion(struct options *options, struct error *error)
{
    if (command_arguments(options, 1, "one of bash, zsh and fish", error))
        return -1;
    if (manual_completion(stdout, options->arguments[0]))
        return error_set(error, ERROR_USAGE, "no completion for '%s'; there are bash, zsh, fish",
                         options->arguments[0]);
    return EXIT_OK;
}
