/* SPDX-License-Identifier: MIT */
/* preplay predict of many traces: each by itself, one report of them all. */
#ifndef PREPLAY_CLI_PREDICT_MANY_H
#define PREPLAY_CLI_PREDICT_MANY_H

#include "cli/options.h"
#include "cluster/cluster.h"

/* The exit code, or -1 with an error. A trace that cannot be read is said, and keeps nobody from
 * the others. */
int predict_many(struct options *options, struct cluster *cluster, struct error *error);

/* The TRACEs of the command line and of --list into options->arguments. */
int predict_list(struct options *options, struct error *error);

#endif
