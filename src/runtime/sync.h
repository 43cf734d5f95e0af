/* SPDX-License-Identifier: MIT */
/* The one gate through which every synchronisation operation of the target goes:
 *
 *     struct sync sync = SYNC(EVENT_ACQUIRE, mutex);
 *     sync_before(&sync);
 *     int result = REAL(pthread_mutex_lock)(mutex);
 *     if (result == 0)
 *         sync_after(&sync);
 *
 * sync_before() may hold the thread back until the operation's turn comes
 * (replay). An operation that lets others go on (release, signal, post, fork) is
 * recorded by sync_before(), since after the operation it would be too late; all
 * others by sync_after(). An operation that failed is either not recorded
 * (no sync_after) or recorded with sync_failed().
 *
 * `sync_index` of the recorder counts these operations: (thread, sync_index) is
 * the name of an operation in every run that takes the same path. */
#ifndef PREPLAY_RUNTIME_SYNC_H
#define PREPLAY_RUNTIME_SYNC_H

#include "runtime/enforce.h"

struct sync {
    struct recorder *recorder; /* NULL: not recorded */
    uint8_t outcome;           /* enum outcome (enforce.h): what a schedule asks for */
    struct sync_record record;
};

#define SYNC_RECORDED_BEFORE                                                                       \
    (OPS_RELEASING | OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST) |                              \
     OP_BIT(EVENT_BARRIER_ENTER) | OP_BIT(EVENT_POST) | OP_BIT(EVENT_FORK) | OP_BIT(EVENT_END) |   \
     OP_BIT(EVENT_FREE) | OP_BIT(EVENT_ONCE_END) | OP_BIT(EVENT_BAD_WAIT) |                        \
     OP_BIT(EVENT_CONDITION_DESTROY) | OP_BIT(EVENT_BARRIER_DESTROY) |                             \
     OP_BIT(EVENT_SEMAPHORE_DESTROY))

#define SYNC(operation, on) SYNC_AT(operation, on, CALLER)
#define SYNC_AT(operation, on, caller)                                                             \
    (struct sync)                                                                                  \
    {                                                                                              \
        .recorder = recorder_self(), .record = {                                                   \
            .op = (uint8_t)(operation),                                                            \
            .object = (uintptr_t)(on),                                                             \
            .pc = (caller)                                                                         \
        }                                                                                          \
    }

void sync_before(struct sync *sync);
/* Its first half, which may hold the thread back: sync_note() is the other. */
void sync_approach(struct sync *sync);
/* For an operation that is recorded before it is performed and does not block: as
 * sync_before(), but the turn passes on with sync_done(), when it is performed, so that
 * whose turn it is next finds the lock free. */
void sync_begin(struct sync *sync);
static inline void sync_done(struct sync *sync)
{
    if (unlikely(enforce_active) && sync->recorder)
        enforce_passed(sync->recorder, sync->record.op);
}
void sync_after(struct sync *sync);
/* A try or timed form that did not get what it wanted. */
void sync_failed(struct sync *sync);

/* Around a call that may block: replay watches whether the threads of a deadlock
 * come back. */
#define sync_block(sync, call)                                                                     \
    ({                                                                                             \
        bool sync_watched = unlikely(enforce_active) && (sync)->recorder;                          \
        if (sync_watched)                                                                          \
            enforce_blocking((sync)->recorder, true);                                              \
        int sync_result = (call);                                                                  \
        if (sync_watched)                                                                          \
            enforce_blocking((sync)->recorder, false);                                             \
        sync_result;                                                                               \
    })

/* As sync_before(), and keeps the object's slot locked until sync_unlock(): for
 * operations that nobody owns while they happen. Only a call that cannot block
 * may stand between the two. */
void sync_before_locked(struct sync *sync);
void sync_unlock(struct sync *sync);

/* A happens-before edge from whoever releases an address (EVENT_ATOMIC_RMW) to whoever
 * acquires it later (EVENT_ATOMIC_LOAD): what an atomic operation makes. */
void sync_edge(unsigned op, const volatile void *address, uintptr_t pc);
/* The first half alone: whoever releases it so learns nothing of those who did before. */
void sync_release(const volatile void *address, uintptr_t pc);

/* The atomic operation by which code that is not instrumented makes something known that
 * instrumented code loads without a call: performed here, where it can be told, by setting `bits`
 * that the library sets, too. `size` is 1, 4 or 8. */
void sync_set_bits(void *address, unsigned size, uint64_t bits, uintptr_t pc);

/* The same where it cannot be performed here: right before the library does. */
void sync_publish(const void *address, unsigned size, uintptr_t pc);

/* The load by which such code has learnt what instrumented code stored: right after it. */
void sync_observe(const void *address, unsigned size, uintptr_t pc);

/* A new object begins at this address (enum record_op). */
void sync_note_init(unsigned op, const void *object, uintptr_t other, uintptr_t pc);

/* Says something of the thread beside its operations (OPS_NOTED, enum record_op); of a call that
 * breaks a rule, the object is the rule's number (enum bad_call). */
void sync_remark(unsigned op, uintptr_t object, uintptr_t pc);

/* Writes one stamped record and leaves the recorder; for whoever takes the stamp himself
 * (atomics). `entered` is what recorder_enter() answered before the stamp was taken: a signal
 * handler that comes between the two must not write its later stamp first. */
void sync_write(struct recorder *self, bool entered, struct sync_record *record);
/* Takes a stamp on the record's object and writes it: no gate. */
void sync_note(struct recorder *self, struct sync_record *record);
/* The same, and whoever waits for the operation's step in a schedule waits on. */
void sync_take_note(struct recorder *self, struct sync_record *record);

#endif
