/* SPDX-License-Identifier: MIT */
/* A seeded generator of large .std traces with known truth.
 *
 * The background is free of races and deadlocks: every shared variable belongs to
 * one lock, nested locks are taken in ascending order, the rest is local. Into it
 * are planted, each at source locations of its own:
 *   hidden races     A: w, acq, rel   then, later,   B: acq, rel, w
 *                    ordered by happens-before, yet a race under rf: A pauses in
 *                    between, so nothing B does can depend on it
 *   deadlocks        A: acq p, acq q, ...   then   B: acq q, acq p, ...
 *   decoys           the same deadlocks behind a gate lock, and hand-overs of a
 *                    variable through a lock-protected flag: neither is an error
 * --truth FILE lists what was planted, one `race LOC LOC` or `deadlock LOC LOC` a
 * line. --recording DIRECTORY writes a binary recording in place of the text: places are addresses
 * of code then, in the truth as well. */
#include "base/memory.h"
#include "base/random.h"
#include "recording.h"
#include "trace/event.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPT_LIMIT = 64, DEPTH_LIMIT = 3, NAMES_LIMIT = 64 };

enum step_kind {
    STEP_READ,
    STEP_WRITE,
    STEP_LOCAL_READ,
    STEP_LOCAL_WRITE,
    STEP_ACQUIRE,
    STEP_RELEASE
};

struct step {
    enum step_kind kind;
    uint32_t object, site;
};

struct thread {
    struct step script[SCRIPT_LIMIT];
    uint32_t length, at;
    bool paused; /* between the halves of a planted race */
};

struct plan {
    uint64_t events;
    uint32_t threads, locks, variables, races, deadlocks, decoys;
    uint32_t shared_percent; /* activities that are critical sections */
    uint32_t inverted;       /* per ten thousand nested pairs in descending order */
    uint64_t seed;
    const char *truth, *recording;
};

struct pending_race {
    uint32_t number, first; /* thread that made the first half */
    uint64_t due;
    bool open;
};

struct generator {
    struct plan plan;
    struct random random;
    struct thread *threads;
    uint32_t *owner; /* by lock: thread + 1 */
    uint64_t emitted;
    uint32_t planted_races, planted_deadlocks, planted_decoys;
    struct pending_race pending;
    FILE *truth;
    struct recording *recording;
    char names[NAMES_LIMIT][16]; /* of objects and places, but for their numbers: recordings */
    uint32_t name_count;
};

/* --- what is written ------------------------------------------------------------- */

static uint64_t name_number(struct generator *g, const char *name)
{
    for (uint32_t i = 0; i < g->name_count; i++)
        if (strcmp(g->names[i], name) == 0)
            return i + 1;
    snprintf(g->names[g->name_count], sizeof g->names[0], "%s", name);
    return ++g->name_count;
}

static uint64_t address_of(struct generator *g, const char *object, uint64_t number)
{
    return (name_number(g, object) << 36) + number * 8;
}

static uint64_t code_of(struct generator *g, const char *location, uint32_t site)
{
    return (name_number(g, location) << 16) + site;
}

static void emit_record(struct generator *g, uint32_t thread, const char *op, const char *object,
                        uint64_t number, uint64_t pc)
{
    if (*op == 'f')
        recording_fork(g->recording, (uint32_t)number, pc);
    else if (*op == 'j')
        recording_join(g->recording, (uint32_t)number, pc);
    else
        recording_event(g->recording, thread,
                        *op == 'a'     ? EVENT_ACQUIRE
                        : *op == 'w'   ? EVENT_WRITE
                        : op[1] == 'e' ? EVENT_RELEASE
                                       : EVENT_READ,
                        address_of(g, object, number), pc + 1); /* where a call would return to */
}

static void emit(struct generator *g, uint32_t thread, const char *op, const char *object,
                 uint32_t number, const char *location, uint32_t site)
{
    if (g->recording)
        emit_record(g, thread, op, object, number, code_of(g, location, site));
    else
        printf("T%u|%s(%s%u)|%s%u\n", thread, op, object, number, location, site);
    g->emitted++;
}

static void emit_local(struct generator *g, uint32_t thread, const char *op, uint32_t number,
                       uint32_t site)
{
    if (g->recording)
        emit_record(g, thread, op, "t", (uint64_t)thread << 24 | number, code_of(g, "s", site));
    else
        printf("T%u|%s(t%u_%u)|s%u\n", thread, op, thread, number, site);
    g->emitted++;
}

static void tell_place(struct generator *g, const char *location, uint32_t site)
{
    if (g->recording)
        fprintf(g->truth, " 0x%" PRIx64, code_of(g, location, site));
    else
        fprintf(g->truth, " %s%u", location, site);
}

static void tell(struct generator *g, const char *kind, const char *first, const char *second,
                 uint32_t site)
{
    if (!g->truth)
        return;
    fputs(kind, g->truth);
    tell_place(g, first, site);
    tell_place(g, second, site);
    putc('\n', g->truth);
}

/* --- what threads do --------------------------------------------------------------- */

static void add_step(struct thread *thread, enum step_kind kind, uint32_t object, uint32_t site)
{
    thread->script[thread->length++] = (struct step){kind, object, site};
}

static void write_local(struct generator *g, struct thread *thread)
{
    uint32_t count = 2 + random_below(&g->random, 6);
    uint32_t locals = 1 + g->plan.variables / (2 * g->plan.threads);
    uint32_t base = random_below(&g->random, locals);
    for (uint32_t i = 0; i < count; i++)
        add_step(thread, random_chance(&g->random, 70) ? STEP_LOCAL_READ : STEP_LOCAL_WRITE,
                 (base + i) % locals, i);
}

/* Variables of lock l are l, l + locks, l + 2 locks, ... */
static void write_accesses(struct generator *g, struct thread *thread, uint32_t lock)
{
    uint32_t per_lock = g->plan.variables / g->plan.locks / 2 + 1;
    uint32_t count = 1 + random_below(&g->random, 4);
    for (uint32_t i = 0; i < count; i++)
        add_step(thread, random_chance(&g->random, 60) ? STEP_READ : STEP_WRITE,
                 lock + g->plan.locks * random_below(&g->random, per_lock), 10 + i);
}

static void write_critical_section(struct generator *g, struct thread *thread)
{
    uint32_t held[DEPTH_LIMIT];
    uint32_t depth = 0;
    uint32_t lock = random_below(&g->random, g->plan.locks);
    uint32_t wanted =
        1 + (random_chance(&g->random, 25) ? random_below(&g->random, DEPTH_LIMIT) : 0);
    while (depth < wanted && lock < g->plan.locks) {
        held[depth++] = lock;
        lock += 1 + random_below(&g->random, g->plan.locks / 4 + 1);
    }
    if (depth > 1 && random_below(&g->random, 10000) < g->plan.inverted) {
        uint32_t first = held[0];
        held[0] = held[1];
        held[1] = first;
    }
    for (uint32_t i = 0; i < depth; i++) {
        add_step(thread, STEP_ACQUIRE, held[i], 20 + i);
        write_accesses(g, thread, held[i]);
    }
    for (uint32_t i = depth; i-- > 0;)
        add_step(thread, STEP_RELEASE, held[i], 30 + i);
}

static void write_script(struct generator *g, struct thread *thread)
{
    thread->length = thread->at = 0;
    if (random_below(&g->random, 100) < g->plan.shared_percent)
        write_critical_section(g, thread);
    else
        write_local(g, thread);
}

/* False if the thread waits for a lock. */
static bool run_step(struct generator *g, uint32_t id)
{
    struct thread *thread = &g->threads[id];
    const struct step *step = &thread->script[thread->at];
    switch (step->kind) {
    case STEP_ACQUIRE:
        if (g->owner[step->object])
            return false;
        g->owner[step->object] = id + 1;
        emit(g, id, "acq", "l", step->object, "s", step->site);
        break;
    case STEP_RELEASE:
        g->owner[step->object] = 0;
        emit(g, id, "rel", "l", step->object, "s", step->site);
        break;
    case STEP_READ:
    case STEP_WRITE:
        emit(g, id, step->kind == STEP_READ ? "r" : "w", "v", step->object, "s", step->site);
        break;
    default:
        emit_local(g, id, step->kind == STEP_LOCAL_READ ? "r" : "w", step->object, step->site);
    }
    thread->at++;
    return true;
}

static bool is_idle(const struct thread *thread)
{
    return thread->at == thread->length && !thread->paused;
}

static bool pick_idle(struct generator *g, uint32_t not_this, uint32_t *found)
{
    uint32_t start = random_below(&g->random, g->plan.threads);
    for (uint32_t i = 0; i < g->plan.threads; i++) {
        uint32_t id = (start + i) % g->plan.threads;
        if (id != not_this && is_idle(&g->threads[id])) {
            *found = id;
            return true;
        }
    }
    return false;
}

static void begin_race(struct generator *g)
{
    uint32_t first, n = g->planted_races;
    if (!pick_idle(g, UINT32_MAX, &first))
        return;
    emit(g, first, "w", "race", n, "race-a", n);
    emit(g, first, "acq", "h", n % 8, "race-h", 0);
    emit(g, first, "rel", "h", n % 8, "race-h", 1);
    g->threads[first].paused = true;
    uint64_t distance = random_below(&g->random, 4) ? 0 : random_below(&g->random, 5000);
    g->pending = (struct pending_race){n, first, g->emitted + distance, true};
    g->planted_races++;
}

static void end_race(struct generator *g)
{
    uint32_t second, n = g->pending.number;
    if (!pick_idle(g, g->pending.first, &second))
        return;
    emit(g, second, "acq", "h", n % 8, "race-h", 2);
    emit(g, second, "rel", "h", n % 8, "race-h", 3);
    emit(g, second, "w", "race", n, "race-b", n);
    g->threads[g->pending.first].paused = false;
    g->pending.open = false;
    tell(g, "race", "race-a", "race-b", n);
}

/* p then q, then q then p by another thread; behind `gate` it is no deadlock. */
static void plant_inversion(struct generator *g, const char *name, uint32_t n, bool gate)
{
    uint32_t pair[2];
    if (!pick_idle(g, UINT32_MAX, &pair[0]) || !pick_idle(g, pair[0], &pair[1]))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        char first[32], second[32];
        snprintf(first, sizeof first, "%s%c", name, i ? 'q' : 'p');
        snprintf(second, sizeof second, "%s%c", name, i ? 'p' : 'q');
        char place[48];
        snprintf(place, sizeof place, "%s-%c", name, i ? 'b' : 'a');
        if (gate)
            emit(g, pair[i], "acq", "gate", 0, "gate", i);
        emit(g, pair[i], "acq", first, n, "outer", i);
        emit(g, pair[i], "acq", second, n, place, n);
        emit(g, pair[i], "rel", second, n, "inner-end", i);
        emit(g, pair[i], "rel", first, n, "outer-end", i);
        if (gate)
            emit(g, pair[i], "rel", "gate", 0, "gate-end", i);
    }
    if (!gate)
        tell(g, "deadlock", "dl-a", "dl-b", n);
    if (gate)
        g->planted_decoys++;
    else
        g->planted_deadlocks++;
}

/* x is handed over through a flag that a lock protects: no race under rf. */
static void plant_hand_over(struct generator *g, uint32_t n)
{
    uint32_t giver, taker;
    if (!pick_idle(g, UINT32_MAX, &giver) || !pick_idle(g, giver, &taker))
        return;
    emit(g, giver, "w", "given", n, "give-x", n);
    emit(g, giver, "acq", "hand", 0, "give", 0);
    emit(g, giver, "w", "flag", n, "give", 1);
    emit(g, giver, "rel", "hand", 0, "give", 2);
    emit(g, taker, "acq", "hand", 0, "take", 0);
    emit(g, taker, "r", "flag", n, "take", 1);
    emit(g, taker, "rel", "hand", 0, "take", 2);
    emit(g, taker, "w", "given", n, "take-x", n);
    g->planted_decoys++;
}

/* How many of `wanted` should be planted by now. */
static bool is_due(const struct generator *g, uint32_t planted, uint32_t wanted)
{
    return planted < wanted &&
           g->emitted >= (g->plan.events / (wanted + 1)) * (uint64_t)(planted + 1);
}

static void plant(struct generator *g)
{
    if (g->pending.open) {
        if (g->emitted >= g->pending.due)
            end_race(g);
    } else if (is_due(g, g->planted_races, g->plan.races)) {
        begin_race(g);
    }
    if (is_due(g, g->planted_deadlocks, g->plan.deadlocks))
        plant_inversion(g, "dl", g->planted_deadlocks, false);
    if (!is_due(g, g->planted_decoys, g->plan.decoys))
        return;
    if (g->planted_decoys % 2)
        plant_inversion(g, "gated", g->planted_decoys, true);
    else
        plant_hand_over(g, g->planted_decoys);
}

static void run_bursts(struct generator *g)
{
    while (g->emitted + g->plan.threads < g->plan.events) {
        uint32_t id = random_below(&g->random, g->plan.threads);
        uint32_t burst = 1 + random_below(&g->random, 16);
        struct thread *thread = &g->threads[id];
        while (burst-- && !thread->paused) {
            if (thread->at == thread->length)
                write_script(g, thread);
            if (!run_step(g, id))
                break;
        }
        plant(g);
    }
}

/* Lets every thread finish what it is in, and every planted race its second half. */
static void run_out(struct generator *g)
{
    for (uint32_t round = 0; round < SCRIPT_LIMIT * g->plan.threads; round++)
        for (uint32_t id = 0; id < g->plan.threads; id++)
            while (g->threads[id].at < g->threads[id].length && run_step(g, id))
                ;
    while (g->pending.open)
        end_race(g);
}

static void generate(struct generator *g)
{
    for (uint32_t id = 1; id < g->plan.threads; id++)
        emit(g, 0, "fork", "T", id, "main", 0);
    run_bursts(g);
    run_out(g);
    for (uint32_t id = 1; id < g->plan.threads; id++)
        emit(g, 0, "join", "T", id, "main", 1);
}

static const struct option long_options[] = {
    {"events", required_argument, NULL, 'e'},    {"threads", required_argument, NULL, 't'},
    {"locks", required_argument, NULL, 'l'},     {"variables", required_argument, NULL, 'v'},
    {"races", required_argument, NULL, 'r'},     {"deadlocks", required_argument, NULL, 'd'},
    {"decoys", required_argument, NULL, 'y'},    {"shared", required_argument, NULL, 's'},
    {"inverted", required_argument, NULL, 'i'},  {"seed", required_argument, NULL, 'n'},
    {"truth", required_argument, NULL, 'T'},     {"contention", required_argument, NULL, 'c'},
    {"recording", required_argument, NULL, 'R'}, {NULL, 0, NULL, 0},
};

static void set_contention(struct plan *plan, const char *name)
{
    bool high = strcmp(name, "high") == 0, low = strcmp(name, "low") == 0;
    plan->shared_percent = high ? 95 : low ? 10 : 50;
    plan->locks = high ? 10 : low ? 1000 : 100;
}

static void parse(struct plan *plan, int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        uint64_t number = optarg ? strtoull(optarg, NULL, 10) : 0;
        switch (option) {
        case 'e':
            plan->events = number;
            break;
        case 't':
            plan->threads = (uint32_t)number;
            break;
        case 'l':
            plan->locks = (uint32_t)number;
            break;
        case 'v':
            plan->variables = (uint32_t)number;
            break;
        case 'r':
            plan->races = (uint32_t)number;
            break;
        case 'd':
            plan->deadlocks = (uint32_t)number;
            break;
        case 'y':
            plan->decoys = (uint32_t)number;
            break;
        case 's':
            plan->shared_percent = (uint32_t)number;
            break;
        case 'i':
            plan->inverted = (uint32_t)number;
            break;
        case 'n':
            plan->seed = number;
            break;
        case 'T':
            plan->truth = optarg;
            break;
        case 'c':
            set_contention(plan, optarg);
            break;
        case 'R':
            plan->recording = optarg;
            break;
        default:
            fprintf(stderr, "usage: generate [--events N] [--threads N] [--contention low|middle|"
                            "high] [--locks N] [--shared PERCENT] [--variables N] [--races N] "
                            "[--deadlocks N] [--decoys N] [--inverted PER-10000] [--seed N] "
                            "[--truth FILE] [--recording DIRECTORY]\n");
            exit(2);
        }
    }
    if (plan->threads < 3 || !plan->locks || !plan->variables) {
        fprintf(stderr, "generate: at least 3 threads, 1 lock and 1 variable\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct generator g = {.plan = {.events = 100000,
                                   .threads = 16,
                                   .locks = 100,
                                   .variables = 10000,
                                   .races = 20,
                                   .deadlocks = 10,
                                   .decoys = 20,
                                   .shared_percent = 50,
                                   .seed = 1}};
    parse(&g.plan, argc, argv);
    g.random.state = g.plan.seed;
    g.threads = NEW_ARRAY(struct thread, g.plan.threads);
    g.owner = NEW_ARRAY(uint32_t, g.plan.locks);
    if (g.plan.truth && !(g.truth = fopen(g.plan.truth, "w"))) {
        perror(g.plan.truth);
        return 1;
    }
    if (g.plan.recording &&
        !(g.recording = recording_create(g.plan.recording, g.plan.threads, g.plan.events)))
        return 1;
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    generate(&g);
    if (g.truth)
        fclose(g.truth);
    free(g.threads);
    free(g.owner);
    return g.recording && recording_close(g.recording) ? 1 : 0;
}
