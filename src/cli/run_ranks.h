/* SPDX-License-Identifier: MIT */
/* A program of MPI under the recorder: mpirun -n 4 preplay run ./prog. Each rank has a recording of
 * its own, rank-N below one directory, and predicts for it; the first one waits for the others and
 * makes one report. The tool does not speak MPI here, for its rank is the program's: ranks leave a
 * word for the first one in their directories. */
#ifndef PREPLAY_CLI_RUN_RANKS_H
#define PREPLAY_CLI_RUN_RANKS_H

#include "cli/options.h"

struct run_ranks {
    bool many;
    struct options *options;
    const char *json_file, *junit_file; /* of the one report */
    bool quiet;
    char directory[PATH_MAX - 64], own[PATH_MAX];
};

/* Below a launcher: chooses the directory of this rank, and turns off what one rank cannot do
 * alone: its report, and replays. 0 or -1. */
int run_ranks_begin(struct run_ranks *ranks, struct options *options, struct error *error);
/* What this rank returns, which would return `code` (negative: with an error) alone. */
int run_ranks_end(struct run_ranks *ranks, int code, struct error *error);

#endif
