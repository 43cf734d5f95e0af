/* SPDX-License-Identifier: MIT */
/* What a man page says that the tables of commands and options do not: what a command is for, how
 * it is called, what it reads and writes, and what its exit codes mean. Plain text; an empty line
 * ends a paragraph. */
#ifndef PREPLAY_CLI_MANUAL_TEXT_H
#define PREPLAY_CLI_MANUAL_TEXT_H

#include "cli/options.h"

#define MANUAL_EXAMPLES 6

/* A row of a list: a word and what it means. */
struct manual_item {
    const char *word, *meaning;
};

struct manual_text {
    const char *description;
    struct manual_item examples[MANUAL_EXAMPLES]; /* a command line, and what it does */
    unsigned exits, files, variables;             /* sets of what stands in the lists below */
    struct manual_item options[2];                /* those of commands that are not parsed here */
};

extern const struct manual_text manual_texts[COMMAND_COUNT];

/* The lists that commands share; row n belongs to a command whose set has bit n. The last is empty.
 */
extern const struct manual_item manual_exits[], manual_files[], manual_variables[];

/* The models that -m takes, with an example where they differ. */
extern const struct manual_item manual_models[];
extern const char *const manual_about_models;

#endif
