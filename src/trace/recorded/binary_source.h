/* SPDX-License-Identifier: MIT */
/* The reader of recorded traces, inside. Passes over the merged streams: the first finds out
 * which memory is shared and which locks are used as semaphores (binary_learn.c), one more,
 * for programs with condition variables, which waits were skipped (skipped_waits.h), and the
 * last delivers events (binary_deliver.c). Nothing but that knowledge is kept between them. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_SOURCE_H
#define PREPLAY_TRACE_RECORDED_BINARY_SOURCE_H

#include "base/array.h"
#include "base/map.h"
#include "trace/recorded/binary_merge.h"
#include "trace/recorded/binary_names.h"
#include "trace/recorded/binary_objects.h"
#include "trace/recorded/binary_origins.h"
#include "trace/recorded/binary_variables.h"
#include "trace/recorded/held_locks.h"
#include "trace/recorded/looks.h"
#include "trace/recorded/skipped_waits.h"
#include "trace/recorded/unseen_waits.h"

/* A variable whose memory has become another's. */
struct gone_variable {
    uint32_t id;
    uint64_t after; /* so many events of the trace none mentions it */
};

struct segment_now {
    uint32_t number;
    bool sampled;
};

/* A unit that is being delivered: what it covers may be more than a batch takes (the end of a
 * large block is an access of all that is in it). */
struct binary_delivery {
    struct binary_unit unit;
    uint32_t thread;
    bool begun, record_done;
    struct event event;              /* the record's */
    const struct skipped_mark *mark; /* the next of `marks` that are left */
    size_t marks;
    size_t accesses;     /* of the unit: so many are begun */
    struct event access; /* of all objects from `address` to `end` */
    uint64_t address, end;
};

struct binary_source {
    bool cut; /* not all of the streams is read */
    struct binary_threads threads;
    struct binary_places *places;
    struct binary_merge *merge;
    struct objects *objects;
    struct binary_names *names;
    struct symbols *symbols;
    struct wait_code *code;  /* NULL until it is asked for */
    struct value_flow *flow; /* the same */
    struct map counts;       /* semaphores: address -> first count */
    bool late_use;           /* the unit acquires a lock that stays destroyed */
    struct map destroyed;    /* locks: by address; the number of one that stays so, plus one */
    struct binary_origins *origins;
    struct binary_variables *variables;
    struct map blocks;                                /* live heap blocks: address -> size */
    struct sync_ids ARRAY_OF(uint32_t) ids;           /* by sync object: its id plus one */
    struct handed_over ARRAY_OF(uint8_t) handed_over; /* by sync object: a lock that is none */
    struct owners ARRAY_OF(uint32_t) owners;          /* by sync object: owner plus one */
    struct takers ARRAY_OF(uint32_t) takers;          /* by semaphore: who took it last, plus one */
    struct held_locks held;
    struct late ARRAY_OF(struct event) late; /* broken rules, for when their threads have waited */
    struct handlers ARRAY_OF(uint8_t) handlers;    /* by thread: it runs a signal's handler */
    struct acquired ARRAY_OF(uint8_t) acquired;    /* by lock: it was, in this recording */
    struct scheduled ARRAY_OF(uint32_t) scheduled; /* by thread: operations so far */
    /* With a selection, by thread: synchronisation delivered so far, and is any access before
     * the next one sampled? */
    struct segments ARRAY_OF(struct segment_now) segments;
    struct ended ARRAY_OF(uint8_t) ended; /* by thread: its last event was seen */
    bool whole;                           /* not a cut of a program that still runs */
    struct skipped_waits *waits;
    struct looks *looks;
    struct unseen_waits *unseen;
    struct latches ARRAY_OF(uint32_t) latches; /* by latch: once-block id plus one */
    struct queue ARRAY_OF(struct event) queue;
    size_t delivered; /* of the queue */
    size_t wanted;    /* events that the queue is to hold */
    struct binary_delivery now;
    struct gone_queue ARRAY_OF(struct gone_variable) gone; /* in the order of `after` */
    size_t told;                                           /* of these */
};

/* binary_learn.c: everything before the last pass; 0 or -1. */
int binary_learn(struct binary_source *source, struct error *error);
/* binary_deliver.c: the last pass, as trace_format.next. */
long binary_deliver(struct trace *trace, struct event *events, size_t capacity,
                    struct error *error);

/* binary_flow.c: trace_format.leads, .carries, .decides and .updates. */
bool binary_decides(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common);
bool binary_tests(const struct trace *trace, struct trace_place from);
bool binary_updates(const struct trace *trace, uint32_t location);
bool binary_leads(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to);
bool binary_carries(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common);

/* The object and other of a record as the event's; false if it has no place in a trace. */
bool binary_name_operands(struct trace *trace, struct event *event, const struct binary_unit *unit);
/* binary_wishes.c: after the last unit, trace->wishes. */
void binary_wishes_deliver(struct trace *trace);

/* binary_misuse.c: follows which threads run handlers of signals. True if the unit is a call that
 * is not safe in the one that its thread runs. */
bool binary_misuse_in_handler(struct binary_source *source, const struct binary_unit *unit,
                              uint32_t thread);
/* The label of an EVENT_BAD_CALL; false if no rule has that number. */
bool binary_misuse_label(struct trace *trace, uint64_t number, uint32_t *label);

void binary_misuse_bad_call(struct trace *trace, struct event event, enum bad_call call);
/* An operation on a lock, a condition or the like, at the address if it is on a lock. */
void binary_misuse_operation(struct trace *trace, struct event event, uint64_t address);
/* The event may end a wait, during which the thread ran a handler that broke rules: told now. */
void binary_misuse_waited(struct trace *trace, const struct event *event);
/* binary_deliver.c: unless no rule of a trace allows it. */
void binary_deliver_event(struct trace *trace, struct event event);

/* What all passes do with records about memory and fresh objects. */
void binary_source_follow(struct binary_source *source, const struct binary_unit *unit,
                          uint32_t thread);
/* The size of the live heap block at an address, 0 if there is none. */
uint64_t binary_source_block(const struct binary_source *source, uint64_t address);

/* The class of a record's object. */
enum object_class binary_record_class(unsigned op);

/* Longer accesses count for their beginning only. (A fuzzer sets it lower: a
 * range costs as much as it is long, and a few bytes can claim a long one.) */
#ifndef BINARY_RANGE_LIMIT
#define BINARY_RANGE_LIMIT (UINT64_C(1) << 32)
#endif

static inline uint64_t binary_limited(uint64_t length)
{
    return length < BINARY_RANGE_LIMIT ? length : BINARY_RANGE_LIMIT;
}

#endif
