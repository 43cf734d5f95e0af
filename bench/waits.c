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

static void say(struct program *program, unsigned thread, const char *operation, const char *line)
{
    printf("T%u|%s|%s%s\n", thread + 1, operation, thread < PAIRS ? "produce:" : "consume:", line);
    program->events++;
}

/* All of the other side that wait, as a signal finds them: the first one is chosen. */
static void choose(struct program *program, bool producers)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        struct thread *thread = &program->threads[producers ? i : PAIRS + i];
        if (thread->waiting && !thread->chosen) {
            thread->chosen = true;
            return;
        }
    }
}

/* One step of a thread of the buffer; false if it has to wait. */
static bool step_buffer(struct program *program, unsigned at)
{
    struct thread *thread = &program->threads[at];
    bool produces = at < PAIRS;
    bool blocked = produces ? program->filled == CAPACITY : !program->filled;
    if (thread->waiting) {
        if (!thread->chosen || program->owner)
            return false;
        thread->waiting = thread->chosen = false;
        program->owner = at + 1;
        say(program, at, produces ? "woken(not_full,m)" : "woken(not_empty,m)", "3");
        thread->at = 1;
        return true;
    }
    switch (thread->at) {
    case 0:
        if (program->owner)
            return false;
        program->owner = at + 1;
        say(program, at, "acq(m)", "1");
        break;
    case 1:
        say(program, at, "r(count)", "2");
        break;
    case 2:
        if (blocked) {
            say(program, at, produces ? "wait(not_full,m)" : "wait(not_empty,m)", "3");
            thread->waiting = true;
            program->owner = 0;
            return true;
        }
        program->filled += produces ? 1u : -1u;
        say(program, at, "w(count)", "4");
        break;
    case 3:
        choose(program, !produces);
        say(program, at, produces ? "notify(not_empty)" : "notify(not_full)", "5");
        break;
    default:
        program->owner = 0;
        say(program, at, "rel(m)", "6");
        thread->at = 0;
        return true;
    }
    thread->at++;
    return true;
}

static bool step_semaphores(struct program *program, unsigned at)
{
    struct thread *thread = &program->threads[at];
    bool produces = at < PAIRS;
    unsigned *taken = produces ? &program->free_places : &program->filled;
    switch (thread->at) {
    case 0:
        if (!*taken)
            return false;
        --*taken;
        say(program, at, produces ? "semwait(empty)" : "semwait(full)", "1");
        break;
    case 1:
        if (program->owner)
            return false;
        program->owner = at + 1;
        say(program, at, "acq(m)", "2");
        break;
    case 2:
        say(program, at, produces ? "w(buffer)" : "r(buffer)", "3");
        break;
    case 3:
        program->owner = 0;
        say(program, at, "rel(m)", "4");
        break;
    default:
        ++*(produces ? &program->filled : &program->free_places);
        say(program, at, produces ? "post(full)" : "post(empty)", "5");
        thread->at = 0;
        return true;
    }
    thread->at++;
    return true;
}

static bool step_barriers(struct program *program, unsigned at)
{
    struct thread *thread = &program->threads[at];
    switch (thread->at % 3) {
    case 0:
        if (thread->at == 9) {
            if (program->leaving)
                return false;
            say(program, at, "enter(b)", "4");
            if (++program->entered == THREADS) {
                program->leaving = THREADS;
                program->entered = 0;
            }
            break;
        }
        if (program->owner)
            return false;
        program->owner = at + 1;
        say(program, at, "acq(m)", "1");
        break;
    case 1:
        if (thread->at == 10) {
            if (!program->leaving)
                return false;
            program->leaving--;
            say(program, at, "exit(b)", "5");
            thread->at = 0;
            return true;
        }
        say(program, at, "w(sum)", "2");
        break;
    default:
        program->owner = 0;
        say(program, at, "rel(m)", "3");
        break;
    }
    thread->at++;
    return true;
}

typedef bool step(struct program *program, unsigned at);

/* Everybody ends the round it is in, as far as it comes. */
static void finish(struct program *program, step *take)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (unsigned at = 0; at < THREADS; at++)
            while (program->threads[at].at && take(program, at))
                moved = true;
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        step *step;
    } kinds[] = {
        {"buffer", step_buffer}, {"semaphores", step_semaphores}, {"barriers", step_barriers}};
    unsigned long events = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
    struct program program = {.random = {argc > 3 ? strtoul(argv[3], NULL, 10) : 1},
                              .free_places = CAPACITY};
    for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        for (unsigned t = 0; t < THREADS; t++)
            printf("T0|fork(T%u)|main:1\n", t + 1);
        for (unsigned t = 0; t < CAPACITY && kinds[i].step == step_semaphores; t++)
            printf("T0|post(empty)|main:2\n");
        for (unsigned at = 0; program.events < events;)
            if (!kinds[i].step(&program, at) || random_chance(&program.random, 30))
                at = random_below(&program.random, THREADS);
        finish(&program, kinds[i].step);
        return 0;
    }
    fputs("usage: waits buffer|semaphores|barriers [EVENTS [SEED]]\n", stderr);
    return 2;
}
