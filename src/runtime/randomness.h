/* SPDX-License-Identifier: MIT */
/* Random bytes that a program reads from a device: a replay gets those of the recorded run, as far
 * as they come by read() and fread(). */
#ifndef PREPLAY_RUNTIME_RANDOMNESS_H
#define PREPLAY_RUNTIME_RANDOMNESS_H

#include "runtime/process.h"

/* A device of random bytes was opened at some time. */
extern _Atomic bool randomness_opened;

/* The kernel has opened a file by this name. */
void randomness_note(const char *path);
/* So much was read from the descriptor. */
void randomness_repeat(int descriptor, void *bytes, size_t length);

static inline void randomness_read(int descriptor, void *bytes, long got)
{
    if (unlikely(atomic_load_explicit(&randomness_opened, memory_order_relaxed)) && got > 0)
        randomness_repeat(descriptor, bytes, (size_t)got);
}

#endif
