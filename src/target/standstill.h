/* SPDX-License-Identifier: MIT */
/* Has a recorded process come to a standstill? No thread of it runs, each of them waits (the
 * wishes of runtime/wish.h), and by the trace so far none can ever go on (model/hang.h).
 *
 * Not so if it has threads that the recorder does not see, or one that sleeps, reads or
 * spins; nor if its handler of some signal could still give what the threads wait for, if a timer
 * may end it all, or under a debugger (blocked.h). Other processes cannot help: what they share
 * leaves no wish. */
#ifndef PREPLAY_TARGET_STANDSTILL_H
#define PREPLAY_TARGET_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

/* What it has run, in nanoseconds of all its threads: moves with the smallest step of any, once
 * the kernel has counted it; 0 is what one has run that has just begun. False if there is no such
 * process. */
bool standstill_ran(int process, uint64_t *ran);

/* For a process that runs no more: how many threads are stuck for good, or 0 if not all of them
 * are. Reads the trace in the directory. */
uint32_t standstill_threads(int process, const char *directory);

#endif
