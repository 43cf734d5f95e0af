/* SPDX-License-Identifier: MIT */
/* The semantics of a small trace a second time, made for speed: a state is a few
 * hundred bytes without pointers, copied instead of undone, and what a read may
 * see is worked out beforehand. It shares no code with model/machine.h, so that
 * each implementation checks the other (plain.h).
 *
 * Where the machine leaves open which waiting thread a signal woke, this one
 * tries every choice: small_choices() says how many there are. */
#ifndef PREPLAY_ORACLE_SMALL_H
#define PREPLAY_ORACLE_SMALL_H

#include "oracle/truth.h"

enum {
    SMALL_EVENTS = 250,
    SMALL_THREADS = 16,
    SMALL_LOCKS = 32,
    SMALL_VARIABLES = 64,
    SMALL_INSTANCES = 32, /* of barriers */
    SMALL_SEMAPHORES = 16,
    SMALL_ONCES = 16,
    SMALL_CONDITIONS = 32,
    SMALL_CLASSES = 64, /* distinguishable writes of a variable, the initial one among them */
};

/* One event, with everything about it that does not change. */
struct small_event {
    uint8_t op, thread, object, lock, index;
    uint8_t class;     /* of a write: what it leaves in memory, up to equivalence */
    uint8_t join_fork; /* of a join: the fork of its thread, or NO_EVENT */
    bool failed;
    bool tries; /* it gives up if it cannot be executed */
    bool eager; /* executing it as soon as possible loses no error */
    bool kept;  /* of a read: it must see one of `accepted` */
    uint64_t accepted;
};

struct small_trace {
    uint32_t count, threads, variables;
    enum model model; /* after the fall back to rf */
    bool has_conditions;
    bool gives_up; /* somebody returns from a wait without a signal */
    uint8_t fork_of[SMALL_THREADS];
    uint8_t length[SMALL_THREADS];
    uint8_t by_thread[SMALL_THREADS][SMALL_EVENTS];
    uint8_t previous_instance[SMALL_INSTANCES], parties[SMALL_INSTANCES];
    uint8_t initial_count[SMALL_SEMAPHORES];
    bool semaphore_is_lock[SMALL_SEMAPHORES];
    uint8_t once_begin[SMALL_ONCES]; /* or NO_EVENT */
    /* One above the index of a thread's last signal, last post, and its entry. */
    uint8_t last_signal[SMALL_THREADS][SMALL_CONDITIONS];
    uint8_t last_post[SMALL_THREADS][SMALL_SEMAPHORES];
    uint8_t enters[SMALL_THREADS][SMALL_INSTANCES];
    uint8_t tracked[SMALL_VARIABLES]; /* variables whose last write matters */
    uint32_t tracked_count;
    struct small_event events[SMALL_EVENTS];
};

#define NO_EVENT UINT8_MAX

struct small_state {
    uint8_t next[SMALL_THREADS];
    uint16_t owner[SMALL_LOCKS];   /* the one exclusive owner, as a set of threads */
    uint16_t readers[SMALL_LOCKS]; /* those that share it */
    uint8_t entered[SMALL_INSTANCES];
    uint8_t counts[SMALL_SEMAPHORES];
    uint8_t once_done[SMALL_ONCES];
    uint8_t memory[SMALL_VARIABLES]; /* class of the last write */
    uint64_t tainted_memory;         /* `branch`: depends on a read that changed */
    uint16_t tainted;                /* threads, likewise */
    uint16_t woken;                  /* waiting threads that a signal chose */
    /* By thread, of those that one signal chose: itself, and the others that it could have
     * chosen and that still wait. Only where somebody gives up. */
    uint16_t could_be[SMALL_THREADS];
};

/* 0, or -1 with the reason if the trace is too large to be explored like this. */
int small_trace_init(struct small_trace *trace, const struct history *history, enum model model,
                     struct error *error);
void small_start(const struct small_trace *trace, struct small_state *state);

/* The thread's next event, NO_EVENT after its last or before its fork. */
uint8_t small_next(const struct small_trace *trace, const struct small_state *state,
                   uint32_t thread);
/* May this next event of its thread be executed? */
bool small_allowed(const struct small_trace *trace, const struct small_state *state,
                   const struct small_event *event);
/* For whom this next event of its thread waits, if it does. */
void small_waits(const struct small_trace *trace, const struct small_state *state,
                 const struct small_event *event, struct standing *standing);
/* In how many ways may the event turn out? One, but for signals. */
uint32_t small_choices(const struct small_trace *trace, const struct small_state *state,
                       const struct small_event *event);
void small_execute(const struct small_trace *trace, struct small_state *state,
                   const struct small_event *event, uint32_t choice);

/* What tells states apart, as words; returns how many. Locks, counts and the
 * like follow from how far each thread has come. */
enum {
    SMALL_KEY_WORDS = (SMALL_THREADS + SMALL_VARIABLES + 8 + 2 + 2 + 2 * SMALL_THREADS + 7) / 8 + 1
};
uint32_t small_key_words(const struct small_trace *trace);
void small_key(const struct small_trace *trace, const struct small_state *state, uint64_t *key);

static inline bool small_conflict(const struct small_event *a, const struct small_event *b)
{
    return a->object == b->object && op_in(a->op, OPS_ACCESS) && op_in(b->op, OPS_ACCESS) &&
           (op_in(a->op, OPS_WRITING) || op_in(b->op, OPS_WRITING)) &&
           !(op_in(a->op, OPS_ATOMIC) && op_in(b->op, OPS_ATOMIC)) && a->thread != b->thread;
}

#endif
