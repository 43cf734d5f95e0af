/* SPDX-License-Identifier: MIT */
/* Critical sections of one trace, indexed per lock and thread: enough to answer,
 * for any prefix of every thread, which sections it leaves open and whether
 * another thread of the prefix took the lock after them.
 *
 * Sections are added in observed order. A section is begun by its acquire and
 * carries stamps: what the caller knows of the moments of acquire and release. */
#ifndef PREPLAY_MODEL_SECTIONS_H
#define PREPLAY_MODEL_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct section {
    uint32_t lock, thread;
    uint32_t acquired_pos;
    uint32_t acquired_index; /* of the acquire within its thread */
    uint32_t released_count; /* events of the thread up to and with the release; 0: open */
    bool exclusive;          /* not a reader's */
    const uint32_t *at_acquire, *at_release;
    struct section *next_open; /* of the same lock */
};

/* The open sections of a thread, innermost first; lists share their tails. */
struct holding {
    struct section *section;
    const struct holding *outer;
};

struct sections;

struct sections *sections_create(uint32_t threads, uint32_t locks);
void sections_destroy(struct sections *sections);

struct section *sections_acquire(struct sections *sections, uint32_t thread, uint32_t lock,
                                 bool exclusive, uint32_t pos, uint32_t index);
/* Closes the thread's section of `lock` with its event number `index`; returns it. */
struct section *sections_release(struct sections *sections, uint32_t thread, uint32_t lock,
                                 uint32_t index);

/* What the thread holds now, or after its first `count` events. */
const struct holding *sections_held(const struct sections *sections, uint32_t thread);
const struct holding *sections_held_after(const struct sections *sections, uint32_t thread,
                                          uint32_t count);
/* Who holds the lock now: a list by next_open. */
const struct section *sections_open(const struct sections *sections, uint32_t lock);

/* Does the prefix `counts` (events by thread) contain an acquire by another thread
 * that came after the section's and excludes it? */
bool sections_followed(const struct sections *sections, const struct section *section,
                       const uint32_t *counts);

#endif
