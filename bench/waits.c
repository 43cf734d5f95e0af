/* SPDX-License-Identifier: MIT */
/* A seeded generator of .std traces whose threads wait for more than locks, as programs do:
 *   buffer      producers and consumers, a mutex, two condition variables and a predicate
 *   semaphores  the same with two counting semaphores
 *   barriers    workers that meet after every phase
 * All are free of deadlocks in every correct reordering that keeps what was read.
 *
 *     waits KIND [EVENTS [SEED]] */
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 4, THREADS = 2 * PAIRS, CAPACITY = 4 };

struct thread {
    unsigned at;  /* step of its round */
    bool waiting; /* at the condition, not chosen yet */
    bool chosen;
};

struct program {
    struct random random;
    struct thread threads[THREADS];
    unsigned owner;  /* of the mutex: thread + 1 */
    unsigned filled; /* places of the buffer, posts of full */
    unsigned free_places;
    unsigned entered, leaving;
    unsigned long events;
};

/* Of a thread's step: it has to wait, it is none of this round, it happens now. */
enum outcome { NOT_NOW, SKIPPED, HAPPENS };
typedef enum outcome attempt(struct program *program, unsigned at);

struct step {
    attempt *attempt;
    const char *produces, *consumes; /* what a producer does, and a consumer */
    unsigned line;
};

static bool is_producer(unsigned at)
{
    return at < PAIRS;
}

static enum outcome just_do(struct program *program, unsigned at)
{
    (void)program, (void)at;
    return HAPPENS;
}

static enum outcome lock(struct program *program, unsigned at)
{
    if (program->owner)
        return NOT_NOW;
    program->owner = at + 1;
    return HAPPENS;
}

static enum outcome unlock(struct program *program, unsigned at)
{
    (void)at;
    program->owner = 0;
    return HAPPENS;
}

static enum outcome begin_wait(struct program *program, unsigned at)
{
    if (is_producer(at) ? program->filled < CAPACITY : program->filled > 0)
        return SKIPPED;
    program->threads[at].waiting = true;
    program->owner = 0;
    return HAPPENS;
}

/* Then it looks at the count again. */
static enum outcome end_wait(struct program *program, unsigned at)
{
    struct thread *thread = &program->threads[at];
    if (!thread->waiting)
        return SKIPPED;
    if (!thread->chosen || program->owner)
        return NOT_NOW;
    *thread = (struct thread){.at = 0};
    return lock(program, at);
}

static enum outcome count(struct program *program, unsigned at)
{
    program->filled += is_producer(at) ? 1u : -1u;
    return HAPPENS;
}

/* Of those of the other side that wait the first one is chosen. */
static enum outcome notify(struct program *program, unsigned at)
{
    struct thread *others = &program->threads[is_producer(at) ? PAIRS : 0];
    for (unsigned i = 0; i < PAIRS; i++)
        if (others[i].waiting && !others[i].chosen) {
            others[i].chosen = true;
            break;
        }
    return HAPPENS;
}

static enum outcome take(struct program *program, unsigned at)
{
    unsigned *count = is_producer(at) ? &program->free_places : &program->filled;
    if (!*count)
        return NOT_NOW;
    --*count;
    return HAPPENS;
}

static enum outcome post(struct program *program, unsigned at)
{
    ++*(is_producer(at) ? &program->filled : &program->free_places);
    return HAPPENS;
}

static enum outcome enter(struct program *program, unsigned at)
{
    (void)at;
    if (program->leaving)
        return NOT_NOW;
    if (++program->entered == THREADS) {
        program->leaving = THREADS;
        program->entered = 0;
    }
    return HAPPENS;
}

static enum outcome leave(struct program *program, unsigned at)
{
    (void)at;
    if (!program->leaving)
        return NOT_NOW;
    program->leaving--;
    return HAPPENS;
}

#define BOTH(text) text, text
#define ADD_TO_SUM                                                                                 \
    {lock, BOTH("acq(m)"), 1}, {just_do, BOTH("w(sum)"), 2},                                       \
    {                                                                                              \
        unlock, BOTH("rel(m)"), 3                                                                  \
    }

/* A round of a thread, which it begins again at its end. */
static const struct kind {
    const char *name;
    struct step steps[12];
} kinds[] = {
    {"buffer",
     {{lock, BOTH("acq(m)"), 1},
      {just_do, BOTH("r(count)"), 2},
      {begin_wait, "wait(not_full,m)", "wait(not_empty,m)", 3},
      {end_wait, "woken(not_full,m)", "woken(not_empty,m)", 3},
      {count, BOTH("w(count)"), 4},
      {notify, "notify(not_empty)", "notify(not_full)", 5},
      {unlock, BOTH("rel(m)"), 6}}},
    {"semaphores",
     {{take, "semwait(empty)", "semwait(full)", 1},
      {lock, BOTH("acq(m)"), 2},
      {just_do, "w(buffer)", "r(buffer)", 3},
      {unlock, BOTH("rel(m)"), 4},
      {post, "post(full)", "post(empty)", 5}}},
    {"barriers",
     {ADD_TO_SUM,
      ADD_TO_SUM,
      ADD_TO_SUM,
      {enter, BOTH("enter(b)"), 4},
      {leave, BOTH("exit(b)"), 5}}},
};

/* One step of a thread; false if it has to wait. */
static bool advance(struct program *program, const struct kind *kind, unsigned at)
{
    struct thread *thread = &program->threads[at];
    const struct step *step = &kind->steps[thread->at];
    enum outcome outcome;
    while ((outcome = step->attempt(program, at)) == SKIPPED)
        step = &kind->steps[++thread->at];
    if (outcome == NOT_NOW)
        return false;
    printf("T%u|%s|%s:%u\n", at + 1, is_producer(at) ? step->produces : step->consumes,
           is_producer(at) ? "produce" : "consume", step->line);
    program->events++;
    if (!kind->steps[++thread->at].attempt)
        thread->at = 0;
    return true;
}

/* Everybody ends the round it is in, as far as it comes. */
static void finish(struct program *program, const struct kind *kind)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned at = 0; at < THREADS; at++)
            while (program->threads[at].at && advance(program, kind, at))
                moved = true;
    }
}

int main(int argc, char **argv)
{
    unsigned long events = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
    struct program program = {.random = {argc > 3 ? strtoul(argv[3], NULL, 10) : 1},
                              .free_places = CAPACITY};
    for (const struct kind *kind = kinds; argc > 1 && kind < kinds + sizeof kinds / sizeof *kinds;
         kind++) {
        if (strcmp(argv[1], kind->name) != 0)
            continue;
        for (unsigned t = 0; t < THREADS; t++)
            printf("T0|fork(T%u)|main:1\n", t + 1);
        for (unsigned t = 0; t < CAPACITY && kind->steps[0].attempt == take; t++)
            printf("T0|post(empty)|main:2\n");
        for (unsigned at = 0; program.events < events;)
            if (!advance(&program, kind, at) || random_chance(&program.random, 30))
                at = random_below(&program.random, THREADS);
        finish(&program, kind);
        return 0;
    }
    fputs("usage: waits buffer|semaphores|barriers [EVENTS [SEED]]\n", stderr);
    return 2;
}
