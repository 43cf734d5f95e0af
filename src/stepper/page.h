/* SPDX-License-Identifier: MIT */
/* What the tool and a stepped program share: one mapping, which the program inherits as a file
 * descriptor (STEPPER_VARIABLE names it).
 *
 * A stepped program runs one thread at a time. Before each operation that another thread could
 * notice, a thread stops, and the schedule says who goes on; beyond its end a fixed rule does. So
 * a schedule and an input give the same run every time, and the events below are exact: every
 * access, in order, with what was read and written.
 *
 * The same numbers go with `tool` and `runtime` of one build: STEPPER_VERSION changes with them. */
#ifndef PREPLAY_STEPPER_PAGE_H
#define PREPLAY_STEPPER_PAGE_H

#include <stdint.h>

#define STEPPER_VARIABLE "PREPLAY_STEPPER"         /* the descriptor's number */
#define STEPPER_MODULES  "PREPLAY_STEPPER_MODULES" /* file for the load map; may be unset */
#define STEPPER_LINE     "PREPLAY_STEPPER_LINE"    /* descriptor of a socket; may be unset */
#define STEPPER_INPUT    "PREPLAY_STEPPER_INPUT"   /* file for standard input; may be unset */
#define STEPPER_MAGIC    UINT64_C(0x31726574736c7070)

enum { STEPPER_VERSION = 2, STEPPER_THREADS = 1024, STEPPER_TURNS = 1 << 16 };
enum { STEPPER_EVENTS = 1 << 20 }; /* of one run; what comes after them is not told */

/* Accesses are told word by word: one that crosses the border of eight bytes is two. */
enum step_op {
    STEP_NONE,
    STEP_READ,
    STEP_WRITE,
    STEP_UPDATE,   /* atomic: read and written, or only read by a compare that failed */
    STEP_FREE,     /* of a block at `object`, `made` bytes */
    STEP_LOCK,     /* blocks */
    STEP_TRY_LOCK, /* seen: 1 got it; also with a time limit */
    STEP_UNLOCK,
    STEP_READ_LOCK, /* blocks */
    STEP_TRY_READ_LOCK,
    STEP_WRITE_LOCK, /* blocks */
    STEP_TRY_WRITE_LOCK,
    STEP_UNLOCK_EITHER, /* of a readers-writer lock */
    STEP_QUEUE,         /* among the waiters of a condition variable */
    STEP_AWAKE,         /* blocks until woken; seen: 1 woken, 0 the time was over */
    STEP_SIGNAL,        /* made: the name of the waiter that it woke, or 0 */
    STEP_BROADCAST,
    STEP_ENTER, /* a barrier; made: how many it is for */
    STEP_LEAVE, /* blocks until all have entered */
    STEP_SET,   /* an object is made anew; made: its count (a semaphore's) */
    STEP_WAIT,  /* a semaphore; blocks */
    STEP_TRY_WAIT,
    STEP_POST,
    STEP_ONCE,      /* blocks while another is at it; seen: 1 this one does it */
    STEP_ONCE_DONE, /* made: 2, or 0 if it threw */
    STEP_FORK,      /* object: the new thread's name */
    STEP_JOIN,      /* the same; blocks */
    STEP_END,       /* of a thread; or of the process, if `made` is 1 */
    STEP_OPS
};

enum {
    STEP_TIMED = 1,    /* need not wait for ever */
    STEP_SPINS = 2,    /* a loop that changes nothing reads this again: see `loop` */
    STEP_ATOMIC = 4,   /* of accesses */
    STEP_ALONE = 8,    /* whoever else accesses this does so after this thread's end */
    STEP_CHANNEL = 16, /* of a pipe or a socket: an order between threads, and no choice */
};

struct step_event {
    uint8_t op, flags, offset, size; /* in the word */
    uint16_t thread;                 /* in page.threads */
    uint16_t loop;   /* STEP_SPINS: how many events of the thread ago it did so before */
    uint64_t object; /* address; of accesses that of the word */
    uint64_t seen;   /* accesses: the whole word before it */
    uint64_t made;   /* accesses: the whole word after it */
    uint64_t pc;
};

struct step_thread {
    uint64_t name;           /* from the path of its creation: the same in every run */
    uint32_t parent, number; /* the number-th that its parent made */
    uint32_t count;          /* of its events */
    uint32_t state;          /* enum step_state */
    struct step_event next;  /* what it stands before */
};

enum step_state { STEP_RUNS, STEP_STANDS, STEP_ENDED };

/* In a schedule: `thread` runs until it has made `count` events. The waiter that a signal among
 * them wakes is the oldest; that of the last event is `waiter`, the low half of its name, if that
 * is not 0. */
struct step_turn {
    uint64_t thread;
    uint32_t count, waiter;
};

enum step_end {
    STEP_UNFINISHED, /* it crashed or was killed */
    STEP_EXITED,
    STEP_DEADLOCK, /* no thread can go on */
    STEP_SPUN,     /* those that can only read the same again and again */
    STEP_HEAP,     /* misuse of the heap: `fault` says which */
};

enum step_fault { STEP_NO_FAULT, STEP_AFTER_FREE, STEP_DOUBLE_FREE };

enum step_unknown {
    STEP_BY_PROCESSES = 1,
    STEP_BY_SIGNALS = 2,
    STEP_BY_CANCELLING = 4,
    STEP_BY_INPUT = 8,    /* read by threads, from files or each other */
    STEP_BY_LIBRARY = 16, /* state that the C library shares between threads */
    STEP_BY_OTHERS = 32,
};

/* Where a program that is debugged stops with SIGTRAP: once, whichever comes first. */
enum step_trap {
    STEP_TRAP_TURNS = 1, /* when the schedule's last turn is over */
    STEP_TRAP_END = 2,   /* at its end, but for one by a signal, where the debugger stops anyway */
};

struct stepper_page {
    uint64_t magic;
    uint32_t version, turns;
    /* out */
    uint32_t end, events, threads, running;
    uint32_t turn;     /* how many turns were taken */
    uint32_t diverged; /* 1 + the turn that could not be taken; 0: none */
    uint32_t full, fault;
    uint32_t unknown; /* set of enum step_unknown: what a schedule does not command played a part */
    uint32_t process;
    uint32_t traps; /* in: set of enum step_trap */
    uint64_t fault_pc, fault_address;
    uint64_t patience; /* in: how often a thread alone may read the same before it is hung */
    struct step_thread thread[STEPPER_THREADS];
    struct step_turn schedule[STEPPER_TURNS];
    struct step_event event[STEPPER_EVENTS];
};

/* Over the line, a packet each. A program that has one is run as often as it is asked for: its
 * first process comes as far as its own code, and answers each STEPPER_RUN with a copy of itself.
 */
enum stepper_word {
    STEPPER_RUN,      /* to the program */
    STEPPER_ENDED,    /* the copy has, with `status`, and so has all that it started */
    STEPPER_NO_COPIES /* the first process itself is the run, and the only one */
};

struct stepper_packet {
    int32_t word, status; /* as from waitpid() */
};

#define STEPPER_MAIN UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t stepper_child(uint64_t parent, uint32_t number)
{
    uint64_t name = (parent ^ number) * UINT64_C(0xbf58476d1ce4e5b9);
    name ^= name >> 29;
    return name * UINT64_C(0x94d049bb133111eb) | 1;
}

#endif
