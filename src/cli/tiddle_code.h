/* SPDX-License-Identifier: MIT */
/* `preplay tiddle` of a file that is a program, not a trace: it becomes C, is formatted, or run. */
#ifndef PREPLAY_CLI_TIDDLE_CODE_H
#define PREPLAY_CLI_TIDDLE_CODE_H

#include "cli/command.h"

#include <stdbool.h>

/* False also of what cannot be read, or only once. */
bool tiddle_file_is_code(const char *path);
int tiddle_code_command(const struct options *options, struct error *error);

#endif
