/* SPDX-License-Identifier: MIT */
/* The mounts that this process sees (/proc/self/mountinfo), and what can be done to them in a
 * mount namespace of its own. */
#ifndef PREPLAY_TARGET_MOUNTS_H
#define PREPLAY_TARGET_MOUNTS_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>

struct mounted {
    char *path;
    bool holds_files; /* as opposed to what the kernel shows as files: proc, devpts, ... */
};

struct mounts ARRAY_OF(struct mounted);

int mounts_read(struct mounts *mounts, struct error *error);
void mounts_free(struct mounts *mounts);

/* Is `path` the directory or something in it? Both absolute and without detours. */
bool path_is_below(const char *path, const char *directory);

/* Nothing can be changed in what is mounted at `path`, but for what is mounted further inside.
 * Devices, pipes and sockets stay as they are. Mounts that cannot be reached are left alone. */
int mount_make_read_only(const char *path, struct error *error);

/* A copy of what is mounted at `path` and inside it, as it is now: a descriptor, or -1. It can be
 * put somewhere once. */
int mount_take(const char *path, struct error *error);
/* Closes `taken`. */
int mount_put(int taken, const char *path, struct error *error);

#endif
