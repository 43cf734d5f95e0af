/* SPDX-License-Identifier: MIT */
/* TRACE on the command line: optional where it is the first argument, and preplay.data stands for
 * its newest recording. */
#ifndef PREPLAY_CLI_TRACE_ARGUMENT_H
#define PREPLAY_CLI_TRACE_ARGUMENT_H

#include "cli/options.h"

/* The first argument is a TRACE: puts preplay.data there if there is none (before the IDs of
 * replay), follows `latest`, checks that a directory is a recording, and holds on to it. -1 with
 * an error. */
int trace_argument(struct options *options, struct error *error);
/* The same of a TRACE at another place, which must be there. */
int trace_argument_at(struct options *options, const char **argument, struct error *error);

#endif
