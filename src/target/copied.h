/* SPDX-License-Identifier: MIT */
/* A copy of a directory for programs to run in, one after the other. It is made once; from then on
 * only what a run has changed in it is copied again: a working directory may hold a gigabyte, and a
 * run that changes a line of it should not wait for all of that.
 *
 * Whether a file was changed is told by its inode and times: the kernel gives it a new time of
 * change for whatever is done to it, mapped memory and renaming included. */
#ifndef PREPLAY_TARGET_COPIED_H
#define PREPLAY_TARGET_COPIED_H

#include "base/error.h"
#include "base/map.h"

/* A zeroed struct copied knows of nothing: all that is there is in the way. */
struct copied {
    struct map known; /* inode -> what its times and size come to */
};

/* Makes `to`, a directory, a copy of `from` again, as copy_directory() does. */
int copied_reset(struct copied *copied, const char *from, const char *to, size_t most,
                 struct error *error);
/* All that is in `to` is as it should be, also where that differs from the original. */
void copied_keep(struct copied *copied, const char *to);
void copied_free(struct copied *copied);

#endif
