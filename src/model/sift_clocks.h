/* SPDX-License-Identifier: MIT */
/* The orders that sift.h goes by, as vector clocks of segments.
 *
 * A segment is what a thread does between two of its synchronisation events; within it, it also
 * ends where the thread learns something by a read. Three orders of segments, each of edges that
 * are part of the order which its engines use, so that what is ordered here is ordered there:
 *
 *   SIFT_WEAK    in every correct reordering, whatever reads see: program order, fork, join,
 *                barriers, once-blocks, and what an atomic load saw
 *   SIFT_READS   in every one that keeps what reads saw (`rf`): these, and sift_clocks_saw()
 *   SIFT_OBSERVED  the happens-before of detectors: locks, semaphores, acquired atomics
 *
 * Entries are by *lane*, not by thread: a thread whose creator knows the end of another one goes
 * on in that one's lane. So clocks are as wide as threads are alive, not as there ever were. */
#ifndef PREPLAY_MODEL_SIFT_CLOCKS_H
#define PREPLAY_MODEL_SIFT_CLOCKS_H

#include "base/array.h"
#include "base/map.h"
#include "model/vclock.h"
#include "trace/event.h"

enum sift_order { SIFT_WEAK, SIFT_READS, SIFT_OBSERVED, SIFT_ORDERS };

struct sift_clock {
    struct vclock of[SIFT_ORDERS];
};

#define SIFT_NO_LANE UINT32_MAX

struct sift_segment {
    uint32_t thread, lane, tick;
    uint32_t number; /* synchronisation of its thread before it: as in a selection */
    uint32_t known;  /* row plus one: what the thread knew by SIFT_READS, but for itself */
    uint32_t held;   /* the innermost lock, as an index into `held` */
};

/* A lock that is held: an acquire, and those before it. Never changes. */
struct sift_held {
    uint32_t lock, section, outer;
    uint32_t hash; /* of this one and those before it, in whatever order */
    bool shared;
};

/* The end of a critical section. */
struct sift_section {
    uint32_t lane, tick, known;
};

/* Releases so far, of writers and of readers. */
struct sift_lock {
    struct vclock written, shared;
};

struct sift_thread {
    bool begun;
    uint32_t segment;    /* 0: it has none yet */
    uint32_t lane, tick; /* of the segment */
    uint32_t number, held;
    uint32_t known; /* row plus one of SIFT_READS; 0: it has grown since */
    struct sift_clock clock;
};

struct sift_clocks {
    struct sift_threads ARRAY_OF(struct sift_thread) threads;
    struct sift_lanes ARRAY_OF(uint32_t) last_tick; /* by lane */
    struct sift_free ARRAY_OF(uint32_t) free_lanes;
    struct sift_segments ARRAY_OF(struct sift_segment) segments; /* the first stands for none */
    struct sift_rows ARRAY_OF(struct vclock) rows;
    size_t row_entries;
    struct sift_held_list ARRAY_OF(struct sift_held) held; /* likewise */
    struct sift_sections ARRAY_OF(struct sift_section) sections;
    struct sift_clock_list ARRAY_OF(struct sift_clock) barriers, onces;
    struct sift_locks ARRAY_OF(struct sift_lock) locks;
    struct sift_posts ARRAY_OF(struct vclock) semaphores;
    struct map atomics; /* variable -> index into atomic_clocks */
    struct sift_atomic_clocks ARRAY_OF(struct sift_clock) atomic_clocks;
};

void sift_clocks_create(struct sift_clocks *clocks);
void sift_clocks_free(struct sift_clocks *clocks);

/* Synchronisation: the thread's next segment begins. Atomic accesses included. */
void sift_clocks_step(struct sift_clocks *clocks, const struct event *event);

/* A plain write of a variable that atomics use as well. */
void sift_clocks_overwrite(struct sift_clocks *clocks, uint32_t variable);

/* The thread's present segment. */
uint32_t sift_clocks_now(struct sift_clocks *clocks, uint32_t thread);
/* A write happens in the thread's present segment: keeps what sift_clocks_saw() needs. */
void sift_clocks_wrote(struct sift_clocks *clocks, uint32_t thread);
/* The thread read what was written in that segment, and the read is kept: SIFT_READS grows, and
 * with it the segment ends, if that was news. */
void sift_clocks_saw(struct sift_clocks *clocks, uint32_t thread, uint32_t segment);

/* Does the thread come after all of the segment now? */
bool sift_clocks_knows(const struct sift_clocks *clocks, enum sift_order order, uint32_t thread,
                       uint32_t segment);
/* Was a lock held in both that keeps the two apart? */
bool sift_clocks_common_lock(const struct sift_clocks *clocks, uint32_t a, uint32_t b);

#endif
