/* SPDX-License-Identifier: MIT */
/* Files that changed while a program was recorded, and that the runtime did not see changing: by
 * system calls of its own, by children that are not recorded, or by somebody else altogether.
 * Replays find them as they were left. */
#ifndef PREPLAY_TARGET_UNSEEN_H
#define PREPLAY_TARGET_UNSEEN_H

#include "target/before.h"

#include <limits.h>

enum { UNSEEN_LOOKED_AT = 20000 }; /* entries of the directory: what lies behind is not looked at */

struct unseen {
    size_t count;
    char first[PATH_MAX];
};

/* Looks through `directory`; recordings of preplay are left out. */
void unseen_find(struct unseen *unseen, const struct before *before, const char *recording,
                 const char *directory);

#endif
