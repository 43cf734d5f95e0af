/* SPDX-License-Identifier: MIT */
/* How far a long piece of work is: written by those who do it, from any thread, and read by the one
 * who tells the user. Where nobody watches there is none (NULL), and nothing is counted. */
#ifndef PREPLAY_BASE_PROGRESS_H
#define PREPLAY_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct progress {
    _Atomic(const char *) phase;  /* a constant */
    _Atomic uint64_t done, total; /* of the phase; total 0: not known */
    _Atomic uint64_t found;
};

static inline void progress_begin(struct progress *progress, const char *phase, uint64_t total)
{
    if (!progress)
        return;
    atomic_store(&progress->done, 0);
    atomic_store(&progress->total, total);
    atomic_store(&progress->phase, phase);
}

static inline void progress_add(struct progress *progress, uint64_t more)
{
    if (progress)
        atomic_fetch_add_explicit(&progress->done, more, memory_order_relaxed);
}

static inline void progress_found(struct progress *progress, uint64_t found)
{
    if (progress)
        atomic_store(&progress->found, found);
}

#endif
