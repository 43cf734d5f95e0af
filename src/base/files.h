/* SPDX-License-Identifier: MIT */
/* Files in directories that somebody else may have filled: a trace directory is data from a
 * stranger. Only regular files are opened, never a symbolic link, a FIFO or a device, and what is
 * written appears at once or not at all. Only the path's last step is looked at: who may change
 * the directories above it is the user's own affair. */
#ifndef PREPLAY_BASE_FILES_H
#define PREPLAY_BASE_FILES_H

#include "base/error.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What nobody but the user may read: the files hold the target's environment and input. */
enum { FILES_MODE = 0600, FILES_DIRECTORY_MODE = 0700 };

/* Opens a regular file for reading: its descriptor, or -1 with errno (FILES_NOT_REGULAR for what
 * is there and is no regular file). */
#define FILES_NOT_REGULAR EBADF
int files_open(const char *path);
FILE *files_read(const char *path);
/* The same through links, for programs and libraries that a trace names. */
int files_open_linked(const char *path);
/* What a failed files_open() means, as the end of a sentence. */
const char *files_reason(int number);

/* All of a small regular file, with a NUL behind it; NULL with errno, EFBIG beyond `most`. */
char *files_load(const char *path, size_t most, size_t *length);

/* A directory, not a link to one. */
int files_open_directory(const char *path);
DIR *files_list(const char *path);
/* Makes a directory for the user alone; one that is there already is as good. 0 or -1 with
 * errno. */
int files_make_directory(const char *path);

/* A new, empty file at this place, for reading and writing: what was there is removed, not written
 * to. -1 or NULL with errno. */
int files_create(const char *path);
FILE *files_write(const char *path);

/* A file that is written beside its place and then put there. */
struct new_file {
    FILE *stream;
    char *path, *beside;
};

/* NULL in `stream` and -1 if that cannot be done. */
int files_begin(struct new_file *file, const char *path, struct error *error);
/* Puts it in its place; what was there is replaced, whatever it was but a directory. */
int files_commit(struct new_file *file, struct error *error);
void files_abandon(struct new_file *file);

#endif
