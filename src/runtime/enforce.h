/* SPDX-License-Identifier: MIT */
/* The enforcing half of the runtime: holds threads back until their turn comes.
 *
 * The schedule (trace/schedule.h) says which thread performs the next operation.
 * A thread that comes to an operation waits, asleep in a futex, until that is its
 * own next step; the recorder's note of the operation is what completes the step
 * and passes the turn on. Who has performed all its steps waits until the error is
 * reached. Between operations threads run freely and in parallel.
 *
 * Recording goes on: the trace of the replayed run, which knows nothing of these
 * waits, is what the happens-before detector looks at afterwards. */
#ifndef PREPLAY_RUNTIME_ENFORCE_H
#define PREPLAY_RUNTIME_ENFORCE_H

#include "runtime/recorder.h"

enum outcome {
    OUTCOME_OPEN,    /* not scheduled: do as you would */
    OUTCOME_SUCCEED, /* the operation succeeds; a try form may as well block for it */
    OUTCOME_FAIL,    /* a try or timed form that fails */
};

extern bool enforce_active;

/* Reads the schedule named by the environment, if any. */
void enforce_start(void);
/* In a forked child: its parent follows the schedule, it does not. */
void enforce_forget(void);

/* A thread begins: finds its steps by its creation path. */
void enforce_thread(struct recorder *self, uint64_t path);
/* The path of the n-th thread created by the thread with this path. */
uint64_t enforce_child_path(uint64_t path, uint32_t child);
#define ENFORCE_MAIN_PATH UINT64_C(0x9e3779b97f4a7c15)

/* Waits for the turn of the thread's next operation. */
enum outcome enforce_approach(struct recorder *self, unsigned op);
/* If a deadlock is to be reached at the thread's next operation, stands there until all
 * others are at theirs. For waits whose end comes after they have blocked. */
void enforce_stand(struct recorder *self);
/* The operation happened, or is about to: the turn passes on. */
void enforce_passed(struct recorder *self, unsigned op);
/* An access that is being recorded. */
void enforce_access(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                    uintptr_t pc);
/* Before an atomic operation (fine schedules order them), and once it is made. A
 * compare-and-exchange, of which it is not known yet what it will be, is an rmw. */
void enforce_atomic(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                    uintptr_t pc);
void enforce_atomic_made(struct recorder *self);
/* If the next step is an atomic operation here, waits for its turn, and leaves it to be made. */
void enforce_approach_atomic(struct recorder *self, uintptr_t pc);
/* True if the thread's wait for a condition is to be played, not performed. */
bool enforce_plays_wait(const struct recorder *self);
/* True while the schedule has the thread do something else than end its wait. */
bool enforce_leaves_wait(const struct recorder *self);
/* A blocking call that a target stands for begins and ends. */
void enforce_blocking(struct recorder *self, bool blocked);

#endif
