/* SPDX-License-Identifier: MIT */
/* What the recorded run changed in the file system, as it was before: the runtime has kept it in
 * `before/` of the recording (runtime/keep.h), the processes that the recorded one started in
 * theirs. */
#ifndef PREPLAY_TARGET_BEFORE_H
#define PREPLAY_TARGET_BEFORE_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum before_kind {
    BEFORE_ABSENT,
    BEFORE_FILE,
    BEFORE_DIRECTORY,
    BEFORE_LINK,
    BEFORE_LOST,
    BEFORE_DEVICE, /* a disk that was opened for writing: none of it was kept */
};

struct before_entry {
    enum before_kind kind;
    char *path;    /* from the root, without detours */
    char *content; /* the file that has its bytes, or the link's text */
    mode_t mode;
    uid_t user;
    gid_t group;
    int64_t changed; /* nanoseconds */
    uint64_t when;
    bool from_root; /* the program named it by a path from the root */
};

/* By path; of what several processes changed, as the first of them found it. */
struct before ARRAY_OF(struct before_entry);

/* -1 with an error if a list is there and makes no sense. */
int before_read(struct before *before, const char *recording, struct error *error);
void before_free(struct before *before);

/* Is something at this path to be put back? */
bool before_has(const struct before *before, const char *path);
/* A disk that was written to, or NULL. */
const char *before_device(const struct before *before);
/* Calls for each directory that has to be changed in to put all of it back. */
void before_directories(const struct before *before,
                        void (*visit)(void *context, const char *directory), void *context);
/* Bytes that putting back and the program itself may write, going by the recorded run. */
uint64_t before_bytes(const struct before *before);

/* Puts it all back. What is below the directory `from`, if that is given, is put below `to`. */
int before_restore(const struct before *before, const char *from, const char *to,
                   struct error *error);

#endif
