/* SPDX-License-Identifier: MIT */
#include "explore/witness_run.h"

#include "base/memory.h"
#include "trace/turns.h"

#include <stdlib.h>

struct making {
    struct witness_run *result;
    const struct run_trace *trace;
    const struct kept_run *run;
    uint32_t *step;    /* by the history's pos: the run's event, POS_NONE: none */
    uint32_t *count;   /* by the run's events: how many its thread has made with it */
    uint32_t *reached; /* by thread: how many the turns so far make */
    bool stops;        /* right before the error */
};

static void number_steps(struct making *self)
{
    const struct kept_run *run = self->run;
    uint32_t total = history_total(self->trace->history);
    uint32_t *made = NEW_ARRAY(uint32_t, run->thread_count + 1);
    self->step = memory_alloc(total + 1, sizeof *self->step);
    self->count = memory_alloc(run->event_count + 1, sizeof *self->count);
    self->reached = NEW_ARRAY(uint32_t, run->thread_count + 1);
    for (uint32_t i = 0; i < total; i++)
        self->step[i] = POS_NONE;
    for (uint32_t i = 0; i < run->event_count; i++) {
        self->count[i] = ++made[run->events[i].thread];
        if (self->trace->pos[i] < total)
            self->step[self->trace->pos[i]] = i;
    }
    free(made);
}

static void free_making(struct making *self)
{
    free(self->step);
    free(self->count);
    free(self->reached);
}

static void go_up_to(struct making *self, uint32_t thread, uint32_t count, uint32_t waiter)
{
    struct failure_turns *turns = &self->result->turns;
    uint64_t name = self->run->threads[thread].name;
    if (count <= self->reached[thread])
        return;
    self->reached[thread] = count;
    struct step_turn *last = turns->count ? &array_last(turns) : NULL;
    if (last && last->thread == name && !last->waiter)
        *last = (struct step_turn){name, count, waiter};
    else
        array_push(turns, ((struct step_turn){name, count, waiter}));
}

/* To wait for a condition is one event in a trace, and two steps: to queue, and to unlock. */
static uint32_t steps_of_wait(const struct making *self, uint32_t at)
{
    const struct step_event *events = self->run->events;
    if (events[at].op != STEP_QUEUE)
        return 0;
    for (uint32_t i = at + 1; i < self->run->event_count; i++)
        if (events[i].thread == events[at].thread)
            return events[i].op == STEP_UNLOCK;
    return 0;
}

static void perform(struct making *self, uint32_t pos)
{
    uint32_t at = self->step[pos];
    if (at == POS_NONE)
        return;
    const struct step_event *step = &self->run->events[at];
    go_up_to(self, step->thread, self->count[at] + steps_of_wait(self, at),
             step->op == STEP_SIGNAL ? (uint32_t)step->made : 0);
}

/* The thread comes as far as right before it. */
static void stand_before(struct making *self, uint32_t pos)
{
    uint32_t at = self->step[pos];
    if (at != POS_NONE)
        go_up_to(self, self->run->events[at].thread, self->count[at] - 1, 0);
}

static bool expect(struct making *self, uint32_t pos)
{
    struct witness_run *result = self->result;
    uint32_t at = self->step[pos];
    if (result->event_count == WITNESS_EVENTS)
        return false;
    struct witness_event *event = &result->events[result->event_count++];
    if (at != POS_NONE) {
        const struct step_event *step = &self->run->events[at];
        *event = (struct witness_event){self->run->threads[step->thread].name, step->pc,
                                        self->count[at]};
        return true;
    }
    for (uint32_t i = 0; i < self->run->thread_count; i++) /* nobody performed it */
        if (self->trace->wish[i] == pos) {
            const struct step_thread *thread = &self->run->threads[i];
            *event = (struct witness_event){thread->name, thread->next.pc, thread->count + 1};
            return true;
        }
    return false;
}

static bool is_of(const struct finding *finding, uint32_t pos)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i].pos == pos)
            return true;
    return false;
}

static bool make(struct making *self, const struct finding *finding)
{
    uint32_t length = finding->witness_length, ends = finding_ends(finding);
    if (length < ends)
        return false;
    self->result->adjacent = finding->kind == FINDING_RACE && ends;
    if (self->stops && !ends) /* which is complete with the last event */
        ends = length > 0;
    for (uint32_t i = 0; i < length - ends; i++) {
        perform(self, finding->witness[i]);
        if (is_of(finding, finding->witness[i]) && !expect(self, finding->witness[i]))
            return false;
    }
    for (uint32_t i = length - ends; i < length; i++)
        stand_before(self, finding->witness[i]);
    for (uint32_t i = length - ends; i < length; i++) {
        if (finding->kind != FINDING_DEADLOCK && !self->stops)
            perform(self, finding->witness[i]);
        if (!expect(self, finding->witness[i]))
            return false;
    }
    return self->result->event_count > 0 && self->result->turns.count <= STEPPER_TURNS;
}

static bool create(struct witness_run *self, const struct finding *finding,
                   const struct run_trace *trace, const struct kept_run *run, bool stops)
{
    *self = (struct witness_run){.kind = finding->kind};
    if (!finding->witness || !trace->history)
        return false;
    struct making making = {.result = self, .trace = trace, .run = run, .stops = stops};
    struct finding full = finding_in_full(finding, trace->history);
    number_steps(&making);
    bool made = make(&making, &full);
    free_making(&making);
    finding_full_free(&full, finding);
    if (!made)
        witness_run_free(self);
    return made;
}

bool witness_run_create(struct witness_run *self, const struct finding *finding,
                        const struct run_trace *trace, const struct kept_run *run)
{
    return create(self, finding, trace, run, false);
}

bool witness_run_before(struct witness_run *self, const struct finding *finding,
                        const struct run_trace *trace, const struct kept_run *run)
{
    return create(self, finding, trace, run, true);
}

/* --- what came of it ----------------------------------------------------------------------------
 */

static const struct step_thread *thread_named(const struct stepper_page *page, uint64_t name)
{
    for (uint32_t i = 0; i < page->threads; i++)
        if (page->thread[i].name == name)
            return &page->thread[i];
    return NULL;
}

/* It waits there still, with all that it did before. */
static bool stands(const struct stepper_page *page, const struct witness_event *event)
{
    const struct step_thread *thread = thread_named(page, event->thread);
    return thread && thread->state == STEP_STANDS && thread->count + 1 == event->count &&
           thread->next.pc == event->pc;
}

/* The event's place in the run, UINT32_MAX if it did not come to it. */
static uint32_t place_of(const struct stepper_page *page, const struct witness_event *event)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < page->events; i++)
        if (page->thread[page->event[i].thread].name == event->thread && ++count == event->count)
            return page->event[i].pc == event->pc ? i : UINT32_MAX;
    return UINT32_MAX;
}

static bool performed(const struct witness_run *self, const struct stepper_page *page)
{
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < self->event_count; i++) {
        uint32_t at = place_of(page, &self->events[i]);
        if (at == UINT32_MAX || (i && (self->adjacent ? at != before + 1 : at <= before)))
            return false;
        before = at;
    }
    return true;
}

bool witness_run_happened(const struct witness_run *self, const struct stepper_page *page)
{
    if (self->kind != FINDING_DEADLOCK)
        return performed(self, page);
    for (uint32_t i = 0; i < self->event_count; i++)
        if (!stands(page, &self->events[i]))
            return false;
    return self->event_count > 0;
}

void witness_run_free(struct witness_run *self)
{
    array_free(&self->turns);
    self->event_count = 0;
}
