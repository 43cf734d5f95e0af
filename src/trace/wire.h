/* SPDX-License-Identifier: MIT */
/* The numbers of the recording's format, as they stand on disk: the one description of the bytes
 * that encoding.h gives names to. Each is asserted to be what the code makes of it, so that an
 * operation that is added, moved or renamed cannot change what an old recording means.
 * docs/format.md shows these tables and is held to them, and to the version, by tests/format.
 *
 * To change the bytes: change encoding.h and a table here, raise ENCODING_VERSION, run
 * tests/format/golden to record what the new version looks like. Numbers are never used again. */
#ifndef PREPLAY_TRACE_WIRE_H
#define PREPLAY_TRACE_WIRE_H

#include "trace/encoding.h"

#include <stddef.h>

/* Operations: W(name, number, its operands). Further ones of enum event_op are worked out by the
 * reader and never on disk. */
#define WIRE_OPS(W)                                                                                \
    W(EVENT_START, 0, "")                                                                          \
    W(EVENT_END, 1, "")                                                                            \
    W(EVENT_FORK, 2, "number of the new thread's stream")                                          \
    W(EVENT_JOIN, 3, "number of the thread's stream")                                              \
    W(EVENT_READ, 4, "address")                                                                    \
    W(EVENT_WRITE, 5, "address")                                                                   \
    W(EVENT_ATOMIC_LOAD, 6, "address")                                                             \
    W(EVENT_ATOMIC_STORE, 7, "address")                                                            \
    W(EVENT_ATOMIC_RMW, 8, "address")                                                              \
    W(EVENT_FENCE, 9, "")                                                                          \
    W(EVENT_ALLOC, 10, "address; other: size")                                                     \
    W(EVENT_FREE, 11, "address")                                                                   \
    W(EVENT_ACQUIRE, 12, "lock")                                                                   \
    W(EVENT_RELEASE, 13, "lock")                                                                   \
    W(EVENT_ACQUIRE_READ, 14, "lock")                                                              \
    W(EVENT_RELEASE_READ, 15, "lock")                                                              \
    W(EVENT_ACQUIRE_WRITE, 16, "lock")                                                             \
    W(EVENT_RELEASE_WRITE, 17, "lock")                                                             \
    W(EVENT_WAIT_BEGIN, 18, "condition; other: lock")                                              \
    W(EVENT_WAIT_END, 19, "condition; other: lock")                                                \
    W(EVENT_SIGNAL, 20, "condition")                                                               \
    W(EVENT_BROADCAST, 21, "condition")                                                            \
    W(EVENT_BARRIER_ENTER, 22, "barrier")                                                          \
    W(EVENT_BARRIER_EXIT, 23, "barrier")                                                           \
    W(EVENT_POST, 24, "semaphore")                                                                 \
    W(EVENT_SEM_WAIT, 25, "semaphore")                                                             \
    W(EVENT_ONCE_BEGIN, 26, "once")                                                                \
    W(EVENT_ONCE_END, 27, "once")                                                                  \
    W(EVENT_ONCE_PASS, 28, "once")                                                                 \
    W(EVENT_BLOCK_BEGIN, 29, "address of the label, or 0: the site's function")                    \
    W(EVENT_BLOCK_END, 30, "the same")                                                             \
    W(EVENT_BRANCH, 31, "")                                                                        \
    W(EVENT_DESTROY, 32, "lock; TRY: only an INIT makes it anew")                                  \
    W(EVENT_BAD_RELEASE, 33, "lock")                                                               \
    W(EVENT_BAD_ACQUIRE, 34, "lock")                                                               \
    W(EVENT_BAD_WAIT, 35, "lock")                                                                  \
    W(EVENT_BAD_JOIN, 36, "number of the thread's stream")                                         \
    W(EVENT_CONDITION_DESTROY, 37, "condition")                                                    \
    W(EVENT_BARRIER_DESTROY, 38, "barrier")                                                        \
    W(EVENT_SEMAPHORE_DESTROY, 39, "semaphore")                                                    \
    W(EVENT_DETACH, 40, "number of the thread's stream")                                           \
    W(EVENT_BAD_CALL, 41,                                                                          \
      "which rule is broken: 1 semaphore-overflow, 2 bad-count, 3 fork-held, "                     \
      "4 signal-unsafe, 5 errno-spoilt, 6 call-failed")                                            \
    W(RECORD_OP_INIT, 64, "lock, condition or once")                                               \
    W(RECORD_OP_BARRIER_INIT, 65, "barrier; other: parties")                                       \
    W(RECORD_OP_SEM_INIT, 66, "semaphore; other: count")                                           \
    W(RECORD_OP_MAP, 67, "address; other: length")                                                 \
    W(RECORD_OP_UNMAP, 68, "address; other: length")                                               \
    W(RECORD_OP_HANDLER_BEGIN, 69, "")                                                             \
    W(RECORD_OP_HANDLER_END, 70, "")

/* The low five bits of a record's first byte: W(name, number, what follows). */
#define WIRE_RECORDS(W)                                                                            \
    W(RECORD_END, 0, "nothing: unwritten space, the stream ends here")                             \
    W(RECORD_NODE, 1, "varint parent node, zigzag pc delta")                                       \
    W(RECORD_SITE, 2, "varint slot, byte op, byte size, zigzag pc delta, varint node")             \
    W(RECORD_SINGLE, 3, "varint slot, varint tick gap, zigzag address delta [, varint value]")     \
    W(RECORD_RUN, 4, "varint slot, four bytes: count")                                             \
    W(RECORD_RANGE, 5, "varint slot, varint tick gap, zigzag address delta, varint length")        \
    W(RECORD_CHUNK, 6, "varint stamp delta")                                                       \
    W(RECORD_SYNC, 7,                                                                              \
      "varint slot, varint stamp delta, zigzag address delta [, varint other] [, varint value]")   \
    W(RECORD_PAD, 8, "four bytes: how many to skip behind them")                                   \
    W(RECORD_NAME, 9, "varint address of a label, byte length, so many bytes")

/* Bits: W(name, value, meaning). */
#define WIRE_BITS(W)                                                                               \
    W(RECORD_TYPE_MASK, 0x1f, "of a record's first byte: its type")                                \
    W(RECORD_TRY, 0x20, "of a SYNC record: a try or timed form; of an atomic: repeats a load")     \
    W(RECORD_FAILED, 0x40, "of a SYNC record: it had no effect")                                   \
    W(RECORD_VALUE, 0x80, "of a SYNC or SINGLE record: a value follows")                           \
    W(RECORD_SIZE_MASK, 0x1f, "of an atomic's site: its size")                                     \
    W(RECORD_ORDER_SHIFT, 5, "of an atomic's site: its memory order, from this bit")               \
    W(ORDER_RELAXED, 0, "memory order")                                                            \
    W(ORDER_CONSUME, 1, "memory order")                                                            \
    W(ORDER_ACQUIRE, 2, "memory order")                                                            \
    W(ORDER_RELEASE, 3, "memory order")                                                            \
    W(ORDER_ACQ_REL, 4, "memory order")                                                            \
    W(ORDER_SEQ_CST, 5, "memory order")                                                            \
    W(STREAM_MAIN, 1, "of a header: the thread that ran main(), or called fork()")                 \
    W(STREAM_EXTERNAL, 2, "of a header: not created by pthread_create")                            \
    W(STREAM_ENDED, 4, "of a header: the thread has come to its end")                              \
    W(ENCODING_SITES, 2048, "slots of a stream")                                                   \
    W(ENCODING_CHUNK_TICKS, 32768, "accesses between two stamps, at most")                         \
    W(ENCODING_LABEL_MAX, 64, "bytes of a label, at most")

/* The header of a stream: W(field, offset, bytes). */
#define WIRE_HEADER(W)                                                                             \
    W(magic, 0, 8)                                                                                 \
    W(version, 8, 4)                                                                               \
    W(flags, 12, 4)                                                                                \
    W(number, 16, 4)                                                                               \
    W(parent, 20, 4)                                                                               \
    W(child, 24, 4)                                                                                \
    W(kernel_thread, 28, 4)                                                                        \
    W(stack_low, 32, 8)                                                                            \
    W(stack_high, 40, 8)                                                                           \
    W(wish_object, 48, 8)                                                                          \
    W(wish_other, 56, 8)                                                                           \
    W(wish_pc, 64, 8)                                                                              \
    W(wish_node, 72, 4)                                                                            \
    W(wish, 76, 4)                                                                                 \
    W(reserved, 80, 32)

/* Operations of enum event_op that are on disk have lower numbers than this. */
#define WIRE_EVENT_OPS 42

#define W(name, value, text)                                                                       \
    _Static_assert((int)(name) == (value), #name " is part of the format: see the head of "        \
                                                 "wire.h");
WIRE_OPS(W)
WIRE_RECORDS(W)
WIRE_BITS(W)
#undef W
#define W(field, offset, bytes)                                                                    \
    _Static_assert(offsetof(struct stream_header, field) == (offset) &&                            \
                       sizeof(((struct stream_header *)0)->field) == (bytes),                      \
                   #field " is part of the format: see the head of wire.h");
WIRE_HEADER(W)
#undef W

#define W(name, value, text) +1
_Static_assert(0 WIRE_RECORDS(W) == RECORD_TYPES, "a type of record without a number in wire.h");
_Static_assert(0 WIRE_OPS(W) == WIRE_EVENT_OPS + RECORD_OP_LIMIT - RECORD_OP_INIT,
               "an operation without a number in wire.h");
#undef W

#endif
