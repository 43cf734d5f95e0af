/* SPDX-License-Identifier: MIT */
/* What matters of a long recording, found in one reading and delivered by the next.
 *
 * A variable is *settled* if its accesses come in the observed order in every correct reordering
 * that keeps what reads saw, and happens-before orders them too: each access knows, by program
 * order, fork, join, barriers, once-blocks, and by what was read of variables that are not
 * settled, all earlier ones that conflict with it (the idea of search/relevant_variables.h, by
 * segments and while reading). Private memory is; so are buffers that are handed over under a lock
 * or with an atomic pointer. No sound model has a race of a settled variable, and nothing that is
 * decided of the others depends on it: what orders it is kept. So its accesses are left out.
 *
 * `sync` knows nothing of what reads saw: there, accesses of settled variables may race. A sample
 * of those stays, for each pair of places of code that no fork, join, barrier or common lock
 * keeps apart: the first SIFT_INSTANCES pairs of segments, then ever fewer.
 *
 * Short recordings, other formats and recordings with atomic blocks or branches are delivered
 * whole. Memory follows the synchronisation and the shared variables, a few bytes each. */
#ifndef PREPLAY_MODEL_SIFT_H
#define PREPLAY_MODEL_SIFT_H

#include "trace/trace.h"

/* Up to so many events all of them are delivered. */
#define SIFT_FROM      (UINT64_C(1) << 20)
#define SIFT_INSTANCES 64

/* As trace_open(); what commands that deal with findings read, so that their positions agree. */
struct trace *sift_open(const char *path, struct error *error);
/* The same for a trace that was opened and not read yet; `from` in place of SIFT_FROM. Returns
 * -1 with an error. */
int sift_trace(struct trace *trace, uint64_t from, struct error *error);
/* The selection for these events alone, the caller's; NULL if all of them are needed. */
struct selection *sift_events(const struct event *events, size_t count);

#endif
