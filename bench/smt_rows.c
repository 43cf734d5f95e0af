/* SPDX-License-Identifier: MIT */
#include "bench/smt_rows.h"

#include "base/array.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>

const struct row rows[] = {
    {"Example run1", 3, 25, 4, 0, 6, 2, 0, 8, 2, 1, 0.01},
    {"Example run2", 3, 29, 8, 0, 6, 2, 0, 6, 0, 0, 0.01},
    {"Remote Agent", 3, 45, 12, 5, 6, 3, 4, 12, 4, 2, 0.01},
    {"connectionpool", 4, 85, 16, 5, 5, 1, 3, 21, 0, 0, 0.01},
    {"liveness.BugGen", 7, 241, 44, 6, 12, 9, 6, 138, 10, 1, 0.36},
    {"account #1", 6, 336, 82, 10, 17, 11, 5, 125, 45, 4, 0.09},
    {"account #2", 11, 651, 162, 20, 32, 21, 10, 250, 90, 9, 0.28},
    {"account #3", 21, 1281, 322, 40, 62, 41, 20, 500, 180, 19, 0.79},
    {"SyncBench #1", 2, 107, 22, 0, 3, 2, 0, 8, 2, 1, 0.01},
    {"SyncBench #2", 13, 722, 156, 0, 16, 3, 0, 805, 333, 40, 18.3},
    {"BarrierBench #1", 7, 407, 80, 14, 10, 2, 7, 229, 12, 0, 0.7},
    {"BarrierBench #2", 13, 653, 136, 28, 16, 2, 7, 361, 38, 0, 2.04},
    {"philo", 6, 1050, 126, 41, 23, 6, 22, 563, 0, 0, 0.0},
    {"hedc", 10, 1457, 234, 0, 85, 23, 0, 508, 164, 40, 57.7},
    {"Daisy", 3, 1998, 330, 14, 34, 9, 12, 328, 16, 7, 5.65},
    {"elevator", 4, 8000, 1298, 0, 121, 12, 0, 12, 0, 0, 0.0},
    {"tsp", 4, 45637, 20, 5, 42, 5, 3, 83, 4, 3, 0.05},
};
const size_t row_count = sizeof rows / sizeof *rows;

enum step_kind { ACQUIRE, RELEASE, READ, WRITE, WAIT, WOKEN, NOTIFY };

struct step {
    enum step_kind kind;
    uint32_t object;
};

struct thread {
    struct steps ARRAY_OF(struct step) plan; /* the next one last */
};

struct simulation {
    const struct row *row;
    struct random random;
    uint32_t loose;
    FILE *out;
    struct thread *threads;
    uint32_t *owner;                    /* by lock: thread plus one */
    uint32_t *value;                    /* by variable */
    uint32_t *notified;                 /* by condition: wake-ups to come */
    uint32_t sections, waits, accesses; /* still to be planned */
    uint32_t total;                     /* accesses, when nothing was planned yet */
    uint32_t line, done;
};

static void emit(struct simulation *simulation, uint32_t thread, const char *text)
{
    fprintf(simulation->out, "T%u|%s|%u\n", thread, text, ++simulation->line);
}

static void emit_access(struct simulation *simulation, uint32_t thread, bool write, uint32_t object)
{
    char text[48];
    if (write)
        simulation->value[object] = random_below(&simulation->random, 4);
    snprintf(text, sizeof text, "%s(v%u)=%u", write ? "w" : "r", object, simulation->value[object]);
    emit(simulation, thread, text);
}

static bool perform(struct simulation *simulation, uint32_t thread, struct step step)
{
    char text[48];
    const struct row *row = simulation->row;
    uint32_t lock = step.object % row->locks;
    switch (step.kind) {
    case ACQUIRE:
    case WOKEN:
        if (simulation->owner[lock] || (step.kind == WOKEN && !simulation->notified[step.object]))
            return false;
        simulation->owner[lock] = thread + 1;
        if (step.kind == WOKEN)
            simulation->notified[step.object]--;
        if (step.kind == WOKEN)
            snprintf(text, sizeof text, "woken(c%u,l%u)", step.object, lock);
        else
            snprintf(text, sizeof text, "acq(l%u)", lock);
        break;
    case RELEASE:
    case WAIT:
        simulation->owner[lock] = 0;
        if (step.kind == WAIT)
            snprintf(text, sizeof text, "wait(c%u,l%u)", step.object, lock);
        else
            snprintf(text, sizeof text, "rel(l%u)", lock);
        break;
    case NOTIFY:
        simulation->notified[step.object]++;
        snprintf(text, sizeof text, "notify(c%u)", step.object);
        break;
    default:
        emit_access(simulation, thread, step.kind == WRITE, step.object);
        return true;
    }
    emit(simulation, thread, text);
    return true;
}

static void plan(struct simulation *simulation, uint32_t thread, enum step_kind kind,
                 uint32_t object)
{
    array_push(&simulation->threads[thread].plan, ((struct step){kind, object}));
}

/* Accesses of variables that `lock` guards, and of those that none does. */
static void plan_accesses(struct simulation *simulation, uint32_t thread, uint32_t lock)
{
    const struct row *row = simulation->row;
    uint32_t share = simulation->accesses / (simulation->sections + simulation->waits + 1);
    uint32_t count = 1 + random_below(&simulation->random, 2 * share + 1);
    if (count > simulation->accesses)
        count = simulation->accesses;
    simulation->accesses -= count;
    uint32_t open = 1 + row->variables / 8; /* the last ones have no lock */
    uint32_t guarded = row->variables - open;
    while (count--) {
        uint32_t variable = guarded + random_below(&simulation->random, open);
        if (random_below(&simulation->random, simulation->total) >= simulation->loose) {
            if (lock >= guarded)
                continue;
            uint32_t share_of_lock = (guarded - 1 - lock) / row->locks + 1;
            variable = lock + row->locks * random_below(&simulation->random, share_of_lock);
        }
        plan(simulation, thread, random_chance(&simulation->random, 40) ? WRITE : READ, variable);
    }
}

static void plan_section(struct simulation *simulation, uint32_t thread)
{
    uint32_t lock = random_below(&simulation->random, simulation->row->locks);
    simulation->sections--;
    plan(simulation, thread, RELEASE, lock);
    plan_accesses(simulation, thread, lock);
    plan(simulation, thread, ACQUIRE, lock);
}

/* One thread waits, another one, which does not wait, will notify it. */
static void plan_wait(struct simulation *simulation, uint32_t thread)
{
    const struct row *row = simulation->row;
    uint32_t condition = random_below(&simulation->random, row->conditions);
    uint32_t lock = condition % row->locks, other = 0;
    simulation->waits--;
    for (uint32_t i = 1; i < row->threads && !other; i++)
        if (i != thread && !simulation->threads[i].plan.count)
            other = i;
    if (!other)
        return;
    plan(simulation, thread, RELEASE, lock);
    plan_accesses(simulation, thread, lock);
    plan(simulation, thread, WOKEN, condition);
    plan(simulation, thread, WAIT, condition);
    plan(simulation, thread, ACQUIRE, lock);
    while (simulation->threads[thread].plan.count > 1 &&
           array_last(&simulation->threads[thread].plan).kind != WOKEN) {
        struct step step = array_pop(&simulation->threads[thread].plan);
        perform(simulation, thread, step);
    }
    plan(simulation, other, RELEASE, lock);
    plan(simulation, other, NOTIFY, condition);
    plan(simulation, other, ACQUIRE, lock);
}

static bool plan_more(struct simulation *simulation, uint32_t thread)
{
    bool lock_free = simulation->row->conditions == 0;
    if (simulation->waits && random_chance(&simulation->random, 30)) {
        lock_free = true;
        for (uint32_t i = 0; i < simulation->row->locks; i++)
            lock_free &= !simulation->owner[i];
        if (lock_free)
            plan_wait(simulation, thread);
        return true;
    }
    if (simulation->sections)
        plan_section(simulation, thread);
    else if (simulation->waits == 0 && simulation->accesses && simulation->loose)
        plan_accesses(simulation, thread, UINT32_MAX);
    else
        return simulation->waits;
    return true;
}

static void run(struct simulation *simulation)
{
    /* With one other thread, the main thread works too. */
    uint32_t first = simulation->row->threads > 2, workers = simulation->row->threads - first;
    uint32_t idle = 0;
    while (idle < 200 * workers) {
        uint32_t thread = first + random_below(&simulation->random, workers);
        struct thread *self = &simulation->threads[thread];
        idle++;
        if (!self->plan.count) {
            if (plan_more(simulation, thread))
                idle = 0;
            continue;
        }
        if (!perform(simulation, thread, array_last(&self->plan)))
            continue;
        self->plan.count--;
        idle = 0;
    }
}

char *row_generate(const struct row *row, uint32_t loose, uint64_t seed, size_t *length)
{
    char *text = NULL;
    /* The main thread writes every variable first and reads it last; in a short trace that
     * would leave nothing for the others. */
    bool brief = row->length < 8 * row->variables;
    uint32_t fixed = 2 * (row->threads - 1) + (brief ? 0 : 2 * row->variables) + row->lock_events +
                     row->wait_events + row->wait_events / 2;
    struct simulation simulation = {
        .row = row,
        .random = {seed},
        .loose = loose,
        .out = open_memstream(&text, length),
        .threads = NEW_ARRAY(struct thread, row->threads),
        .owner = NEW_ARRAY(uint32_t, row->locks),
        .value = NEW_ARRAY(uint32_t, row->variables),
        .notified = NEW_ARRAY(uint32_t, row->conditions),
        /* A wait and its notify take two of the lock sections. */
        .waits = row->wait_events / 2,
        .sections = row->lock_events / 2 - 2 * (row->wait_events / 2 < row->lock_events / 4
                                                    ? row->wait_events / 2
                                                    : row->lock_events / 4),
        .accesses = row->length > fixed ? row->length - fixed : 1,
    };
    simulation.total = simulation.accesses;
    char name[32];
    for (uint32_t i = 0; i < row->variables && !brief; i++)
        emit_access(&simulation, 0, true, i);
    for (uint32_t i = 1; i < row->threads; i++) {
        snprintf(name, sizeof name, "fork(T%u)", i);
        emit(&simulation, 0, name);
    }
    run(&simulation);
    for (uint32_t i = 1; i < row->threads; i++) {
        snprintf(name, sizeof name, "join(T%u)", i);
        emit(&simulation, 0, name);
    }
    for (uint32_t i = 0; i < row->variables && !brief; i++)
        emit_access(&simulation, 0, false, i);
    fclose(simulation.out);
    for (uint32_t i = 0; i < row->threads; i++)
        array_free(&simulation.threads[i].plan);
    free(simulation.threads);
    free(simulation.owner);
    free(simulation.value);
    free(simulation.notified);
    return text;
}
