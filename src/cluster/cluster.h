/* SPDX-License-Identifier: MIT */
/* The processes of an MPI job as one tool. Every rank runs the same command; what takes long is
 * dealt out (base/deal.h) by the first rank, which alone prints. MPI's part is a module that is
 * loaded below mpirun (transport.h). A rank's messages go through a thread of its own, so that the
 * first rank answers while it works itself.
 *
 * One process alone deals out to itself: for checkpoints. */
#ifndef PREPLAY_CLUSTER_CLUSTER_H
#define PREPLAY_CLUSTER_CLUSTER_H

#include "base/deal.h"
#include "base/error.h"

#include <stdio.h>

struct cluster;

/* Did a launcher of MPI (mpirun, srun) start this process as one of several? */
bool cluster_is_launched(void);
/* The rank among those, as far as the launcher's environment tells; else 0. */
uint32_t cluster_launched_rank(void);
uint32_t cluster_launched_ranks(void);

/* Joins the job; the module lies in `directory`. NULL with an error. Ranks but the first have no
 * standard output from here on. */
struct cluster *cluster_join(const char *directory, struct error *error);
/* This process only. */
struct cluster *cluster_alone(void);

struct deal *cluster_deal(struct cluster *cluster);

/* What pieces come to is kept in `directory`/checkpoint from now on, and with `resume` pieces that
 * are there are not done again. `work` stands for what is done, in words: trace, options; a
 * checkpoint of other work, or of another binary, is an ERROR_USAGE. By all ranks, alike. */
int cluster_checkpoint(struct cluster *cluster, const char *directory, const char *work,
                       bool resume, struct error *error);
/* The work is done: removes it. */
void cluster_checkpoint_remove(struct cluster *cluster);

/* Waits for all ranks; with an `error` (or NULL), the job ends by it. A line for each rank goes to
 * `tell`, if there is one: questions, bytes, memory. */
void cluster_end(struct cluster *cluster, const struct error *error, FILE *tell);

#endif
