/* SPDX-License-Identifier: MIT */
/* The CSP model of a window of the trace (Carril & Tichy, both papers, as
 * our `sync` extends them): one process a thread, one a synchronisation
 * object. What no other process takes part in is left out: plain accesses and
 * local events are no steps, so that a thread between two steps stands for all
 * the accesses of one of its segments. (Plain writes of a variable that is also
 * used atomically are steps: they change what the atomics see.)
 *
 * A process here is data: the thread's steps in program order, and for every
 * object who uses it how, and when. What may come next is product.h's. */
#ifndef PREPLAY_CSP_PROCESS_H
#define PREPLAY_CSP_PROCESS_H

#include "base/map.h"
#include "csp/window_start.h"

#define NO_PROCESS UINT32_MAX
#define NO_OBJECT  UINT32_MAX

/* How a step uses its object; three ways a class. */
enum use {
    USE_EXCLUSIVE = 0, /* locks */
    USE_SHARED = 1,
    USE_FAILED_TRY = 2,
    USE_CONDITION = 0, /* conditions: any operation */
    USE_SIGNAL = 1,
    USE_WAIT = 2,
    USE_POST = 0, /* semaphores */
    USE_TAKE = 1,
    USE_FAILED_TAKE = 2,
    USE_WRITE = 0, /* variables with atomics */
    USE_READ = 1,
    USE_ENTER = 0, /* barrier instances */
    USE_RUN = 0,   /* once: its end */
    USE_KINDS = 3,
};

/* One process' uses, as step numbers, ascending: uses[begin .. end). */
struct user {
    uint32_t process;
    uint32_t begin, end;
};

/* Who holds a lock at the start, and the step in which it lets go of it; UINT32_MAX if
 * that is none of the window. */
struct holder {
    uint32_t process;
    uint32_t release;
    bool shared;
};

struct users ARRAY_OF(struct user);
struct uses ARRAY_OF(uint32_t);
struct holders ARRAY_OF(struct holder);

struct object {
    enum object_class class;
    uint32_t id;            /* of its class; instance of a barrier */
    uint32_t initial;       /* count, last write, entered, or stage of a once */
    uint32_t parties;       /* of a barrier instance */
    uint32_t previous;      /* object of the instance before, or NO_OBJECT */
    struct holders holders; /* of a lock at the start */
    struct users users[USE_KINDS];
    struct uses uses[USE_KINDS];
};

struct step {
    uint32_t pos;
    uint8_t op;
    uint8_t flags;
    uint32_t object; /* or NO_OBJECT */
    uint32_t lock;   /* object of the lock acquired or released, or NO_OBJECT */
    uint32_t other;  /* fork, join: process of the other thread, or NO_PROCESS */
    uint32_t held;   /* locks held before the step: held[held .. held + held_count) */
    uint32_t held_count;
};

struct process {
    uint32_t thread;
    struct step *steps; /* length + 1: the last one stands for "no more steps" */
    uint32_t length;
    uint32_t begin;     /* index of the thread's first event in or after the window */
    uint32_t forker;    /* process that forks it inside the window, or NO_PROCESS */
    uint32_t fork_step; /* step of that process */
};

/* A step, by process and number. */
struct step_place {
    uint32_t process, at;
};

struct processes {
    const struct rules *rules;
    const struct window_start *start;
    uint32_t from, to; /* the window: positions from .. to - 1 */
    struct process *items;
    uint32_t count;
    struct map by_thread; /* thread -> process + 1 */
    struct object_list ARRAY_OF(struct object) objects;
    struct map by_object; /* (class, id) -> object + 1 */
    struct held_object {
        uint32_t object;
        bool shared;
    } * held;
    struct step *steps;
    struct step_places ARRAY_OF(struct step_place) observed; /* all steps, as observed */
};

struct processes *processes_create(const struct window_start *start, uint32_t to);
void processes_destroy(struct processes *processes);

/* The process of a thread; NO_PROCESS if it takes no part in the window. */
uint32_t processes_of_thread(const struct processes *processes, uint32_t thread);
/* The step at which the thread of `pos` stands when `pos` is its next event. */
uint32_t processes_step_of(const struct processes *processes, uint32_t pos);

/* The first step at or after `from` in which a user uses its object; UINT32_MAX
 * if there is none. */
uint32_t use_from(const struct object *object, enum use use, const struct user *user,
                  uint32_t from);

#endif
