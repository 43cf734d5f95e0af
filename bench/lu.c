/* SPDX-License-Identifier: MIT */
/* A trace of the size of Carril & Tichy's `lu`: 59.9 million captured events that come
 * down to 1,185 after the reduction, 138 of them synchronisation. Eight threads
 * factor a matrix in steps; all wait for each other at a barrier between two
 * steps, and each updates blocks of its own, over and over.
 *
 *     lu [EVENTS]     writes .std to standard output */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, STEPS = 8, BLOCKS = 15 };

static uint64_t written;

static void sync_event(unsigned thread, const char *op, const char *object, unsigned number)
{
    printf("T%u|%s(%s%u)|%s\n", thread, op, object, number, op);
    written++;
}

/* Each thread of a step sweeps over its blocks; the pivot block was finished in the
 * step before, by one thread, and is read by all. */
static void sweep(unsigned step, uint64_t repetitions)
{
    for (uint64_t i = 0; i < repetitions; i++)
        for (unsigned thread = 0; thread < THREADS; thread++) {
            for (unsigned block = 0; block < BLOCKS; block++)
                printf("T%u|w(b%u)|lu.c:40\n", thread, thread * BLOCKS + block);
            printf("T%u|r(p%u)|lu.c:41\n", thread, step);
            written += BLOCKS + 1;
        }
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 59857037;
    uint64_t repetitions = events / (THREADS * STEPS * (BLOCKS + 1));
    for (unsigned thread = 1; thread < THREADS; thread++)
        sync_event(0, "fork", "T", thread);
    for (unsigned step = 0; step < STEPS; step++) {
        printf("T%u|w(p%u)|lu.c:30\n", step % THREADS, step);
        for (unsigned thread = 0; thread < THREADS; thread++)
            sync_event(thread, "enter", "b", 0);
        for (unsigned thread = 0; thread < THREADS; thread++)
            sync_event(thread, "exit", "b", 0);
        sweep(step, repetitions ? repetitions : 1);
    }
    for (unsigned thread = 1; thread < THREADS; thread++)
        sync_event(0, "join", "T", thread);
    fprintf(stderr, "%llu events\n", (unsigned long long)written);
    return 0;
}
