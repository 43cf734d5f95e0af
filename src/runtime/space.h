/* SPDX-License-Identifier: MIT */
/* The target's side of trace/space.h. No file is opened for it after the
 * beginning, and no system call is needed. */
#ifndef PREPLAY_RUNTIME_SPACE_H
#define PREPLAY_RUNTIME_SPACE_H

#include "trace/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An extent's number, plus one; 0: none. */
typedef uint32_t space_extent_id;

#if defined(PREPLAY_HOSTED) || defined(PREPLAY_HOST)

/* A window inside Valgrind stays where it is (stream.c): it cannot be anywhere else. */
static inline void space_begin(const char *directory)
{
    (void)directory;
}

static inline bool space_there(void)
{
    return false;
}

static inline space_extent_id space_take(const char *name, uint64_t offset)
{
    (void)name, (void)offset;
    return 0;
}

static inline uint8_t *space_window(space_extent_id extent)
{
    (void)extent;
    return NULL;
}

static inline void space_give(space_extent_id extent, uint32_t used, bool last)
{
    (void)extent, (void)used, (void)last;
}

static inline void space_append(const char *name, const char *text, size_t length)
{
    (void)name, (void)text, (void)length;
}

static inline uint32_t space_new_process(void)
{
    return 0;
}

static inline void space_quietly(void)
{
}

#else

/* Once, before main(): `directory` is the run's. */
void space_begin(const char *directory);
bool space_there(void);
/* `name` is from the run's directory. Waits for a free one, but not for ever. */
space_extent_id space_take(const char *name, uint64_t offset);
/* Its bytes: SPACE_EXTENT, all zero. */
uint8_t *space_window(space_extent_id extent);
/* It is full, or as full as it will be; `last`: the file ends with it. */
void space_give(space_extent_id extent, uint32_t used, bool last);
/* Adds to a small file. */
void space_append(const char *name, const char *text, size_t length);
/* The number of a directory that is nobody else's. */
uint32_t space_new_process(void);
/* From now on it is not rung for (seal.c): preplay looks often. */
void space_quietly(void);

#endif

#endif
