/* SPDX-License-Identifier: MIT */
/* Locks on files exclude openings of the file from each other: flock(), and fcntl()'s F_OFD_ ones.
 * Threads that share an opening are not kept apart by them, and fcntl()'s older ones belong to the
 * process as a whole: neither orders anything. */
#ifndef PREPLAY_RUNTIME_FILE_LOCKS_H
#define PREPLAY_RUNTIME_FILE_LOCKS_H

#include <stdint.h>

/* Before a descriptor is closed, which gives its locks back. */
void file_lock_close(int descriptor, uintptr_t pc);

#endif
