/* SPDX-License-Identifier: MIT */
/* What the rules of a well-formed trace remember, shared by the files that check
 * them: wellformed_locks.c has the locks and what waits with them, wellformed.c
 * the rest. */
#ifndef PREPLAY_TRACE_WELLFORMED_STATE_H
#define PREPLAY_TRACE_WELLFORMED_STATE_H

#include "base/array.h"
#include "base/map.h"
#include "trace/condition.h"
#include "trace/wellformed.h"

enum blocked { RUNNING, AT_CONDITION, AT_BARRIER };

struct blocks ARRAY_OF(uint32_t);

struct thread_state {
    bool forked, joined, active;
    uint8_t blocked;       /* enum blocked */
    uint32_t blocked_at;   /* condition or barrier */
    uint32_t blocked_more; /* lock of the wait, instance of the barrier */
    uint32_t depth_saved;  /* recursion depth to restore after a wait */
    struct blocks blocks;  /* labels of open atomic blocks */
};

struct lock_state {
    uint32_t owner_plus_one; /* exclusive owner */
    uint32_t depth;
    uint32_t readers; /* distinct threads that hold it shared */
};

struct barrier_state {
    uint32_t instance_plus_one;
    bool leaving; /* somebody left: the next one to enter begins a new instance */
};

struct semaphore_state {
    uint32_t count, initial;
};

struct once_state {
    uint32_t runner_plus_one;
    bool done;
};

struct wellformed {
    struct thread_states ARRAY_OF(struct thread_state) threads;
    struct lock_states ARRAY_OF(struct lock_state) locks;
    struct condition_states ARRAY_OF(struct condition) conditions;
    struct barrier_states ARRAY_OF(struct barrier_state) barriers;
    struct semaphore_states ARRAY_OF(struct semaphore_state) semaphores;
    struct once_states ARRAY_OF(struct once_state) onces;
    struct party_counts ARRAY_OF(uint32_t) parties; /* by barrier instance */
    struct map shares; /* (lock, thread) -> recursion depth of a reader */
    const struct trace *trace;
    char reason[512];
};

/* Notes the reason. */
__attribute__((format(printf, 2, 3), cold)) enum wellformed_answer
wellformed_broken(struct wellformed *self, const char *format, ...);

/* Names in messages are cut: an operand may be as long as a line. */
#define NAME "%.60s"

static inline const char *thread_name(const struct wellformed *self, uint32_t thread)
{
    return trace_name(self->trace, CLASS_THREAD, thread);
}

static inline const char *lock_name(const struct wellformed *self, uint32_t lock)
{
    return trace_name(self->trace, CLASS_LOCK, lock);
}

static inline struct thread_state *thread_at(struct wellformed *self, uint32_t thread)
{
    array_grow(&self->threads, thread + 1);
    return &self->threads.items[thread];
}

static inline struct lock_state *lock_at(struct wellformed *self, uint32_t lock)
{
    array_grow(&self->locks, lock + 1);
    return &self->locks.items[lock];
}

enum wellformed_answer wellformed_acquire(struct wellformed *self, const struct event *event);
enum wellformed_answer wellformed_release(struct wellformed *self, const struct event *event);
enum wellformed_answer wellformed_acquire_read(struct wellformed *self, const struct event *event);
enum wellformed_answer wellformed_release_read(struct wellformed *self, const struct event *event);
enum wellformed_answer wellformed_wait_begin(struct wellformed *self, const struct event *event);
enum wellformed_answer wellformed_wait_end(struct wellformed *self, struct event *event);
enum wellformed_answer wellformed_signal(struct wellformed *self, const struct event *event);

#endif
