/* SPDX-License-Identifier: MIT */
/* Reads that could come at the wrong time: order violations. No access need race, each may hold
 * the lock that belongs to it; nothing but chance says that the read comes after the write that it
 * relies on, or before the one that takes away what it relies on.
 *
 *   early   in the observed run the read saw another thread's write; in some correct reordering it
 *           comes before every write of the variable, and sees the initial state: a use before
 *           initialisation, or of a result before the thread that computes it was joined
 *   late    the variable's last write came after the read, by another thread, and nobody reads the
 *           variable afterwards: it was torn down (most often freed). In some correct reordering
 * the read comes after that write
 *
 * A thread that has written the variable itself before relies on nobody: such reads are neither.
 * As in races, what the read itself sees need not be kept. */
#ifndef PREPLAY_MODEL_UNTIMELY_H
#define PREPLAY_MODEL_UNTIMELY_H

#include "base/array.h"
#include "trace/history.h"

/* pos values. It is early if the write came before the read in the observed run, else late. */
struct untimely {
    uint32_t read, write;
};

static inline bool untimely_is_early(const struct untimely *untimely)
{
    return untimely->write < untimely->read;
}

struct untimely_reads ARRAY_OF(struct untimely);

struct machine;

/* Would the read be so if it came now? False as well if it never could: if the write is not another
 * thread's of the variable that it saw, or that ended it. */
bool untimely_now(const struct history *history, const struct machine *machine,
                  const struct untimely *untimely);

/* All reads that could be untimely, whether or not a reordering makes them so, by position. */
void untimely_find(struct untimely_reads *reads, const struct history *history);

#endif
