/* SPDX-License-Identifier: MIT */
/* What the recorded run is about to change in the file system is kept aside at that moment, in
 * `before/` of the recording, so that a replay finds the state before (target/before.h). A file is
 * kept when it is opened for writing, truncated, renamed or removed for the first time: its blocks
 * are shared where the file system can do that, otherwise it is copied; one that is removed gets
 * another name instead. Of one that does not exist, just that is noted.
 *
 *   before/list    a record each, which ends with a NUL:
 *                  KIND NUMBER MODE USER GROUP NANOSECONDS WHEN ROOT PATH
 *   before/NUMBER  a file's bytes, a link's text; empty otherwise. NUMBER is the path's hash: who
 *                  finds the file there has nothing to keep any more.
 *
 * KIND is `absent`, `file`, `directory`, `link`, for a file that was too large or could not be
 * read `lost`, and for a disk, whose bytes nobody keeps, `device`. NANOSECONDS are the time of its
 * last change, WHEN orders the records of several processes, ROOT is 1 if the program named it by a
 * path from the root. Everything goes to the kernel by numbers and paths that the program may have
 * got wrong: nothing of them is read before the kernel has. */
#ifndef PREPLAY_RUNTIME_KEEP_H
#define PREPLAY_RUNTIME_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#define KEEP_LIMIT ((uint64_t)1 << 30) /* bytes that a process may copy, unless it is told */

/* From now on, into the process's directory, whose path may change. A replay keeps nothing.
 * `complain` says in one line what could not be done, and why. */
void keep_start(const char *directory, void (*complain)(const char *what, const char *why));
/* "keep=BYTES" of the recorder's options. */
void keep_set_limit(uint64_t bytes);

/* The bytes of a file are about to be changed, or it is about to be made. */
void keep_written(int directory, const char *path, bool follow);
/* The attributes of a file or directory are about to be changed: all of it is kept, since who does
 * that may change its bytes next. */
void keep_changed(int directory, const char *path, bool follow);
/* The same of one that is open. */
void keep_open_changed(int file);
/* A name is about to go, or to stand for something else. */
void keep_removed(int directory, const char *path);
/* The same, but what it names lives on under another name: with all that is in it. */
void keep_moved(int directory, const char *path);
/* It has just been made, under a name that was free. */
void keep_made(const char *path);

/* Adds a line to a file of the recording, unless it is known to be there. */
void keep_note(const char *name, const char *line);

#endif
