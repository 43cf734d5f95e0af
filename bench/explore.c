/* SPDX-License-Identifier: MIT */
/* Executions a second of a stepped program: copied for each run, and started for each run, in turn
 * in the same minute, so that the ratio does not depend on what else the machine does.
 *
 *     preplay cc -g tests/programs/explore/stack.c -o stack
 *     PREPLAY_LIBRARY=build/src/runtime build/bench/bench_explore ./stack */
#include "explore/stepping.h"
#include "target/copying.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, RUNS = 40 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int fail(const struct error *error)
{
    fprintf(stderr, "bench_explore: %s\n", error->text);
    return 1;
}

/* Runs it a number of times under the empty schedule; seconds, or -1. */
static double measure(struct stepping *stepping, const char *output, struct error *error)
{
    struct explore_backend backend = stepping_backend(stepping);
    double began = now();
    for (int i = 0; i < RUNS; i++) {
        struct stepped_run run;
        if (backend.run(backend.context, NULL, 0, output, &run, error))
            return -1;
    }
    return now() - began;
}

static int compare_ways(struct stepping *const ways[2], const char *output, struct error *error)
{
    double times[2][ROUNDS];
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < 2; way++) {
            times[way][round] = measure(ways[way], output, error);
            if (times[way][round] < 0)
                return -1;
        }
    for (int way = 0; way < 2; way++)
        qsort(times[way], ROUNDS, sizeof(double), compare);
    double copied = RUNS / times[0][ROUNDS / 2], started = RUNS / times[1][ROUNDS / 2];
    printf("copied %.0f runs/s, started %.0f runs/s, ratio %.2f\n", copied, started,
           copied / started);
    return 0;
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/bench_explore.XXXXXX", output[PATH_MAX];
    struct stepping *ways[2];
    struct error error = {0};
    if (argc < 2 || !mkdtemp(directory)) {
        fputs("Usage: bench_explore PROGRAM [ARG...]\n", stderr);
        return 1;
    }
    snprintf(output, sizeof output, "%s/output", directory);
    for (int way = 0; way < 2; way++) {
        struct stepping_wish wish = {.command = (const char *const *)argv + 1,
                                     .directory = directory,
                                     .anew = way == 1,
                                     .patience = 10};
        ways[way] = stepping_create(&wish, &error);
        if (!ways[way])
            return fail(&error);
    }
    int result = compare_ways(ways, output, &error) ? fail(&error) : 0;
    stepping_destroy(ways[0]);
    stepping_destroy(ways[1]);
    copy_remove(directory);
    return result;
}
