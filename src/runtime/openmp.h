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
    char begun, ended; /* `ended` is for tasks, too: barriers wait for them */
    char barrier[2];   /* in turn, since who is late at one may meet who is early at the next */
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

/* Is this a place in libgomp? What that does to its own memory it orders by itself. */
bool openmp_holds(uintptr_t pc);

#define FIND(result, name, parameters)                                                             \
    static result(*next) parameters;                                                               \
    if (unlikely(!next))                                                                           \
    *(void **)(void *)&next = openmp_find(#name)

#endif
