/* SPDX-License-Identifier: MIT */
/* Man pages and completions, from the tables of commands and options (options.h). */
#ifndef PREPLAY_CLI_MANUAL_H
#define PREPLAY_CLI_MANUAL_H

#include "cli/options.h"

/* The page of a command in scdoc's format; COMMAND_COUNT: of preplay itself. */
void manual_page(FILE *out, enum command_id command);

/* For --help: the names of the engines, if the command takes any. */
void manual_list_engines(FILE *out, enum command_id command);

/* For "bash", "zsh" or "fish"; -1 for another shell. */
int manual_completion(FILE *out, const char *shell);

#endif
