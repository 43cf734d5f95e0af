/* SPDX-License-Identifier: MIT */
/* An exploration from the options to what is told of it. */
#ifndef PREPLAY_CLI_EXPLORE_PROGRAM_H
#define PREPLAY_CLI_EXPLORE_PROGRAM_H

#include "cli/explore_findings.h"
#include "cli/explore_text.h"
#include "target/recording.h"

struct explore_program {
    struct recording recording;
    struct exploring_limits limits;
    struct exploration exploration;
    struct predictions predictions;
    struct explored explored;
    json_t *extra, *besides; /* for the JSON, of the whole and of findings by id */
};

/* Explores the program of the options in `directory` (NULL: a new one in preplay.data), and keeps
 * there what was found. 0, or -1 with an error; explore_program_free() in either case. */
int explore_program_run(struct explore_program *self, const struct options *options,
                        const char *directory, struct error *error);
void explore_program_free(struct explore_program *self);

/* Of all of it; `tool` has room for a path. */
struct explore_report explore_program_report(const struct explore_program *self, char *tool);

#endif
