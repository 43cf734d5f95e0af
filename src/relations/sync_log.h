/* SPDX-License-Identifier: MIT */
/* All synchronisation of a trace, small enough to be kept for its own sake: 8 bytes an
 * event, without source locations, and 8 bytes where another thread goes on with something
 * else. Under `sync` nothing else decides what can be reordered.
 *
 * A few other events belong to it. Plain writes where an atomic operation may read them:
 * those of a variable after its first atomic operation are added as they come, the last one
 * before that "late", once it turns out to matter. And, late as well, the last event of a
 * thread that is joined, whatever it is. */
#ifndef PREPLAY_RELATIONS_SYNC_LOG_H
#define PREPLAY_RELATIONS_SYNC_LOG_H

#include "base/array.h"
#include "trace/event.h"

struct late_event {
    uint32_t pos, object;
    enum event_op op; /* a write, or a branch, which stands for anything */
};

#define SYNC_CHUNK ((size_t)1 << 18)
/* So many words are kept for candidates that may come; once there are any, all. */
#define SYNC_PATIENCE ((uint64_t)1 << 20)

/* A zeroed one is empty. */
struct sync_log {
    struct sync_chunks ARRAY_OF(uint64_t *) chunks; /* of SYNC_CHUNK words, which never move */
    uint64_t *at, *end;                             /* free words of the last one */
    struct late_events ARRAY_OF(struct late_event) late;
    struct last_events ARRAY_OF(uint32_t) last; /* by thread: its last event's pos */
    uint32_t thread_plus_one;                   /* of the last event seen */
    uint32_t pos;                               /* of the last word */
    uint32_t turn;                              /* the thread's bits of the next word */
    bool whole;                                 /* keep all in any case */
    bool stopped;  /* nothing was kept: there was no candidate for too long */
    bool doubtful; /* a plain write of a variable that became atomic later is missing, and it
                      is not sure that it must come before the one that is there */
};

/* A word, as an event is laid out: operation, flags, memory order and operand have their
 * bytes there; between them, the distance from the word before, and the thread plus one if
 * it is another than before. What has no room gets a word of its own before it. */
enum {
    SYNC_FLAGS_SHIFT = 8,
    SYNC_ORDER_SHIFT = 16,
    SYNC_THREAD_SHIFT = 19,
    SYNC_GAP_SHIFT = 24,
    SYNC_OPERAND_SHIFT = 32,
    SYNC_OP_MASK = 0xff,
    SYNC_FLAGS_MASK = 0xff,
    SYNC_ORDER_MASK = 0x7,
    SYNC_THREAD_MASK = 0x1f,
    SYNC_GAP_MASK = 0xff,
};

/* These are said in one word; the others take sync_log_add(). */
#define OPS_SYNC_SHORT                                                                             \
    (OPS_SYNC & ~(OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_WAIT_END) |         \
                  OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_BARRIER_EXIT)))

void sync_log_add(struct sync_log *log, const struct event *event, uint32_t pos);
/* Another thread may go on with this event. Every change of threads passes here, in order,
 * and then, if the event is synchronisation, sync_log_event(), as all of that does. */
void sync_log_turn(struct sync_log *log, const struct event *event, uint32_t pos);

/* This is nearly all that a long trace costs: a few instructions. */
static inline void sync_log_event(struct sync_log *log, const struct event *event, uint32_t pos)
{
    uint32_t gap = pos - log->pos;
    if (!op_in(event->op, OPS_SYNC_SHORT) || gap > SYNC_GAP_MASK || log->at == log->end) {
        sync_log_add(log, event, pos);
        return;
    }
    uint32_t low = event->op | (uint32_t)event->flags << SYNC_FLAGS_SHIFT |
                   (event->order & (uint32_t)SYNC_ORDER_MASK) << SYNC_ORDER_SHIFT |
                   gap << SYNC_GAP_SHIFT | log->turn;
    *log->at++ = (uint64_t)event->object << SYNC_OPERAND_SHIFT | low;
    log->pos = pos;
    log->turn = 0;
}

/* A plain write before the first atomic operation of its variable. */
static inline void sync_log_late(struct sync_log *log, uint32_t pos, uint32_t object)
{
    array_push(&log->late, ((struct late_event){pos, object, EVENT_WRITE}));
}

/* How many words there are: at least as many as events. */
size_t sync_log_length(const struct sync_log *log);
/* Empties it for good. */
void sync_log_stop(struct sync_log *log);
void sync_log_free(struct sync_log *log);

/* Reading it: a zeroed one stands at the beginning. */
struct sync_log_reader {
    size_t at;
    uint32_t thread, pos;
};

/* The next event, and its pos in the trace, with everything but location, stack and value;
 * false at the end. */
bool sync_log_next(const struct sync_log *log, struct sync_log_reader *reader, struct event *event,
                   uint32_t *pos);
/* Sets the threads of `count` events, by their positions, which ascend. */
void sync_log_threads(const struct sync_log *log, struct event *events, const uint32_t *positions,
                      size_t count);

#endif
