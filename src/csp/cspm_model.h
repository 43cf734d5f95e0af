/* SPDX-License-Identifier: MIT */
/* What the parts of the CSPM writer share. */
#ifndef PREPLAY_CSP_CSPM_MODEL_H
#define PREPLAY_CSP_CSPM_MODEL_H

#include "csp/cspm_names.h"
#include "trace/history.h"

#include <stdio.h>

enum cspm_channel {
    CHANNEL_START,
    CHANNEL_END,
    CHANNEL_FORK,
    CHANNEL_JOIN,
    CHANNEL_READ,
    CHANNEL_WRITE,
    CHANNEL_ATOMIC_READ,
    CHANNEL_ATOMIC_WRITE,
    CHANNEL_LOAD,
    CHANNEL_STORE,
    CHANNEL_RMW,
    CHANNEL_LOCK,
    CHANNEL_UNLOCK,
    CHANNEL_LOCKFAIL,
    CHANNEL_RDLOCK,
    CHANNEL_RDUNLOCK,
    CHANNEL_RDFAIL,
    CHANNEL_WRLOCK,
    CHANNEL_WRUNLOCK,
    CHANNEL_WRFAIL,
    CHANNEL_WAIT,
    CHANNEL_WOKEN,
    CHANNEL_SPURIOUS,
    CHANNEL_SIGNAL,
    CHANNEL_BROADCAST,
    CHANNEL_BARRIER_ENTER,
    CHANNEL_BARRIER_EXIT,
    CHANNEL_POST,
    CHANNEL_SEMWAIT,
    CHANNEL_SEMFAIL,
    CHANNEL_ONCE_BEGIN,
    CHANNEL_ONCE_END,
    CHANNEL_ONCE_PASS,
    /* Said by threads about themselves, for the assertion of deadlocks (cspm_stuck.c). */
    CHANNEL_OPTIONAL,    /* what comes next never waits: a try, an atomic load */
    CHANNEL_LAST_SIGNAL, /* the thread has no signal of the condition left */
    CHANNEL_LAST_POST,
    CHANNEL_COUNT,
};

/* One CSP event of a thread process. */
struct cspm_event {
    enum cspm_channel channel;
    uint32_t object;
    uint32_t first, second; /* numbers of writes: load, store, rmw */
};

struct cspm_model {
    FILE *out;
    const struct history *history;
    struct cspm_names names;
    bool per_pair;
    bool *shared;               /* by variable: two threads, one of which writes */
    bool *atomic;               /* by variable: some thread uses it atomically */
    bool *rwlock;               /* by lock */
    bool *forked, *joined;      /* by thread */
    bool *last_help;            /* by pos: its thread's last signal, or post, of the object */
    bool *semaphore_locks;      /* by semaphore, or NULL: model/semaphore_locks.h */
    bool plain;                 /* threads that stop wait for each other: no need of cspm_stuck.c */
    uint32_t *write_number;     /* by pos: of a write of an atomic variable, from 1 */
    const uint32_t *reads_from; /* by pos */
    uint32_t *instance_barrier; /* by barrier instance */
    uint32_t most_writes;
    bool used[CHANNEL_COUNT];
    /* The thread process being written. */
    uint32_t thread, on_line;
};

/* Objects of a class that occur in events of these channels, as a set. */
const char *cspm_channel_name(enum cspm_channel channel);

/* "use_3": a use of a barrier. */
void cspm_write_instance(FILE *out, uint32_t instance);
void cspm_write_thread(struct cspm_model *model, uint32_t thread);
/* Finds out what is used, by going through all threads without writing. */
void cspm_scan_threads(struct cspm_model *model);
/* The processes of all objects, and SYNC, their interleaving. */
void cspm_write_objects(struct cspm_model *model);
/* Those threads for which the array says so. */
void cspm_write_set_of_threads(struct cspm_model *model, const bool *members);

uint32_t cspm_count_posts(const struct history *history, uint32_t semaphore);

/* The pattern of a race, and the assertions that it is never met. */
void cspm_write_races(struct cspm_model *model);

/* Fills `plain`. */
void cspm_find_plain(struct cspm_model *model);
/* The assertion that no thread is stuck because of others. */
void cspm_write_stuck(struct cspm_model *model);

#endif
