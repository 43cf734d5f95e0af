/* SPDX-License-Identifier: MIT */
/* What the tool tells a replayed target, and what it hears back: the boundary
 * between src/replay and src/runtime. Integers and text only.
 *
 * A schedule is a text file, one item a line:
 *
 *     preplay-schedule 3
 *     thread N PATH            numbers threads; PATH is the name in the trace (T0.2.1)
 *     step N I OP [failed|beside]
 *                              thread N performs its I-th scheduled operation; OP is its
 *                              word in text traces, or `any`; `beside`: this step and the
 *                              one before it may come in either order
 *     access N I OP OFFSET MODULE
 *                              (--fine) after I scheduled operations, thread N makes the
 *                              access OP by the code at MODULE+OFFSET; a step like others
 *     target N I OP [OFFSET MODULE]
 *                              where thread N stands at the end: about to perform its
 *                              I-th operation (a blocking acquire), or, for r and w,
 *                              an access by the code at MODULE+OFFSET before that
 *     first I                  of the targets of a race, from 0: whose access is made first; the
 *                              other one's follows before anything else. Without this line both
 *                              are let go at once
 *     end
 *
 * Steps are in order; the steps of a thread are its operations 0, 1, 2 ... without
 * gaps. Scheduled are the operations OPS_SCHEDULED; everything else runs freely.
 *
 * The control block is a file that both processes map. */
#ifndef PREPLAY_TRACE_SCHEDULE_H
#define PREPLAY_TRACE_SCHEDULE_H

#include "trace/event.h"

#define SCHEDULE_VERSION 3

/* What a schedule lists: synchronisation, but for atomics, whose number differs
 * from run to run where a program spins; and what misuse is made of. */
#define OPS_SCHEDULED ((OPS_SYNC & ~(OPS_ATOMIC | OP_BIT(EVENT_FENCE))) | (OPS_MISUSE & ~OPS_NOTED))

enum {
    CONTROL_VERSION = 3,
    CONTROL_TARGETS = 64,
    CONTROL_MESSAGE = 512,
    CONTROL_THREADS = 4096,
};

enum control_state {
    CONTROL_WAITING,  /* the target has not read its schedule yet */
    CONTROL_RUNNING,  /* it follows the schedule */
    CONTROL_REACHED,  /* every target thread stands where it should */
    CONTROL_DIVERGED, /* a thread did something else; `message` says what */
    CONTROL_REFUSED,  /* the schedule cannot be read; `message` says why */
};

/* Where a thread of the schedule is, for the watchdog. */
enum control_where {
    CONTROL_ELSEWHERE,  /* on its way, or asleep in something that schedules do not list */
    CONTROL_AT_GATE,    /* waiting for its turn */
    CONTROL_PERFORMING, /* it is its turn: inside the operation */
};

/* Set in `turn` when the gates open: a change that is no step, so that who waits for it wakes up.
 * No position has it. */
#define CONTROL_FREE_BIT (1u << 31)

/* At a race, if the schedule says whose access comes first: how far the two are. */
enum control_stage {
    CONTROL_APART,  /* not there yet, or nobody is to go first */
    CONTROL_FIRST,  /* the first one makes its access, the other one stands before its own */
    CONTROL_SECOND, /* the first has made it and stands behind it: now the other one */
    CONTROL_BOTH,   /* both are made: the gates are open */
};

/* A signal that ends the process, as the thread that it hit tells of it. */
struct control_crash {
    _Atomic uint32_t state; /* 0: none; 1: the thread waits to be looked at; 2: it was. A futex */
    int32_t signal;
    uint32_t kernel_thread;
    uint64_t address, pc;
    char thread[64]; /* its name in the schedule; empty: the schedule does not know it */
};

struct control_target {
    _Atomic uint32_t arrived; /* 1 while the thread stands there */
    _Atomic uint32_t blocked; /* 1 while it is inside the blocking call */
    _Atomic uint32_t kernel_thread;
    uint32_t size;
    uint64_t address; /* of the access */
    /* What was there when the access was made and right after it, as far as `known`. */
    uint64_t before, after;
    uint8_t known; /* 1: before, 2: after */
    char thread[63];
};

struct replay_control {
    uint32_t version;
    uint32_t process; /* who follows the schedule; if it calls exec, it begins anew */
    uint32_t hold;    /* set by the tool: stop with SIGTRAP at the error, for a debugger */
    _Atomic uint32_t state;
    _Atomic uint32_t turn; /* steps performed; a futex */
    _Atomic uint32_t free; /* 1: the gates are open, the program runs as it likes; a futex */
    _Atomic uint32_t targets_missed;
    _Atomic uint32_t stage; /* enum control_stage; a futex */
    uint32_t left_thread;   /* of a divergence, or a missed target: the thread's number ... */
    uint32_t left_index;    /* ... and which of its operations */
    struct control_crash crash;
    struct control_target targets[CONTROL_TARGETS];
    _Atomic uint8_t where[CONTROL_THREADS]; /* by thread number: enum control_where */
    char message[CONTROL_MESSAGE];
};

#endif
