/* SPDX-License-Identifier: MIT */
/* A command that several ranks of an MPI job run together (cluster/cluster.h). */
#ifndef PREPLAY_CLI_JOINED_H
#define PREPLAY_CLI_JOINED_H

#include "cli/options.h"
#include "cluster/cluster.h"

/* Joins the job that this process was started in; `options` deals with it from then on. With
 * --resume a process alone is a job, too. Leaves *cluster NULL where there is none. 0 or -1. */
int joined_begin(struct cluster **cluster, struct options *options, struct error *error);
/* A job of this process alone. */
void joined_alone(struct cluster **cluster, struct options *options);
/* Is it this rank that prints and writes? */
bool joined_first(const struct options *options);
/* Keeps a checkpoint in the directory of the first of these traces that has one. */
int joined_checkpoint(struct cluster *cluster, const struct options *options,
                      const char *const *traces, size_t count, struct error *error);
/* The end of a command that returns `code`, negative with an error: what this rank returns. */
int joined_end(struct cluster *cluster, const struct options *options, int code,
               struct error *error);

#endif
