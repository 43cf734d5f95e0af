#include "oracle/code_runs.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static uint32_t by_name(const struct machine_code *code, uint64_t name)
{
    uint32_t thread = 0;
    while (thread < code->threads && code->name[thread] != name)
        thread++;
    return thread;
}

/* Beyond the schedule the running thread goes on as long as it can, then the next one. */
static uint32_t choose(const struct code_runs *self, const struct machine *machine, uint32_t last,
                       uint32_t *waiter)
{
    struct stepper_page *page = self->page;
    *waiter = 0;
    for (; page->turn < page->turns; page->turn++) {
        const struct step_turn *turn = &page->schedule[page->turn];
        uint32_t thread = by_name(self->code, turn->thread);
        bool known = thread < self->code->threads;
        if (known && machine->count[thread] >= turn->count)
            continue;
        if (!known || !machine_can_go(self->code, machine, thread)) {
            page->diverged = page->turn + 1;
            page->turns = page->turn;
            break;
        }
        if (machine->count[thread] + 1 == turn->count)
            *waiter = turn->waiter;
        return thread;
    }
    for (uint32_t i = 0; i < self->code->threads; i++) {
        uint32_t thread = (last + i) % self->code->threads;
        if (machine_can_go(self->code, machine, thread))
            return thread;
    }
    abort();
}

static uint32_t choose_waiter(const struct code_runs *self, const struct machine *machine,
                              uint32_t thread, uint32_t waiter)
{
    uint32_t first = MACHINE_NOBODY;
    for (uint32_t i = self->code->threads; i-- > 0;) {
        if (!machine_waits(self->code, machine, thread, i))
            continue;
        if (waiter && (uint32_t)self->code->name[i] == waiter)
            return i;
        first = i;
    }
    return first;
}

static void tell_threads(const struct code_runs *self, const struct machine *machine)
{
    struct stepper_page *page = self->page;
    const struct machine_code *code = self->code;
    page->threads = machine->forked + 1u;
    for (uint32_t i = 0; i < code->threads; i++) {
        if (machine->state[i] == MACHINE_UNBORN)
            continue;
        struct step_thread *thread = &page->thread[machine->order[i]];
        *thread = (struct step_thread){.name = code->name[i],
                                       .parent = machine->order[code->parent[i]],
                                       .number = code->number[i],
                                       .count = machine->count[i]};
        thread->state = machine->state[i] == MACHINE_ENDED ? STEP_ENDED
                        : machine->failed == i + 1         ? STEP_RUNS
                                                           : STEP_STANDS;
        if (thread->state == STEP_STANDS)
            thread->next = machine_next(code, machine, i);
    }
}

static int run(void *context, const struct step_turn *turns, size_t count, const char *output,
               struct stepped_run *run, struct error *error)
{
    struct code_runs *self = context;
    struct stepper_page *page = self->page;
    struct machine machine;
    uint32_t thread = self->code->code->root;
    (void)output, (void)error;
    memset(page, 0, offsetof(struct stepper_page, thread));
    page->turns = (uint32_t)count;
    if (count)
        memcpy(page->schedule, turns, count * sizeof *turns);
    machine_begin(self->code, &machine);
    while (!code_note(self->code, &machine, self->seen)) {
        uint32_t waiter;
        thread = choose(self, &machine, thread, &waiter);
        page->event[page->events++] = machine_step(self->code, &machine, thread,
                                                   choose_waiter(self, &machine, thread, waiter));
    }
    tell_threads(self, &machine);
    page->running = machine.order[thread];
    page->end = machine.failed ? STEP_UNFINISHED : machine.exited ? STEP_EXITED : STEP_DEADLOCK;
    *run = (struct stepped_run){.page = page, .status = machine.failed ? SIGABRT : 0};
    return 0;
}

struct explore_backend code_runs_backend(struct code_runs *runs)
{
    return (struct explore_backend){.run = run, .context = runs};
}
