/* SPDX-License-Identifier: MIT */
/* The subcommands: one function each, in cmd_NAME.c. A command returns the exit
 * code, or -1 with an error, which main() prints. */
#ifndef PREPLAY_CLI_COMMAND_H
#define PREPLAY_CLI_COMMAND_H

#include "cli/options.h"

#define EXIT_OK         0
#define EXIT_INCOMPLETE 67 /* nothing was found, in a recording that ended before its program */

#define C(id, name, function, synopsis, summary, raw)                                              \
    int function(struct options *options, struct error *error);
COMMAND_TABLE(C)
#undef C

/* Complains unless there are exactly `wanted` arguments, named in `what`. */
int command_arguments(const struct options *options, size_t wanted, const char *what,
                      struct error *error);

/* Opens FILE of -o or --json for writing; "-" and NULL are standard output. */
FILE *command_output(const char *path, struct error *error);
/* Closes it, unless it is standard output; complains if something was not written. */
int command_close(FILE *file, const char *path, struct error *error);

#endif
