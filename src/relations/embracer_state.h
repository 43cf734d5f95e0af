/* SPDX-License-Identifier: MIT */
/* The inside of struct embracer, shared by embracer.c (events, clocks) and
 * embracer_sections.c (the rule about sections). */
#ifndef PREPLAY_RELATIONS_EMBRACER_STATE_H
#define PREPLAY_RELATIONS_EMBRACER_STATE_H

#include "base/arena.h"
#include "base/array.h"
#include "relations/embracer.h"
#include "relations/hard_edges.h"

struct clocks ARRAY_OF(struct vclock);

struct section_list ARRAY_OF(struct embracer_section *);

struct section_ticks {
    uint32_t acquire, release;
};

/* So many sections of another thread are before this one's, as long as this one has seen
 * nothing of it beyond `until`: the others began no sooner. */
struct settled {
    uint32_t count, until;
};

/* H of one mutex, by thread (Sadowski, section 16.1). */
struct user {
    uint32_t thread;
    struct section_list sections;
    struct user_ticks ARRAY_OF(struct section_ticks) ticks; /* of the same */
    /* By number of user: how many of its sections are before this thread's last one. */
    struct user_settled ARRAY_OF(struct settled) settled;
};

struct user_last {
    uint32_t thread, count; /* of its sections */
    struct section_ticks ticks;
};

struct mutex_history {
    struct user *items;
    size_t count, capacity;
    struct embracer_section *open;
    struct vclock acquired; /* A, while there is an open one */
    /* Numbers of users, whoever released last first: its section tends to be after
     * all others, so that one edge says it all. */
    struct user_recency ARRAY_OF(uint32_t) recent;
    /* By number of user, close together: most questions are about its last section. */
    struct user_lasts ARRAY_OF(struct user_last) lasts;
};

struct variable_clocks {
    struct vclock written, read;
    uint32_t writer_plus_one, write_tick;
};

struct embracer {
    struct clocks threads;
    struct embracer_mutexes ARRAY_OF(struct mutex_history) mutexes;
    struct embracer_variables ARRAY_OF(struct variable_clocks) variables;
    struct extra_edges extra;
    struct hard_edges *hard;
    struct section_list ended;  /* in the order of their releases */
    struct section_list to_ask; /* sections whose release has learnt something */
    struct arena arena;         /* the sections */
    uint32_t open_count;
    struct vclock arriving; /* scratch */
};

static inline void embracer_advance(struct vclock *clock, uint32_t thread)
{
    clock->ticks[thread]++;
}

/* `clock` is C of the thread that acquires, or releases, the mutex. */
void embracer_acquire(struct embracer *embracer, const struct event *event, struct vclock *clock);
void embracer_release(struct embracer *embracer, uint32_t lock, struct vclock *clock);

#endif
