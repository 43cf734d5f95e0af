/* SPDX-License-Identifier: MIT */
/* Preplay's side of trace/space.h: a thread that puts what recorded processes have filled into the
 * files it belongs to, and keeps room ready for them. What they are filling is copied about every
 * second, so that whoever looks at the files meanwhile (hung.h, an analysis online) sees it.
 *
 * The table is the target's to write: what it says is checked like any input. */
#ifndef PREPLAY_TARGET_STREAM_SPACE_H
#define PREPLAY_TARGET_STREAM_SPACE_H

struct stream_space;

/* Before the program starts. NULL if there can be none: programs that need it stop recording then,
 * as they say. */
struct stream_space *stream_space_create(const char *directory);
/* Once it has started. */
void stream_space_serve(struct stream_space *self);
/* When all have ended: what is left goes where it belongs, and the file away. NULL is fine. */
void stream_space_finish(struct stream_space *self);

#endif
