/* SPDX-License-Identifier: MIT */
/* Freed blocks that a replay keeps for a while.
 *
 * In a replay, freed memory is not handed out again until much more has been freed since, the
 * oldest first. Who uses a block after another thread has freed it finds that block, and not
 * somebody else's, so that the use is seen as one; and who frees it a second time is caught, which
 * the C library notices only if both frees come from one thread.
 *
 * No locks: a thread may fork or be killed anywhere in here. */
#ifndef PREPLAY_RUNTIME_QUARANTINE_H
#define PREPLAY_RUNTIME_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    QUARANTINE_BLOCKS = 1 << 16,
    QUARANTINE_BYTES = 64 << 20, /* all together */
    QUARANTINE_BLOCK = 1 << 20,  /* larger ones are not kept */
};

/* False if the block is none to be kept: the C library is to free it, or to complain. */
bool quarantine_accepts(const void *block, size_t size);
/* Takes it over. False if it has it already: it is freed twice. */
bool quarantine_take(void *block, size_t size);
/* Gives everything to the C library, which may find that a block was overrun. */
void quarantine_empty(void);

#endif
