/* SPDX-License-Identifier: MIT */
/* Whose turn it is in an OpenMP loop: ordered sections, the iterations of a loop that wait for
 * others (doacross), and what one thread has for all. */
#include "runtime/openmp.h"

#include <stdarg.h>

/* Iterations take turns in an ordered section. */
EXPORT void GOMP_ordered_start(void);
EXPORT void GOMP_ordered_start(void)
{
    FIND(void, GOMP_ordered_start, (void));
    next();
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->ordered, CALLER);
}

EXPORT void GOMP_ordered_end(void);
EXPORT void GOMP_ordered_end(void)
{
    FIND(void, GOMP_ordered_end, (void));
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_RMW, &openmp_region->ordered, CALLER);
    next();
}

/* One thread runs the block of a single with copyprivate, and gets NULL; the others wait for
 * what it has. */
EXPORT void *GOMP_single_copy_start(void);
EXPORT void *GOMP_single_copy_start(void)
{
    FIND(void *, GOMP_single_copy_start, (void));
    void *data = next();
    if (data && openmp_region)
        sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->copied, CALLER);
    return data;
}

EXPORT void GOMP_single_copy_end(void *data);
EXPORT void GOMP_single_copy_end(void *data)
{
    FIND(void, GOMP_single_copy_end, (void *));
    if (openmp_region)
        sync_edge(EVENT_ATOMIC_RMW, &openmp_region->copied, CALLER);
    next(data);
}

/* An iteration says that it is done, and others wait for it. Which ones is not looked at: whoever
 * has waited comes after all that were done. */
#define DONE(name, number)                                                                         \
    EXPORT void name(number *iteration);                                                           \
    EXPORT void name(number *iteration)                                                            \
    {                                                                                              \
        FIND(void, name, (number *));                                                              \
        if (openmp_region)                                                                         \
            sync_edge(EVENT_ATOMIC_RMW, &openmp_region->ordered, CALLER);                          \
        next(iteration);                                                                           \
    }

DONE(GOMP_doacross_post, long)
DONE(GOMP_doacross_ull_post, unsigned long long)

/* libgomp knows how many numbers name an iteration, one for each loop inside the other. */
#define AWAIT(name, number)                                                                        \
    EXPORT void name(number first, ...);                                                           \
    EXPORT void name(number first, ...)                                                            \
    {                                                                                              \
        FIND(void, name, (number, ...));                                                           \
        number n[11];                                                                              \
        va_list more;                                                                              \
        va_start(more, first);                                                                     \
        for (unsigned i = 0; i < sizeof n / sizeof *n; i++)                                        \
            n[i] = va_arg(more, number);                                                           \
        va_end(more);                                                                              \
        next(first, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]);            \
        if (openmp_region)                                                                         \
            sync_edge(EVENT_ATOMIC_LOAD, &openmp_region->ordered, CALLER);                         \
    }

AWAIT(GOMP_doacross_wait, long)
AWAIT(GOMP_doacross_ull_wait, unsigned long long)
