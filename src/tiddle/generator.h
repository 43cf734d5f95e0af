/* SPDX-License-Identifier: MIT */
/* Random well-formed traces: random threads are simulated under a random
 * schedule, so every trace is one that a real program could have produced. The
 * same seed and shape give the same bytes on every machine. */
#ifndef PREPLAY_TIDDLE_GENERATOR_H
#define PREPLAY_TIDDLE_GENERATOR_H

#include "base/error.h"
#include "trace/history.h"

#include <stddef.h>

/* FEATURE(name, text, what it adds) */
#define SHAPE_FEATURES(FEATURE)                                                                    \
    FEATURE(LOCKS, "locks", "mutexes, properly nested")                                            \
    FEATURE(CROSSED, "crossed", "locks released in any order")                                     \
    FEATURE(REENTRANT, "reentrant", "mutexes acquired again by their owner")                       \
    FEATURE(FORKS, "forks", "some threads are forked and joined")                                  \
    FEATURE(RWLOCKS, "rwlocks", "readers-writer locks")                                            \
    FEATURE(TRIES, "tries", "try-locks that succeed or fail; failing semaphore waits")             \
    FEATURE(CONDITIONS, "conditions", "wait, signal, broadcast, spurious wake-ups")                \
    FEATURE(BARRIERS, "barriers", "barriers, used several times")                                  \
    FEATURE(SEMAPHORES, "semaphores", "post and wait")                                             \
    FEATURE(ONCE, "once", "once-blocks")                                                           \
    FEATURE(ATOMICS, "atomics", "atomic accesses of all memory orders, and fences")                \
    FEATURE(BLOCKS, "blocks", "atomic blocks")                                                     \
    FEATURE(VALUES, "values", "values of accesses")                                                \
    FEATURE(BRANCHES, "branches", "branch events")                                                 \
    FEATURE(DESTROYS, "destroys", "what is destroyed; not part of \"all\"")

enum shape_feature_index {
#define FEATURE(name, text, what) SHAPE_INDEX_##name,
    SHAPE_FEATURES(FEATURE)
#undef FEATURE
        SHAPE_FEATURE_COUNT
};

enum shape_feature {
#define FEATURE(name, text, what) SHAPE_##name = 1u << SHAPE_INDEX_##name,
    SHAPE_FEATURES(FEATURE)
#undef FEATURE
        SHAPE_ALL = (1u << SHAPE_FEATURE_COUNT) - 1
};

struct shape {
    unsigned features;
    uint32_t events_min, events_max; /* of the trace, re-entrant pairs not counted */
    uint32_t threads_min, threads_max;
    uint32_t variables, locks; /* locks: as many mutexes, and rwlocks if there are any */
    uint32_t depth;            /* locks a thread holds at once, at most */
    uint32_t sticky;           /* percent: the same thread goes on */
    uint32_t accesses;         /* weight of plain accesses; everything else weighs about 10 */
    uint32_t guarded;          /* percent of plain accesses that wait for a lock to be held */
    uint32_t locations;        /* per thread; 0: every event has its own */
};

/* "NAME", or "NAME:setting,setting...", where a setting is a feature ("once", or
 * "all"), a feature left out ("-forks") or a number ("events=30", "threads=2..3"). Names are
 * those of shape_name(). 0, or -1 with the reason. */
int shape_parse(struct shape *shape, const char *text, struct error *error);
/* The n-th preset's name; NULL after the last. */
const char *shape_name(size_t n);

/* The trace as .std text, malloc-ed and NUL-terminated. */
char *generate_text(const struct shape *shape, uint64_t seed, size_t *length);

/* A trace in memory, with its text and its events. */
struct sample {
    char *text;
    struct trace *trace;
    struct history *history;
};

/* 0, or -1 if the text is not a well-formed trace. Takes over `text` (malloc-ed). */
int sample_read(struct sample *sample, char *text, size_t length, struct error *error);
int sample_generate(struct sample *sample, const struct shape *shape, uint64_t seed,
                    struct error *error);
void sample_free(struct sample *sample);

#endif
