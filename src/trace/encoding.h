/* SPDX-License-Identifier: MIT */
/* The bytes of a recorded thread: what the runtime writes and the reader reads
 * (docs/design.md, "Events"). Only integers and inline functions, so that it can live
 * inside a target, inside the tool and inside Valgrind.
 *
 * A trace directory holds `streams/NNNNNN.pps`, one file per thread: a struct
 * stream_header, then records. A record is a type byte followed by varints; the
 * type byte is stored last, and fresh file space is zero, so that a stream whose
 * process was killed reads up to its last complete record.
 *
 * Stamps. Every synchronisation record carries a stamp. Stamps rise within a
 * stream, and of two operations on one synchronisation object the one that
 * happened first has the lower stamp: sorting all records by (stamp, thread)
 * gives an order that could have been observed.
 *
 * Accesses. A memory access is recorded under a *site*: a slot of a small table
 * that the writer binds to (operation, size, pc, call stack) as it goes. The
 * accesses between two stamped records form a *chunk* and are numbered by
 * *ticks* from 0. A loop walks each of its arrays with a constant stride in
 * addresses and in ticks, so three accesses of a site open a RUN record whose
 * 32-bit count is then raised in place; everything else is a SINGLE of a few
 * bytes. Sorting a chunk by tick gives back the program order. */
#ifndef PREPLAY_TRACE_ENCODING_H
#define PREPLAY_TRACE_ENCODING_H

#include "trace/event.h"

#define ENCODING_MAGIC   UINT64_C(0x31304d5453505050) /* "PPPSTM01", little-endian */
#define ENCODING_VERSION 4

enum {
    ENCODING_SITES = 2048,        /* slots of a stream's site table */
    ENCODING_CHUNK_TICKS = 32768, /* accesses between two stamps, at most */
    ENCODING_RECORD_MAX = 96,     /* bytes of a record, at most */
    ENCODING_LABEL_MAX = 64,      /* bytes of a block's name */
};

/* Why a stream belongs where it does in the tree of threads. */
enum stream_flag {
    STREAM_MAIN = 1 << 0,     /* the thread that ran main(), or called fork() */
    STREAM_EXTERNAL = 1 << 1, /* not created through pthread_create: no parent known */
    STREAM_ENDED = 1 << 2,    /* the thread has come to its end */
};

struct stream_header {
    uint64_t magic;
    uint32_t version;
    uint32_t flags;  /* enum stream_flag */
    uint32_t number; /* the file's own number */
    uint32_t parent; /* number of the creating thread's stream */
    uint32_t child;  /* this is the parent's n-th child, counting from 1 */
    uint32_t kernel_thread;
    uint64_t stack_low, stack_high; /* 0 where unknown */
    /* What the thread waits for at this moment: overwritten each time it is about to block,
     * so that of a program that was killed one knows what its threads wanted. */
    uint64_t wish_object, wish_other, wish_pc;
    uint32_t wish_node; /* call stack, as in RECORD_SITE */
    /* enum event_op plus one, enum event_flag << 8; 0: nothing. Written last, cleared first. */
    uint32_t wish;
    uint64_t reserved[4];
};
_Static_assert(sizeof(struct stream_header) == 112, "the header is part of the format");

/* The low five bits of a record's first byte; the upper three are its flags. (wire.h has all
 * numbers in tables, and holds these to them.) */
enum record_type {
    RECORD_END = 0,    /* unwritten space: the stream ends here */
    RECORD_NODE = 1,   /* parent node, pc delta: call stack node; ids count from 1 */
    RECORD_SITE = 2,   /* slot, op, size, pc delta, node: binds a slot */
    RECORD_SINGLE = 3, /* slot, tick gap, address delta [value] */
    RECORD_RUN = 4,    /* slot, count (4 bytes): more of the same stride */
    RECORD_RANGE = 5,  /* slot, tick gap, address delta, length */
    RECORD_CHUNK = 6,  /* stamp delta: ends a chunk, nothing else */
    RECORD_SYNC = 7,   /* slot, stamp delta, address delta [other] [value] */
    RECORD_PAD = 8,    /* length (4 bytes): skip so many bytes after this record */
    RECORD_NAME = 9,   /* address, length, bytes: the text of a block's label */
    RECORD_TYPES,
};

#define RECORD_TYPE_MASK 0x1f
/* Flags of RECORD_SYNC: those of enum event_flag, in place. RECORD_SINGLE uses
 * RECORD_VALUE alone. */
#define RECORD_FLAG_SHIFT 5
#define RECORD_TRY        (EVENT_TRY << RECORD_FLAG_SHIFT)
#define RECORD_FAILED     (EVENT_FAILED << RECORD_FLAG_SHIFT)
#define RECORD_VALUE      (EVENT_HAS_VALUE << RECORD_FLAG_SHIFT)

/* Operations of RECORD_SYNC beyond enum event_op: they say something about an
 * object without being an event. */
enum record_op {
    RECORD_OP_INIT = 64,         /* a new lock, condition or once begins at this address */
    RECORD_OP_BARRIER_INIT = 65, /* other: number of parties */
    RECORD_OP_SEM_INIT = 66,     /* other: the count */
    RECORD_OP_MAP = 67,          /* other: length; fresh memory from the system */
    RECORD_OP_UNMAP = 68,        /* other: length */
    /* A handler of a signal that came at no certain time begins and ends. */
    RECORD_OP_HANDLER_BEGIN = 69,
    RECORD_OP_HANDLER_END = 70,
    RECORD_OP_LIMIT,
};

/* What a record of EVENT_BAD_CALL says instead of an address: which rule (misuse_rules.h) is broken
 * by a call that has no object, or whose result alone tells. */
#define BAD_CALLS(CALL)                                                                            \
    CALL(SEMAPHORE_OVERFLOW, 1, "semaphore-overflow")                                              \
    CALL(BAD_COUNT, 2, "bad-count")                                                                \
    CALL(FORK_HELD, 3, "fork-held")                                                                \
    CALL(SIGNAL_UNSAFE, 4, "signal-unsafe")                                                        \
    CALL(ERRNO_SPOILT, 5, "errno-spoilt")                                                          \
    CALL(CALL_FAILED, 6, "call-failed")

enum bad_call {
#define CALL(id, number, rule) BAD_##id = (number),
    BAD_CALLS(CALL)
#undef CALL
};

/* The site of an atomic operation or fence has its memory order in the upper bits
 * of its size. An atomic that repeats the load before it (a spin) has RECORD_TRY
 * set, which means nothing else there: it has no synchronisation index of its own. */
#define RECORD_ORDER_SHIFT 5
#define RECORD_SIZE_MASK   0x1f
#define RECORD_REPEAT      EVENT_TRY

/* An order that a program announces by an address (__tsan_release, AnnotateHappensBefore) is
 * recorded as an atomic operation, but not on the memory there, which is often the very data:
 * on an object beside it. */
#define RECORD_EDGE (UINT64_C(1) << 55) /* no address of a program has it */
/* Beside it: an order that nobody waited for. Another schedule may do without (looks.h). */
#define RECORD_EDGE_LOOSE (UINT64_C(1) << 54)
/* The class of loose edges that stand for calls into a library, and the address where that lies. */
#define RECORD_EDGE_LIBRARY 0x42

static inline bool record_is_library_edge(uint64_t object)
{
    return object >> 48 == (RECORD_EDGE >> 48 | RECORD_EDGE_LIBRARY);
}

static inline uint64_t record_edge_library(uint64_t object)
{
    return (object & ((UINT64_C(1) << 48) - 1)) >> 3 << 12;
}

static inline bool record_has_other(unsigned op)
{
    return op == EVENT_ALLOC || op == EVENT_WAIT_BEGIN || op == EVENT_WAIT_END ||
           op == RECORD_OP_BARRIER_INIT || op == RECORD_OP_SEM_INIT || op == RECORD_OP_MAP ||
           op == RECORD_OP_UNMAP;
}

static inline bool record_has_order(unsigned op)
{
    return op == EVENT_FENCE || op == EVENT_ATOMIC_LOAD || op == EVENT_ATOMIC_STORE ||
           op == EVENT_ATOMIC_RMW;
}

/* Objects of these records do not end a segment: the thread's accesses before
 * and after them are one. */
static inline bool record_is_local(unsigned op)
{
    return op >= RECORD_OP_INIT || op == EVENT_ALLOC || op == EVENT_FREE || op_in(op, OPS_MISUSE);
}

/* What both sides know about a site after each of its accesses. */
struct predictor {
    uint64_t address, stride;
    uint32_t tick, tick_stride;
    uint32_t chunk; /* the chunk its last access was in */
    uint32_t steps; /* 0, 1, or 2 when the strides are known; within `chunk` */
};

static inline bool predictor_fits(const struct predictor *site, uint32_t chunk, uint64_t address,
                                  uint32_t tick)
{
    return site->chunk == chunk && site->steps == 2 && site->address + site->stride == address &&
           site->tick + site->tick_stride == tick;
}

static inline void predictor_advance(struct predictor *site)
{
    site->address += site->stride;
    site->tick += site->tick_stride;
}

static inline void predictor_single(struct predictor *site, uint32_t chunk, uint64_t address,
                                    uint32_t tick)
{
    if (site->chunk == chunk && site->steps) {
        site->stride = address - site->address;
        site->tick_stride = tick - site->tick;
        site->steps = 2;
    } else {
        site->chunk = chunk;
        site->steps = 1;
    }
    site->address = address;
    site->tick = tick;
}

static inline uint64_t zigzag(uint64_t difference)
{
    return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t coded)
{
    return (coded >> 1) ^ (0 - (coded & 1));
}

static inline uint8_t *varint_put(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* NULL if the varint does not end before `end` or has more than 64 bits. */
static inline const uint8_t *varint_get(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
        uint8_t byte = *at++;
        if (shift == 63 && byte > 1)
            return 0;
        result |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *value = result;
            return at;
        }
    }
    return 0;
}

#endif
