/* SPDX-License-Identifier: MIT */
/* The threads that the generator simulates: their state, and the actions they
 * may take. An action is tried by a running thread, and says whether it was
 * possible; if so, its line is in the trace and its effect in the state. */
#ifndef PREPLAY_TIDDLE_GENERATOR_ACTIONS_H
#define PREPLAY_TIDDLE_GENERATOR_ACTIONS_H

#include "base/array.h"
#include "base/random.h"
#include "tiddle/generator.h"

#define NOBODY UINT32_MAX
enum { HELD_MOST = 16, BLOCKS_MOST = 3, CONDITIONS = 2, BARRIERS = 2, SEMAPHORES = 2, ONCES = 2 };

enum thread_phase {
    UNBORN, /* until its fork */
    RUNNING,
    SLEEPING, /* at a condition; not signalled */
    WOKEN,    /* signalled, wants its mutex back */
    ENTERED,  /* a barrier */
    FINISHED,
};

/* One lock a thread holds. */
struct hold {
    uint32_t lock;
    bool shared, read_write;
};

struct thread {
    enum thread_phase phase;
    uint32_t condition, mutex; /* while it waits */
    uint32_t barrier;
    bool full;                    /* the barrier instance it stands in is full */
    struct hold held[HELD_MOST];  /* innermost last; re-entrant ones twice */
    uint32_t held_count, running; /* running: once-block + 1 */
    uint32_t blocks[BLOCKS_MOST], block_count;
};

struct lock {
    uint32_t owner; /* NOBODY, or a thread */
    uint32_t readers;
    bool destroyed;
};

struct barrier {
    uint32_t parties, entered, left; /* of the current use; parties 0: none yet */
};

enum once_phase { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };

struct text ARRAY_OF(char);

struct generator {
    const struct shape *shape;
    struct random random;
    struct text text;
    uint32_t emitted, wanted, threads;
    struct thread *thread;
    struct lock *mutexes, *read_write;
    uint64_t *values; /* by variable */
    struct barrier barriers[BARRIERS];
    uint32_t semaphores[SEMAPHORES];
    bool semaphore_destroyed[SEMAPHORES], condition_destroyed[CONDITIONS];
    enum once_phase onces[ONCES];
};

static inline uint32_t below(struct generator *self, uint32_t bound)
{
    return random_below(&self->random, bound);
}

static inline bool chance(struct generator *self, unsigned percent)
{
    return random_chance(&self->random, percent);
}

static inline bool has(const struct generator *self, unsigned feature)
{
    return self->shape->features & feature;
}

/* A thread that blocks with locks held may stop all others for ever. That makes
 * good short traces, and no long ones. */
static inline bool may_block(const struct generator *self, uint32_t locks_kept)
{
    return !locks_kept || self->wanted <= 100;
}

void generator_put(struct generator *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void generator_put_location(struct generator *self, uint32_t thread);

/* One line of the trace. */
#define EMIT(self, thread, ...)                                                                    \
    do {                                                                                           \
        generator_put(self, "T%u|", thread);                                                       \
        generator_put(self, __VA_ARGS__);                                                          \
        generator_put_location(self, thread);                                                      \
        (self)->emitted++;                                                                         \
    } while (0)

bool do_access(struct generator *self, uint32_t thread);
bool do_atomic(struct generator *self, uint32_t thread);
bool do_branch(struct generator *self, uint32_t thread);
bool do_block(struct generator *self, uint32_t thread);
bool do_acquire(struct generator *self, uint32_t thread);
bool do_acquire_read_write(struct generator *self, uint32_t thread);
bool do_release(struct generator *self, uint32_t thread);
bool do_destroy(struct generator *self, uint32_t thread);
bool do_wait(struct generator *self, uint32_t thread);
bool do_wake(struct generator *self, uint32_t thread);
bool do_signal(struct generator *self, uint32_t thread);
bool do_enter(struct generator *self, uint32_t thread);
bool do_exit(struct generator *self, uint32_t thread);
bool do_post(struct generator *self, uint32_t thread);
bool do_semaphore_wait(struct generator *self, uint32_t thread);
bool do_once(struct generator *self, uint32_t thread);
bool do_fork(struct generator *self, uint32_t thread);
bool do_join(struct generator *self, uint32_t thread);

#endif
