/* SPDX-License-Identifier: MIT */
/* What regions (openmp.c) and tasks (openmp_tasks.c) of OpenMP know of each other. Everything
 * that orders threads is announced as edges (sync_edge): of what they are made only the
 * addresses matter. */
#ifndef PREPLAY_RUNTIME_OPENMP_H
#define PREPLAY_RUNTIME_OPENMP_H

#include "runtime/real.h"
#include "runtime/wish.h"

struct region {
    void *reductions; /* of tasks: libgomp reads them in the first word of a region's data */
    void (*run)(void *);
    void *data;
    char begun, ended;
    char tasks;      /* released by each that ends: barriers wait for them */
    char barrier[2]; /* in turn, since who is late at one may meet who is early at the next */
    char ordered, copied;
    uintptr_t pc;
    const struct recorder *creator;
};

/* The task that a thread is in; the part of a region that it runs is one. */
struct task {
    const char *children; /* what those that it creates release when they end */
    const char *group;    /* the same of all in its innermost group; NULL: none */
};

/* The region that this thread is in. */
extern __thread struct region *openmp_region __attribute__((tls_model("initial-exec")));
extern __thread struct task openmp_task __attribute__((tls_model("initial-exec")));

/* An address that no other task has, for as long as that matters. */
const char *openmp_token(void);

/* libgomp's function of this name. */
void *openmp_find(const char *name);

/* The library gives the thread something of the program's to do, and takes it back: only in between
 * does it count what a thread of the library's waits for. */
uint8_t openmp_listen(void);
void openmp_listen_no_more(uint8_t before);
/* A thread's part of a region (struct region), from its beginning to its end. */
void openmp_run_part(void *region);
/* What the thread does before a barrier, and behind it; NULL outside of any region. */
const char *openmp_reach_barrier(uintptr_t pc);
void openmp_pass_barrier(const char *round, uintptr_t pc);
/* What the tasks release that the calling thread's task creates. */
const char *openmp_children(void);
/* A group of tasks begins; it ends once all are done. */
void openmp_begin_group(void);
void openmp_end_group(uintptr_t pc);

/* Is this a place in libgomp? What that does to its own memory it orders by itself. */
bool openmp_holds(uintptr_t pc);

#define FIND(result, name, parameters)                                                             \
    static result(*next) parameters;                                                               \
    if (unlikely(!next))                                                                           \
    *(void **)(void *)&next = openmp_find(#name)

#endif
