/* SPDX-License-Identifier: MIT */
/* All that causally-precedes needs to know of a trace to be computed: the sections
 * of mutexes, with rule (a) applied, and the places where anything arrives at a
 * thread. Accesses are left out; the skeleton is walked as often as rule (b) asks
 * for. */
#ifndef PREPLAY_RELATIONS_CP_SKELETON_H
#define PREPLAY_RELATIONS_CP_SKELETON_H

#include "base/arena.h"
#include "model/vclock.h"
#include "relations/race_edges.h"
#include "trace/history.h"

#define CP_NONE UINT32_MAX

/* Sections are numbered by their acquires, in observed order. */
struct cp_section {
    uint32_t lock, thread;
    uint32_t acquire_tick, release_tick; /* the latter 0: never released */
    uint32_t next;                       /* of the same mutex; CP_NONE */
    /* The latest section of the mutex whose release comes before this acquire. All
     * sections of the mutex before that one are then before it too. CP_NONE. */
    uint32_t ordered;
    /* While the section was open its thread released another mutex, so that what
     * comes before the acquire reaches others before the section ends. */
    bool leaks;
    struct vclock at_release; /* what happens before the release, and itself */
};

enum cp_step_kind { CP_ACQUIRE, CP_RELEASE, CP_ARRIVE };

struct cp_step {
    uint32_t pos;
    uint32_t thread : 30, kind : 2;
    uint32_t what; /* a section, or for CP_ARRIVE a number in `arrivals` */
};

struct cp_skeleton {
    struct cp_section *sections;
    size_t section_count, section_room;
    struct cp_step *steps;
    size_t step_count, step_room;
    struct vclock *arrivals; /* joins of hard edges */
    size_t arrival_count, arrival_room;
    uint32_t *first_section; /* by lock; CP_NONE */
    struct arena ticks;      /* memory of all clocks in here */
};

/* `edges` may be NULL. */
void cp_skeleton_build(struct cp_skeleton *skeleton, const struct history *history,
                       const struct race_edges *edges);
void cp_skeleton_free(struct cp_skeleton *skeleton);

#endif
