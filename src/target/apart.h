/* SPDX-License-Identifier: MIT */
/* The file system as a program is to find it, of which it can change nothing.
 *
 * In a mount namespace, every directory that the program writes to gets an overlay: what it
 * changes there goes to a layer of its own, which is thrown away. (An overlay of the whole file
 * system is not to be had: one does not reach into what is mounted below its directory, and an
 * ordinary user gets none over a directory with such mounts.) Everything else is read-only, so
 * that nothing that was not foreseen does harm, whatever makes it: children of other programs,
 * mapped memory, system calls of their own. Where there is no overlayfs, a copy of the directory
 * takes its place. */
#ifndef PREPLAY_TARGET_APART_H
#define PREPLAY_TARGET_APART_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>

#define APART_COPY_LIMIT ((size_t)1 << 30) /* bytes of a directory */

struct apart_directory {
    char *path;  /* absolute, without detours */
    bool needed; /* otherwise it is as well if nothing can be written to it */
    size_t own;  /* length of the path of the nearest directory around it from which on not all
                    is the user's; 0: he may do anything */
    int lower;   /* the directory itself, open */
};

enum { APART_LAYERS = 16 };

struct apart {
    struct apart_directories ARRAY_OF(struct apart_directory) directories;
    struct apart_reachable ARRAY_OF(char *) reachable; /* paths that stay what they are */
    const char *mount_point;                           /* an empty directory, for use in between */
    const char *layers; /* a directory on a disk for the layers; NULL: in memory */
    bool users;         /* in a user namespace */
    /* Once it was entered: the layers, open. */
    int layer[APART_LAYERS];
    size_t layer_count;
    bool layers_unknown; /* there are more, or a copy in the place of one */
};

/* Adds a directory, unless it is there; copies the path, as realpath() has it. One that does not
 * exist is left out. */
void apart_add(struct apart *apart, const char *directory, bool needed);
/* The same of a path that stays reachable. */
void apart_reach(struct apart *apart, const char *path);
void apart_free(struct apart *apart);

/* In a mount namespace of the calling process's own (namespaces.h). 0; -1 with an error, which
 * names the directory that cannot be kept apart. */
int apart_enter(struct apart *apart, struct error *error);

#endif
