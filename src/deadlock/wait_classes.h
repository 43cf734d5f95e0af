/* SPDX-License-Identifier: MIT */
/* Everything that threads may wait for, and what they withhold from others while they do:
 * the vertices of deadlocks that are more than cycles of locks. Waits of one thread for
 * the same thing, with the same locks held, at the same source location are one class
 * with many instances.
 *
 * A thread withholds the locks it holds, semaphores used as locks that it took, the
 * once-block it runs, its end, and what it has yet to do: entering barriers, signals,
 * posts. Who withholds what from whom in a state is told by model/blocking.h; here it is
 * told of classes: whether some of their instances might. */
#ifndef PREPLAY_DEADLOCK_WAIT_CLASSES_H
#define PREPLAY_DEADLOCK_WAIT_CLASSES_H

#include "deadlock/lock_order.h"
#include "model/blocking.h"

enum wanted {
    WANTS_LOCK, /* or a semaphore used as one */
    WANTS_END,
    WANTS_ONCE, /* that the block be left */
    WANTS_BARRIER,
    WANTS_SIGNAL,
    WANTS_POST,
};

struct wait_class {
    uint32_t thread;
    enum wanted wanted;
    bool shared;     /* of a lock: for reading */
    uint32_t object; /* lock, thread, once-block (as a lock), barrier instance, ... */
    uint32_t held;   /* first of its locks in `held`, ascending ... */
    uint32_t held_count;
    uint32_t location;
    struct instances instances; /* positions, ascending */
    struct vclock first;        /* must-before of the first instance */
    uint32_t last_tick;         /* moment of the last one */
};

/* Any of several threads could help: special, and alone a deadlock if none can. */
static inline bool wait_class_has_helpers(const struct wait_class *class)
{
    return class->wanted == WANTS_SIGNAL || class->wanted == WANTS_POST;
}

/* More than locks and ends, which lock_cycles.h knows. */
static inline bool wait_class_is_special(const struct wait_class *class)
{
    return class->wanted >= WANTS_ONCE;
}

struct wait_classes {
    const struct history *history;
    const struct blocking *blocking;
    struct class_list ARRAY_OF(struct wait_class) classes;
    struct held_pool ARRAY_OF(struct lock_mode) held;
    struct map index; /* hash -> class + 1 */
    bool any_special;
    bool too_many; /* some were left out */
};

struct wait_reader;

struct wait_reader *wait_reader_create(const struct blocking *blocking, enum model model);
/* Reads on up to, not including, `to`: the waits of that part of the trace. What is held
 * and what came before is known from the parts read already. */
struct wait_classes *wait_reader_next(struct wait_reader *reader, uint32_t to);
void wait_reader_destroy(struct wait_reader *reader);
void wait_classes_destroy(struct wait_classes *classes);

/* Might the two stand at their waits at the same time? */
bool wait_classes_meet(const struct wait_classes *classes, const struct wait_class *a,
                       const struct wait_class *b);
/* Might `withholding`, while it waits, be why `waiting` does, or one that could help it? */
bool wait_class_waits_for(const struct wait_classes *classes, const struct wait_class *waiting,
                          const struct wait_class *withholding);

#endif
