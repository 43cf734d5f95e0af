/* Exploration of small random programs, which an interpreter runs, against all schedules of them:
 * both must see the same histories of threads, the same failures and the same deadlocks. */
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "explore/exploring.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, OPS = 8, VARIABLES = 2, LOCKS = 2, MOST_STATES = 200000 };

enum op_kind {
    OP_READ,
    OP_WRITE,
    OP_WRITE_READ, /* what was read, plus the operand */
    OP_ADD,
    OP_EXCHANGE, /* if it holds 0 */
    OP_LOCK,
    OP_TRY_LOCK, /* skips the rest of the thread if it fails */
    OP_UNLOCK,
    OP_POST,
    OP_WAIT,
    OP_WAIT_FOR_SIGNAL, /* three steps, and then the lock again */
    OP_SIGNAL,
    OP_BROADCAST,
    OP_SKIP_UNLESS, /* local: the next operation, unless what was read is the operand */
    OP_ASSERT_NOT,  /* local: what was read is not the operand */
    OP_FORK,
    OP_JOIN,
    OP_EXIT,
};

struct op {
    enum op_kind kind;
    uint8_t what, operand;
};

struct program {
    struct op ops[THREADS][OPS + 2 * THREADS];
    uint8_t lengths[THREADS];
    uint8_t code[THREADS]; /* whose it runs: its own, or that of one before it */
    uint8_t threads;
    bool twins; /* several run the same */
};

/* --- the interpreter ---------------------------------------------------------------------------
 */

enum { UNBORN, ALIVE, ENDED };

struct machine {
    uint64_t past[THREADS]; /* hashes of what each has seen */
    uint32_t count[THREADS];
    uint8_t at[THREADS], stage[THREADS], seen[THREADS], state[THREADS], queue[THREADS];
    uint8_t joined[THREADS];
    uint8_t variable[VARIABLES], owner[LOCKS], posts;
    uint8_t failed; /* thread + 1 */
    uint8_t order[THREADS], next_in_order;
    bool exited;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash * 31 + value + 1);
}

static const struct op *op_of(const struct program *program, const struct machine *machine,
                              unsigned thread)
{
    return machine->at[thread] < program->lengths[thread]
               ? &program->ops[thread][machine->at[thread]]
               : NULL;
}

/* What concerns no other thread happens at once. */
static void run_local(const struct program *program, struct machine *machine, unsigned thread)
{
    for (const struct op *op; (op = op_of(program, machine, thread)) && !machine->failed;) {
        bool same = machine->seen[thread] == op->operand;
        if (op->kind == OP_SKIP_UNLESS)
            machine->at[thread] = (uint8_t)(machine->at[thread] + (same ? 1 : 2));
        else if (op->kind == OP_ASSERT_NOT && same)
            machine->failed = (uint8_t)(thread + 1);
        else if (op->kind == OP_ASSERT_NOT)
            machine->at[thread]++;
        else
            return;
    }
}

static uint64_t name_of(unsigned thread)
{
    return thread ? stepper_child(STEPPER_MAIN, thread) : STEPPER_MAIN;
}

static enum step_op step_op(const struct op *op, unsigned stage)
{
    static const enum step_op waiting[] = {STEP_QUEUE, STEP_UNLOCK, STEP_AWAKE, STEP_LOCK};
    static const enum step_op ops[] = {
        [OP_READ] = STEP_READ,         [OP_WRITE] = STEP_WRITE,     [OP_WRITE_READ] = STEP_WRITE,
        [OP_ADD] = STEP_UPDATE,        [OP_EXCHANGE] = STEP_UPDATE, [OP_LOCK] = STEP_LOCK,
        [OP_TRY_LOCK] = STEP_TRY_LOCK, [OP_UNLOCK] = STEP_UNLOCK,   [OP_POST] = STEP_POST,
        [OP_WAIT] = STEP_WAIT,         [OP_SIGNAL] = STEP_SIGNAL,   [OP_BROADCAST] = STEP_BROADCAST,
        [OP_FORK] = STEP_FORK,         [OP_JOIN] = STEP_JOIN,       [OP_EXIT] = STEP_END,
    };
    if (!op)
        return STEP_END;
    return op->kind == OP_WAIT_FOR_SIGNAL ? waiting[stage] : ops[op->kind];
}

static uint64_t object_of(const struct op *op, enum step_op step)
{
    switch (step) {
    case STEP_READ:
    case STEP_WRITE:
    case STEP_UPDATE:
        return 0x1000 + 8u * op->what;
    case STEP_LOCK:
    case STEP_TRY_LOCK:
    case STEP_UNLOCK:
        return 0x2000 + 8u * op->what;
    case STEP_POST:
    case STEP_WAIT:
        return 0x3000;
    case STEP_FORK:
    case STEP_JOIN:
        return name_of(op->what);
    case STEP_END:
        return 0;
    default:
        return 0x4000;
    }
}

static struct step_event event_of(const struct program *program, const struct machine *machine,
                                  unsigned thread)
{
    const struct op *op = op_of(program, machine, thread);
    enum step_op step = step_op(op, machine->stage[thread]);
    struct step_event event = {.op = (uint8_t)step,
                               .thread = machine->order[thread],
                               .object = object_of(op, step),
                               .made = op && op->kind == OP_EXIT,
                               .pc = 0x10000u * (program->code[thread] + 1u) +
                                     16u * machine->at[thread] + machine->stage[thread]};
    if (step == STEP_READ || step == STEP_WRITE || step == STEP_UPDATE)
        event.size = 8;
    return event;
}

static bool can_go(const struct program *program, const struct machine *machine, unsigned thread)
{
    const struct op *op = op_of(program, machine, thread);
    if (machine->state[thread] != ALIVE || machine->failed || machine->exited)
        return false;
    switch (step_op(op, machine->stage[thread])) {
    case STEP_LOCK:
        return !machine->owner[op->what];
    case STEP_WAIT:
        return machine->posts > 0;
    case STEP_AWAKE:
        return !machine->queue[thread];
    case STEP_JOIN:
        return machine->state[op->what] == ENDED;
    default:
        return true;
    }
}

static void access_variable(struct machine *machine, unsigned thread, const struct op *op,
                            struct step_event *event)
{
    uint8_t *variable = &machine->variable[op->what];
    event->seen = *variable;
    if (op->kind == OP_WRITE)
        *variable = op->operand;
    else if (op->kind == OP_WRITE_READ)
        *variable = (uint8_t)((machine->seen[thread] + op->operand) % 4);
    else if (op->kind == OP_ADD)
        *variable = (uint8_t)((*variable + op->operand) % 4);
    else if (op->kind == OP_EXCHANGE && !*variable)
        *variable = op->operand;
    event->made = *variable;
    if (op->kind != OP_WRITE && op->kind != OP_WRITE_READ) {
        machine->seen[thread] = (uint8_t)event->seen;
        machine->past[thread] = mix(machine->past[thread], event->seen + 1);
    }
}

static void synchronise(struct machine *machine, unsigned thread, const struct op *op,
                        struct step_event *event, unsigned woken)
{
    switch (event->op) {
    case STEP_LOCK:
        machine->owner[op->what] = (uint8_t)(thread + 1);
        break;
    case STEP_TRY_LOCK:
        event->seen = !machine->owner[op->what];
        machine->past[thread] = mix(machine->past[thread], event->seen + 1);
        if (event->seen)
            machine->owner[op->what] = (uint8_t)(thread + 1);
        else
            machine->at[thread] = UINT8_MAX - 1;
        break;
    case STEP_UNLOCK:
        machine->owner[op->what] = 0;
        break;
    case STEP_POST:
        machine->posts++;
        break;
    case STEP_WAIT:
        machine->posts--;
        break;
    case STEP_QUEUE:
        machine->queue[thread] = 1;
        break;
    case STEP_AWAKE:
        event->seen = 1;
        break;
    case STEP_SIGNAL:
        event->made = woken < THREADS ? name_of(woken) : 0;
        if (woken < THREADS)
            machine->queue[woken] = 0;
        break;
    case STEP_BROADCAST:
        memset(machine->queue, 0, sizeof machine->queue);
        break;
    case STEP_FORK:
        machine->state[op->what] = ALIVE;
        machine->order[op->what] = ++machine->next_in_order;
        break;
    default:
        break;
    }
}

/* One step of the thread; `woken`: by a signal, THREADS: nobody. */
static struct step_event step(const struct program *program, struct machine *machine,
                              unsigned thread, unsigned woken)
{
    struct step_event event = event_of(program, machine, thread);
    const struct op *op = op_of(program, machine, thread);
    machine->count[thread]++;
    machine->past[thread] = mix(machine->past[thread], event.pc);
    if (event.op == STEP_END) {
        machine->state[thread] = ENDED;
        machine->exited = event.made;
        return event;
    }
    bool waits = op->kind == OP_WAIT_FOR_SIGNAL;
    if (event.size)
        access_variable(machine, thread, op, &event);
    else
        synchronise(machine, thread, op, &event, woken);
    if (waits && ++machine->stage[thread] < 4)
        return event;
    machine->stage[thread] = 0;
    machine->at[thread]++;
    run_local(program, machine, thread);
    return event;
}

static struct machine first_state(const struct program *program)
{
    struct machine machine = {.state = {ALIVE}};
    for (unsigned i = 0; i < program->threads; i++)
        run_local(program, &machine, i);
    return machine;
}

static bool is_waiting(const struct machine *machine, unsigned thread)
{
    return machine->queue[thread] && machine->stage[thread] > 0;
}

/* --- what was seen ------------------------------------------------------------------------------
 */

struct seen {
    struct map pasts, failures, deadlocks;
    struct map ends; /* what all threads together have seen: the behaviours */
};

static void add(struct map *map, uint64_t hash)
{
    bool added;
    map_at(map, hash >> 1, &added);
}

/* Where a thread is stuck. Of two deadlocks in which twins have changed places one is enough: and
 * then main stands before the join of the one or the other. */
static uint64_t stuck_at(const struct program *program, const struct machine *machine,
                         unsigned thread)
{
    const struct op *op = op_of(program, machine, thread);
    unsigned at = program->twins && op && op->kind == OP_JOIN ? 0 : machine->at[thread];
    return map_mix((uint64_t)program->code[thread] << 16 | at << 4 | machine->stage[thread]);
}

/* After a step, or at the beginning: true if it is the end. */
static bool note(const struct program *program, const struct machine *machine, struct seen *seen)
{
    uint64_t stuck = 7;
    bool any = false;
    for (unsigned i = 0; i < program->threads; i++)
        add(&seen->pasts, mix(machine->past[i], i));
    for (unsigned i = 0; i < program->threads; i++) {
        if (can_go(program, machine, i))
            return false;
        if (machine->state[i] == ALIVE) {
            any = true;
            stuck += stuck_at(program, machine, i);
        }
    }
    uint64_t all = 1;
    for (unsigned i = 0; i < program->threads; i++)
        all = mix(all, machine->past[i]);
    add(&seen->ends, all);
    if (machine->failed)
        add(&seen->failures, mix(machine->past[machine->failed - 1], machine->failed));
    else if (any && !machine->exited)
        add(&seen->deadlocks, stuck);
    return true;
}

static void seen_free(struct seen *seen)
{
    map_free(&seen->pasts);
    map_free(&seen->failures);
    map_free(&seen->deadlocks);
    map_free(&seen->ends);
}

static bool same(const struct map *a, const struct map *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = map_first(a); i < a->capacity; i = map_following(a, i))
        if (!map_find(b, a->entries[i].key))
            return false;
    return true;
}

/* --- all schedules ------------------------------------------------------------------------------
 */

static uint64_t hash_machine(const struct machine *machine)
{
    uint64_t hash = 0;
    const unsigned char *bytes = (const unsigned char *)machine;
    for (size_t i = 0; i < sizeof *machine; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return map_mix(hash) >> 1;
}

/* False if there are too many. */
static bool visit_all(const struct program *program, const struct machine *machine,
                      struct map *visited, struct seen *seen)
{
    bool added;
    map_at(visited, hash_machine(machine), &added);
    if (!added)
        return true;
    if (visited->count > MOST_STATES)
        return false;
    if (note(program, machine, seen))
        return true;
    for (unsigned i = 0; i < program->threads; i++) {
        if (!can_go(program, machine, i))
            continue;
        bool signals = event_of(program, machine, i).op == STEP_SIGNAL, any = false;
        for (unsigned k = 0; signals && k < program->threads; k++) {
            if (!is_waiting(machine, k))
                continue;
            struct machine next = *machine;
            step(program, &next, i, k);
            any = true;
            if (!visit_all(program, &next, visited, seen))
                return false;
        }
        struct machine next = *machine;
        if (any)
            continue;
        step(program, &next, i, THREADS);
        if (!visit_all(program, &next, visited, seen))
            return false;
    }
    return true;
}

/* --- a run under a schedule ---------------------------------------------------------------------
 */

struct interpreter {
    const struct program *program;
    struct stepper_page *page;
    struct seen seen;
};

static unsigned by_name(const struct program *program, uint64_t name)
{
    unsigned thread = 0;
    while (thread < program->threads && name_of(thread) != name)
        thread++;
    return thread;
}

static unsigned choose(const struct interpreter *self, const struct machine *machine, unsigned last,
                       uint32_t *waiter)
{
    struct stepper_page *page = self->page;
    *waiter = 0;
    for (; page->turn < page->turns; page->turn++) {
        const struct step_turn *turn = &page->schedule[page->turn];
        unsigned thread = by_name(self->program, turn->thread);
        if (thread < THREADS && machine->count[thread] >= turn->count)
            continue;
        if (thread == self->program->threads || !can_go(self->program, machine, thread)) {
            page->diverged = page->turn + 1;
            page->turns = page->turn;
            break;
        }
        if (machine->count[thread] + 1 == turn->count)
            *waiter = turn->waiter;
        return thread;
    }
    for (unsigned i = 0; i < self->program->threads; i++) {
        unsigned thread = (last + i) % self->program->threads;
        if (can_go(self->program, machine, thread))
            return thread;
    }
    abort();
}

static unsigned choose_waiter(const struct interpreter *self, const struct machine *machine,
                              uint32_t waiter)
{
    unsigned first = THREADS;
    for (unsigned i = self->program->threads; i-- > 0;)
        if (is_waiting(machine, i)) {
            if (waiter && (uint32_t)name_of(i) == waiter)
                return i;
            first = i;
        }
    return first;
}

static void tell_threads(const struct interpreter *self, const struct machine *machine)
{
    struct stepper_page *page = self->page;
    page->threads = machine->next_in_order + 1u;
    for (unsigned i = 0; i < self->program->threads; i++) {
        if (machine->state[i] == UNBORN)
            continue;
        struct step_thread *thread = &page->thread[machine->order[i]];
        *thread = (struct step_thread){.name = name_of(i), .number = i, .count = machine->count[i]};
        thread->state = machine->state[i] == ENDED ? STEP_ENDED
                        : machine->failed == i + 1 ? STEP_RUNS
                                                   : STEP_STANDS;
        if (thread->state == STEP_STANDS)
            thread->next = event_of(self->program, machine, i);
    }
}

static int interpret(void *context, const struct step_turn *turns, size_t count, const char *output,
                     struct stepped_run *run, struct error *error)
{
    struct interpreter *self = context;
    struct stepper_page *page = self->page;
    struct machine machine = first_state(self->program);
    unsigned thread = 0;
    (void)output, (void)error;
    memset(page, 0, offsetof(struct stepper_page, thread));
    page->turns = (uint32_t)count;
    if (count)
        memcpy(page->schedule, turns, count * sizeof *turns);
    while (!note(self->program, &machine, &self->seen)) {
        uint32_t waiter;
        thread = choose(self, &machine, thread, &waiter);
        page->event[page->events++] =
            step(self->program, &machine, thread, choose_waiter(self, &machine, waiter));
    }
    tell_threads(self, &machine);
    page->running = machine.order[thread];
    page->end = machine.failed ? STEP_UNFINISHED : machine.exited ? STEP_EXITED : STEP_DEADLOCK;
    *run = (struct stepped_run){.page = page, .status = machine.failed ? SIGABRT : 0};
    return 0;
}

/* --- programs -----------------------------------------------------------------------------------
 */

static void push(struct program *program, unsigned thread, enum op_kind kind, unsigned what,
                 unsigned operand)
{
    program->ops[thread][program->lengths[thread]++] =
        (struct op){kind, (uint8_t)what, (uint8_t)operand};
}

static void push_some(struct program *program, struct random *random, unsigned thread)
{
    static const enum op_kind plain[] = {OP_READ, OP_READ,     OP_READ, OP_WRITE,  OP_WRITE_READ,
                                         OP_ADD,  OP_EXCHANGE, OP_POST, OP_SIGNAL, OP_BROADCAST};
    enum op_kind kind = plain[random_below(random, sizeof plain / sizeof *plain)];
    push(program, thread, kind, random_below(random, VARIABLES), 1 + random_below(random, 3));
    if (kind == OP_READ && random_chance(random, 40)) {
        push(program, thread, OP_SKIP_UNLESS, 0, random_below(random, 4));
        push(program, thread, OP_WRITE, random_below(random, VARIABLES), random_below(random, 4));
    } else if (kind == OP_READ && random_chance(random, 30)) {
        push(program, thread, OP_ASSERT_NOT, 0, 1 + random_below(random, 3));
    }
}

static void push_section(struct program *program, struct random *random, unsigned thread)
{
    unsigned lock = random_below(random, LOCKS);
    push(program, thread, random_chance(random, 25) ? OP_TRY_LOCK : OP_LOCK, lock, 0);
    if (random_chance(random, 25))
        push(program, thread, OP_WAIT_FOR_SIGNAL, lock, 0);
    push_some(program, random, thread);
    if (random_chance(random, 25)) {
        push(program, thread, OP_LOCK, !lock, 0);
        push(program, thread, OP_UNLOCK, !lock, 0);
    }
    push(program, thread, OP_UNLOCK, lock, 0);
}

static void copy_thread(struct program *program, unsigned thread, unsigned from)
{
    memcpy(program->ops[thread], program->ops[from], sizeof program->ops[thread]);
    program->lengths[thread] = program->lengths[from];
    program->code[thread] = program->code[from];
    program->twins = true;
}

static void make_thread(struct program *program, struct random *random, unsigned thread)
{
    program->code[thread] = (uint8_t)thread;
    if (random_chance(random, 10))
        push(program, thread, OP_WAIT, 0, 0);
    while (program->lengths[thread] < (program->threads == 3 ? 4 : 3))
        if (random_chance(random, 30))
            push_section(program, random, thread);
        else
            push_some(program, random, thread);
}

static void make_program(struct program *program, struct random *random)
{
    *program = (struct program){.threads = (uint8_t)(3 + random_chance(random, 30))};
    for (unsigned i = 1; i < program->threads; i++) {
        push(program, 0, OP_FORK, i, 0);
        if (i > 1 && random_chance(random, 40))
            copy_thread(program, i, 1 + random_below(random, i - 1));
        else
            make_thread(program, random, i);
    }
    unsigned apart = random_chance(random, 30) ? random_below(random, 1 << THREADS) : 0;
    for (unsigned i = 1; i < program->threads; i++) {
        if (apart >> i & 1)
            push(program, 0, OP_READ, 0, 0);
        push(program, 0, OP_JOIN, i, 0);
    }
    for (unsigned i = 0; i < VARIABLES; i++)
        push(program, 0, OP_READ, i, 0);
    push(program, 0, OP_EXIT, 0, 0);
}

/* --- both ---------------------------------------------------------------------------------------
 */

/* For a person who looks for the reason. */
static void print_program(const struct program *program)
{
    static const char *const names[] = {"read",      "write",       "write read plus", "add",
                                        "exchange",  "lock",        "try lock",        "unlock",
                                        "post",      "wait",        "wait for signal", "signal",
                                        "broadcast", "skip unless", "assert not",      "fork",
                                        "join",      "exit"};
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned k = 0; k < program->lengths[i]; k++) {
            const struct op *op = &program->ops[i][k];
            printf("%sT%u: %s %u %u\n", k ? "" : "\n", i, names[op->kind], op->what, op->operand);
        }
}

struct sums {
    uint64_t programs, runs, behaviours, failing, stuck;
};

static bool agree(const struct program *program, struct interpreter *interpreter, struct sums *sums)
{
    struct seen truth = {0};
    struct map visited = {0};
    struct exploration exploration;
    struct machine first = first_state(program);
    struct explore_backend backend = {.run = interpret, .context = interpreter};
    struct exploring_limits limits = {.preemptions = UINT32_MAX};
    bool good = true;
    interpreter->program = program;
    interpreter->seen = (struct seen){0};
    if (visit_all(program, &first, &visited, &truth)) {
        assert_int_equal(
            exploring_run(&(struct exploring_workers){.backends = &backend, .count = 1}, "/nowhere",
                          &limits, &exploration, NULL),
            0);
        good = exploration.complete && same(&truth.pasts, &interpreter->seen.pasts) &&
               same(&truth.failures, &interpreter->seen.failures) &&
               same(&truth.deadlocks, &interpreter->seen.deadlocks);
        if (!good)
            printf("complete %d (%s), histories %zu of %zu, failures %zu of %zu, deadlocks %zu of "
                   "%zu\n",
                   exploration.complete, exploration.doubts, interpreter->seen.pasts.count,
                   truth.pasts.count, interpreter->seen.failures.count, truth.failures.count,
                   interpreter->seen.deadlocks.count, truth.deadlocks.count);
        sums->programs++;
        sums->runs += exploration.runs;
        sums->behaviours += truth.ends.count;
        sums->failing += truth.failures.count > 0;
        sums->stuck += truth.deadlocks.count > 0;
        exploration_free(&exploration);
    }
    seen_free(&truth);
    seen_free(&interpreter->seen);
    map_free(&visited);
    return good;
}

/* More by hand: EXPLORE_PROGRAMS=100000 build/tests/unit/test_explore */
static void all_that_all_schedules_show(void **state)
{
    const char *wanted = getenv("EXPLORE_PROGRAMS");
    unsigned count = wanted ? (unsigned)atoi(wanted) : 300;
    struct interpreter interpreter = {.page = NEW(struct stepper_page)};
    struct sums sums = {0};
    (void)state;
    for (unsigned seed = 1; seed <= count; seed++) {
        struct random random = {seed};
        struct program program;
        make_program(&program, &random);
        if (!agree(&program, &interpreter, &sums)) {
            print_program(&program);
            fail_msg("program %u", seed);
        }
    }
    printf("%llu programs, %llu fail, %llu deadlock, %llu runs for %llu behaviours: %.2f\n",
           (unsigned long long)sums.programs, (unsigned long long)sums.failing,
           (unsigned long long)sums.stuck, (unsigned long long)sums.runs,
           (unsigned long long)sums.behaviours, (double)sums.runs / (double)sums.behaviours);
    free(interpreter.page);
    assert_true(sums.programs > count / 2 && sums.failing && sums.stuck);
    assert_true(sums.runs <= 2 * sums.behaviours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_all_schedules_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
