/* SPDX-License-Identifier: MIT */
/* Equivalent traces a second, against the plain recursion of Sadowski's
 * Section 24.6 (at each place, try every event whose predecessors are placed) on
 * the same traces in the same run. Prints one line a trace. */
#include "base/memory.h"
#include "tiddle/dependence.h"
#include "tiddle/equivalent.h"
#include "tiddle/generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST UINT64_C(20000000) /* traces visited */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct recursion {
    const struct history *history;
    uint32_t *left;  /* by pos: predecessors not placed yet */
    uint32_t *order; /* what is placed */
    uint64_t visited, sum;
};

static void recurse(struct recursion *self, uint32_t place)
{
    uint32_t count = self->history->count;
    if (place == count) {
        self->visited++;
        self->sum += self->order[count / 2];
        return;
    }
    for (uint32_t pos = 0; pos < count && self->visited < MOST; pos++) {
        if (self->left[pos])
            continue;
        self->order[place] = pos;
        self->left[pos] = 1;
        for (uint32_t after = pos + 1; after < count; after++)
            if (events_depend(&self->history->events[pos], &self->history->events[after]))
                self->left[after]--;
        recurse(self, place + 1);
        for (uint32_t after = pos + 1; after < count; after++)
            if (events_depend(&self->history->events[pos], &self->history->events[after]))
                self->left[after]++;
        self->left[pos] = 0;
    }
}

static double rate_of_recursion(const struct history *history, uint64_t most)
{
    struct recursion self = {.history = history,
                             .left = NEW_ARRAY(uint32_t, history->count),
                             .order = NEW_ARRAY(uint32_t, history->count)};
    for (uint32_t pos = 0; pos < history->count; pos++)
        for (uint32_t before = 0; before < pos; before++)
            self.left[pos] += events_depend(&history->events[before], &history->events[pos]);
    self.visited = MOST - most; /* a share is enough to tell its speed */
    double start = now();
    recurse(&self, 0);
    double seconds = now() - start;
    double rate = (double)(self.visited - (MOST - most)) / seconds;
    free(self.left);
    free(self.order);
    return self.sum == UINT64_MAX ? 0 : rate;
}

static void measure(const char *text, uint64_t seed)
{
    struct error error = {0};
    struct shape shape;
    struct sample sample;
    if (shape_parse(&shape, text, &error) || sample_generate(&sample, &shape, seed, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    struct equivalents *equivalents = equivalents_create(sample.history);
    uint64_t visited = 0, sum = 0;
    double start = now();
    for (const uint32_t *order; visited < MOST && (order = equivalents_next(equivalents));) {
        sum += order[sample.history->count / 2];
        visited++;
    }
    double rate = (double)visited / (now() - start);
    equivalents_destroy(equivalents);
    double plain = rate_of_recursion(sample.history, MOST / 20);
    printf("%-42s %3u events %9llu traces %8.1f M/s  recursion %6.2f M/s  ratio %5.1f%s\n", text,
           sample.history->count, (unsigned long long)visited, rate * 1e-6, plain * 1e-6,
           rate / plain, sum == UINT64_MAX ? "!" : "");
    sample_free(&sample);
}

int main(void)
{
    measure("basic:events=20,threads=3", 1);
    measure("locks:events=30,threads=3", 2);
    measure("locks:events=100,threads=4,locks=4", 3);
    measure("all:events=40,threads=4", 4);
    measure("basic:events=200,threads=2,variables=4", 5);
    measure("all:events=1000,threads=8,locks=8,variables=20", 6);
    return 0;
}
