/* SPDX-License-Identifier: MIT */
/* A binary recording (trace/encoding.h) that no program made: what bench/generate writes with
 * --recording. Objects and places are numbers; stamps rise with every synchronisation. */
#ifndef PREPLAY_BENCH_RECORDING_H
#define PREPLAY_BENCH_RECORDING_H

#include <stdint.h>

struct recording;

/* Makes the directory, for threads 0 (the main thread, which creates the others) to `threads`, and
 * begins thread 0. NULL with a message on standard error; so if the disk has not room for about
 * `events` events. */
struct recording *recording_create(const char *directory, uint32_t threads, uint64_t events);
/* One event of a thread: a plain access, or synchronisation. */
void recording_event(struct recording *recording, uint32_t thread, unsigned op, uint64_t object,
                     uint64_t pc);
/* Thread 0 creates another, and joins it, which has ended then. */
void recording_fork(struct recording *recording, uint32_t child, uint64_t pc);
void recording_join(struct recording *recording, uint32_t child, uint64_t pc);
/* Ends thread 0; -1 with a message if anything could not be written. */
int recording_close(struct recording *recording);

#endif
