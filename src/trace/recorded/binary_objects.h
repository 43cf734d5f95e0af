/* SPDX-License-Identifier: MIT */
/* From addresses to objects (docs/design.md, "Words"): an object is a maximal run of
 * bytes that more than one thread touched, at least one by writing, and that
 * every access covers either whole or not at all. Memory that is allocated anew
 * begins a new life: what happened at its addresses before was to other objects.
 *
 * Two passes over the same sequence of calls. The first learns:
 *
 *     objects_begin() and objects_learn() in trace order, then objects_settle()
 *
 * the second, with the same objects_begin() calls at the same places, asks
 * objects_find() for the objects an access covers. Memory grows with the bytes
 * touched, not with the number of accesses, and is small for arrays. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_OBJECTS_H
#define PREPLAY_TRACE_RECORDED_BINARY_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct objects;

struct objects *objects_create(void);
void objects_destroy(struct objects *objects);

/* Both passes: the memory [address, address + length) is new from here on. */
void objects_begin(struct objects *objects, uint64_t address, uint64_t length);

void objects_learn(struct objects *objects, uint32_t thread, uint64_t address, uint64_t length,
                   bool write);
void objects_settle(struct objects *objects);

/* Back to the beginning of the second pass. */
void objects_rewind(struct objects *objects);

#define OBJECT_NONE UINT32_MAX

/* The first object at or after *address and before `end`; moves *address past
 * it. OBJECT_NONE if there is none. Objects are numbered from 0. */
uint32_t objects_find(const struct objects *objects, uint64_t *address, uint64_t end);
/* The same, with its length. */
uint32_t objects_next(const struct objects *objects, uint64_t *address, uint64_t end,
                      uint32_t *length);
uint64_t objects_address(const struct objects *objects, uint32_t object);
uint64_t objects_length(const struct objects *objects, uint32_t object);
uint32_t objects_count(const struct objects *objects);

/* Objects side by side that are of one length are kept together, as an extent; numbered from 0.
 * As objects_find(), and the extent of an object. */
uint32_t objects_find_extent(const struct objects *objects, uint64_t *address, uint64_t end);
uint32_t objects_extent(const struct objects *objects, uint32_t object);
/* Pass two: the same, of the next objects at each address that are not accessed yet. */
uint32_t objects_coming(const struct objects *objects, uint64_t *address, uint64_t end);

/* Second pass: the objects that objects_begin() put an end to since the last call; valid until
 * the next objects_begin(). No objects_find() returns them any more. */
size_t objects_take_ended(struct objects *objects, const uint32_t **ended);

#endif
