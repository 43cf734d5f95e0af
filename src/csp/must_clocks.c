/* SPDX-License-Identifier: MIT */
#include "csp/must_clocks.h"

struct must_clocks {
    const struct processes *processes;
    uint32_t **row_of; /* by process and place: its row in `rows` */
    uint32_t *row_numbers;
    struct row_words ARRAY_OF(uint32_t) rows; /* one word a process; a row's own is not kept */
    uint32_t row_count;
    uint32_t *entered; /* by barrier instance, as an object: row of its parties, or 0 */
};

static uint32_t *row(const struct must_clocks *clocks, uint32_t number)
{
    return &clocks->rows.items[(size_t)number * clocks->processes->count];
}

static uint32_t copy_row(struct must_clocks *clocks, uint32_t number)
{
    array_grow(&clocks->rows, (size_t)(clocks->row_count + 1) * clocks->processes->count);
    memcpy(row(clocks, clocks->row_count), row(clocks, number),
           clocks->processes->count * sizeof(uint32_t));
    return clocks->row_count++;
}

/* A row in the making: the one of the place before, until it learns something. */
struct learning {
    struct must_clocks *clocks;
    uint32_t self, number;
    bool fresh;
};

static void learn_word(struct learning *learning, uint32_t process, uint32_t steps)
{
    struct must_clocks *clocks = learning->clocks;
    if (process == learning->self || row(clocks, learning->number)[process] >= steps)
        return;
    if (!learning->fresh)
        learning->number = copy_row(clocks, learning->number);
    learning->fresh = true;
    row(clocks, learning->number)[process] = steps;
}

static void learn_row(struct learning *learning, uint32_t number)
{
    for (uint32_t p = 0; p < learning->clocks->processes->count; p++)
        learn_word(learning, p, row(learning->clocks, number)[p]);
}

/* That `process` has taken so many steps, and all that this takes. */
static void learn(struct learning *learning, uint32_t process, uint32_t steps)
{
    const struct must_clocks *clocks = learning->clocks;
    uint32_t length = clocks->processes->items[process].length;
    if (process == learning->self)
        return;
    learn_word(learning, process, steps);
    learn_row(learning, clocks->row_of[process][steps < length ? steps : length]);
}

/* That all parties have entered: one row, which all who leave share. */
static void learn_barrier(struct learning *learning, uint32_t instance)
{
    if (instance == NO_OBJECT)
        return;
    struct must_clocks *clocks = learning->clocks;
    const struct object *object = &clocks->processes->objects.items[instance];
    const struct users *users = &object->users[USE_ENTER];
    if (!clocks->entered[instance]) {
        struct learning all = {clocks, NO_PROCESS, 0, false};
        for (size_t i = 0; i < users->count; i++)
            learn(&all, users->items[i].process,
                  object->uses[USE_ENTER].items[users->items[i].begin] + 1);
        clocks->entered[instance] = all.number;
    }
    learn_row(learning, clocks->entered[instance]);
}

static void learn_lock(struct learning *learning, const struct step *step)
{
    const struct holders *holders = &learning->clocks->processes->objects.items[step->lock].holders;
    if (step->flags & EVENT_FAILED && step->op != EVENT_WAIT_END)
        return;
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i].release != UINT32_MAX &&
            !(holders->items[i].shared && step->op == EVENT_ACQUIRE_READ))
            learn(learning, holders->items[i].process, holders->items[i].release + 1);
}

static void learn_write(struct learning *learning, const struct step *step)
{
    const struct processes *processes = learning->clocks->processes;
    uint32_t write = processes->rules->reads_from[step->pos];
    if (write == POS_NONE || write < processes->from)
        return;
    uint32_t writer =
        processes_of_thread(processes, processes->rules->history->events[write].thread);
    learn(learning, writer, processes_step_of(processes, write) + 1);
}

/* What the step takes; slice.c says the same of one goal. */
static void learn_step(struct learning *learning, const struct step *step)
{
    const struct processes *processes = learning->clocks->processes;
    const struct object *objects = processes->objects.items;
    switch (step->op) {
    case EVENT_JOIN:
        if (step->other != NO_PROCESS)
            learn(learning, step->other, processes->items[step->other].length + 1);
        break;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
    case EVENT_WAIT_END:
        learn_lock(learning, step);
        break;
    case EVENT_BARRIER_ENTER:
        learn_barrier(learning, objects[step->object].previous);
        break;
    case EVENT_BARRIER_EXIT:
        learn_barrier(learning, step->object);
        break;
    case EVENT_ONCE_PASS:
        if (objects[step->object].initial != 2 && objects[step->object].users[USE_RUN].count)
            learn(learning, objects[step->object].users[USE_RUN].items[0].process,
                  objects[step->object].uses[USE_RUN].items[0] + 1);
        break;
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_RMW:
        learn_write(learning, step);
        break;
    default:
        break;
    }
}

/* What a step takes was observed before it, so that its row is known. */
static void take_step(struct must_clocks *clocks, struct step_place place)
{
    const struct processes *processes = clocks->processes;
    const struct step *step = &processes->items[place.process].steps[place.at];
    struct learning learning = {clocks, place.process, clocks->row_of[place.process][place.at],
                                false};
    learn_step(&learning, step);
    clocks->row_of[place.process][place.at + 1] = learning.number;
    if (step->op == EVENT_FORK && step->other != NO_PROCESS) {
        struct learning forked = {clocks, step->other, clocks->row_of[step->other][0], false};
        learn(&forked, place.process, place.at + 1);
        clocks->row_of[step->other][0] = forked.number;
    }
}

struct must_clocks *must_clocks_create(const struct processes *processes)
{
    struct must_clocks *clocks = NEW(struct must_clocks);
    size_t places = processes->observed.count + processes->count, first = 0;
    clocks->processes = processes;
    clocks->row_of = NEW_ARRAY(uint32_t *, processes->count);
    clocks->row_numbers = NEW_ARRAY(uint32_t, places);
    clocks->entered = NEW_ARRAY(uint32_t, processes->objects.count);
    array_grow(&clocks->rows, processes->count); /* the first row: nothing */
    clocks->row_count = 1;
    for (uint32_t p = 0; p < processes->count; p++) {
        clocks->row_of[p] = &clocks->row_numbers[first];
        first += processes->items[p].length + 1;
    }
    for (size_t i = 0; i < processes->observed.count; i++)
        take_step(clocks, processes->observed.items[i]);
    return clocks;
}

void must_clocks_destroy(struct must_clocks *clocks)
{
    if (!clocks)
        return;
    free(clocks->row_of);
    free(clocks->row_numbers);
    free(clocks->entered);
    array_free(&clocks->rows);
    free(clocks);
}

uint32_t must_clocks_of(const struct must_clocks *clocks, struct step_place place, uint32_t other)
{
    return row(clocks, clocks->row_of[place.process][place.at])[other];
}

uint64_t must_clocks_total(const struct must_clocks *clocks, struct step_place a,
                           struct step_place b)
{
    const struct processes *processes = clocks->processes;
    const uint32_t *first = row(clocks, clocks->row_of[a.process][a.at]);
    const uint32_t *second = row(clocks, clocks->row_of[b.process][b.at]);
    uint64_t total = (uint64_t)a.at + b.at;
    for (uint32_t p = 0; p < processes->count; p++) {
        uint32_t steps = first[p] > second[p] ? first[p] : second[p];
        if (p != a.process && p != b.process)
            total += steps < processes->items[p].length ? steps : processes->items[p].length;
    }
    return total;
}
