/* SPDX-License-Identifier: MIT */
/* What pieces of work came to, kept in a file of the trace directory as they are done, so that a
 * job that was ended goes on where it was (--resume), also with another number of ranks. The file
 * begins with what it belongs to; a record that was cut off by the end is left out. Only the first
 * rank has it open, and nobody locks it: it may lie on NFS. */
#ifndef PREPLAY_CLUSTER_CHECKPOINT_H
#define PREPLAY_CLUSTER_CHECKPOINT_H

#include "base/deal.h"
#include "base/error.h"

#define CHECKPOINT_FILE "checkpoint"

struct checkpoint;

/* Opens or begins it. With `resume`, a file of other work or of another binary is an ERROR_USAGE,
 * as is none. */
struct checkpoint *checkpoint_open(const char *directory, const char *work, bool resume,
                                   struct error *error);
/* Calls for every piece of this round that is kept. */
void checkpoint_each(const struct checkpoint *checkpoint, uint32_t round, uint64_t print,
                     uint32_t count,
                     void (*found)(void *context, uint32_t piece, struct bytes result),
                     void *context);
/* A full disk is said once, and keeps nothing from going on. */
void checkpoint_add(struct checkpoint *checkpoint, uint32_t round, uint64_t print, uint32_t piece,
                    struct bytes result);
const char *checkpoint_path(const struct checkpoint *checkpoint);
void checkpoint_remove(struct checkpoint *checkpoint);
void checkpoint_close(struct checkpoint *checkpoint);

#endif
