/* SPDX-License-Identifier: MIT */
#include "constraints/smt_trial_state.h"

#include "base/sorted.h"

/* The place, in window->writes, after the variable's last write before the stirred part. */
static uint32_t writes_before(const struct smt_trial *trial, uint32_t variable)
{
    const struct smt_lists *writes = &trial->window->writes;
    return SORTED_POINT(middle, writes->offset[variable], writes->offset[variable + 1],
                        writes->items[middle] < trial->stirred);
}

/* Writes of one variable that came after the source, oldest first. */
static void find_others(struct smt_trial *trial, uint32_t variable, uint32_t source)
{
    const struct smt_lists *lists = &trial->window->writes;
    const struct trial_last_write *last = &trial->last[variable];
    uint32_t write = last->round == trial->round ? last->write : 0;
    trial->others.count = 0;
    for (; write && trial->writes.items[write - 1].pos != source;
         write = trial->writes.items[write - 1].before)
        array_push(&trial->others, trial->writes.items[write - 1].pos);
    for (uint32_t i = write ? 0 : writes_before(trial, variable);
         i > lists->offset[variable] && lists->items[i - 1] != source; i--)
        array_push(&trial->others, lists->items[i - 1]);
    for (size_t i = 0; i < trial->others.count / 2; i++) {
        uint32_t *a = &trial->others.items[i];
        uint32_t *b = &trial->others.items[trial->others.count - 1 - i], swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

static bool is_made(const struct smt_encoding *encoding, const struct smt_plan *plan,
                    smt_ref choice)
{
    const struct smt_node *nodes = encoding->formula.nodes.items, *node = &nodes[choice];
    if (choice == SMT_REF_TRUE)
        return true;
    bool wanted = node->kind == SMT_CHOICE;
    uint32_t number = wanted ? node->a : nodes[node->a].a;
    return (number < plan->choices.count && plan->choices.items[number]) == wanted;
}

void smt_trial_broken(struct smt_trial *trial, uint32_t pos)
{
    if (!trial->broken)
        trial->broken_at = pos;
    trial->broken = true;
}

static void break_read(struct smt_trial *trial, struct smt_encoding *encoding,
                       const struct smt_plan *plan, uint32_t read)
{
    const struct smt_window *window = trial->window;
    const struct smt_source *sources;
    size_t count;
    smt_trial_broken(trial, read);
    trial->added |= smt_require_source(encoding, read, &sources, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_made(encoding, plan, sources[i].choice))
            continue;
        find_others(trial, window->history->events[read].object, sources[i].write);
        for (size_t k = 0; k < trial->others.count; k++)
            if (!smt_may_see(window, read, trial->others.items[k]))
                trial->added |= smt_require_away(encoding, &sources[i], trial->others.items[k]);
    }
}

/* POS_NONE: what the window starts with. */
static uint32_t last_write(const struct smt_trial *trial, uint32_t variable)
{
    const struct trial_last_write *last = &trial->last[variable];
    if (last->round == trial->round)
        return trial->writes.items[last->write - 1].pos;
    uint32_t place = writes_before(trial, variable);
    return place > trial->window->writes.offset[variable] ? trial->window->writes.items[place - 1]
                                                          : POS_NONE;
}

static void try_read(struct smt_trial *trial, struct smt_encoding *encoding,
                     const struct smt_plan *plan, uint32_t pos)
{
    uint32_t write = last_write(trial, trial->window->history->events[pos].object);
    if (write == trial->window->rules->reads_from[pos] && write != POS_NONE)
        return; /* nearly always */
    if (!smt_may_see(trial->window, pos, write))
        break_read(trial, encoding, plan, pos);
}

static void do_write(struct smt_trial *trial, uint32_t pos)
{
    struct trial_last_write *last = &trial->last[trial->window->history->events[pos].object];
    uint32_t before = last->round == trial->round ? last->write : 0;
    array_push(&trial->writes, ((struct trial_write){pos, before}));
    *last = (struct trial_last_write){trial->round, (uint32_t)trial->writes.count};
}

static void try_acquire(struct smt_trial *trial, struct smt_encoding *encoding, uint32_t section)
{
    const struct smt_section *sections = trial->window->sections.items;
    const struct smt_section *mine = &sections[section];
    for (size_t i = 0; i < trial->held.count; i++) {
        const struct smt_section *other = &sections[trial->held.items[i]];
        if (other->lock != mine->lock || (other->shared && mine->shared))
            continue;
        smt_trial_broken(trial, mine->acquire);
        trial->added |= smt_require_apart(encoding, trial->held.items[i], section);
    }
    array_push(&trial->held, section);
}

static void do_release(struct smt_trial *trial, uint32_t section)
{
    for (size_t i = 0; i < trial->held.count; i++)
        if (trial->held.items[i] == section) {
            trial->held.items[i] = array_pop(&trial->held);
            return;
        }
}

void smt_trial_execute(struct smt_trial *trial, struct smt_encoding *encoding,
                       const struct smt_plan *plan, uint32_t pos)
{
    const struct smt_window *window = trial->window;
    const struct event *event = &window->history->events[pos];
    trial->witness.items[trial->witness.count++] = pos;
    /* What `branch` asks is left to the machine. */
    if (event_reads(event) && window->rules->model != MODEL_BRANCH && smt_keeps(window, pos))
        try_read(trial, encoding, plan, pos);
    if (event_writes(event))
        do_write(trial, pos);
    if (op_in(event->op, OPS_ACCESS))
        return;
    uint32_t section = window->section_at[pos - window->start];
    if (event_releases(event) && section)
        do_release(trial, section - 1);
    else if (event_acquires(event) && section)
        try_acquire(trial, encoding, section - 1);
}

/* Says what the event that the machine refuses needs; what it says of memory and locks
 * was found already. */
static bool require_event(struct smt_encoding *encoding, uint32_t pos)
{
    const struct event *event = &encoding->window->history->events[pos];
    switch (event->op) {
    case EVENT_WAIT_END:
        return smt_require_wait(encoding, pos);
    case EVENT_SEM_WAIT:
        return smt_require_semaphore_wait(encoding, pos);
    default:
        break;
    }
    if (event->flags & EVENT_FAILED && op_in(event->op, OPS_ACQUIRING))
        return smt_require_failed_try(encoding, pos);
    return encoding->window->rules->model == MODEL_BRANCH && smt_require_memory(encoding);
}

/* Up to where the goal's last order is reached. */
static void cut_off(struct smt_trial *trial, const struct smt_goal *goal)
{
    uint32_t end = goal->orders[goal->order_count - 1].to;
    while (trial->witness.count && array_last(&trial->witness) != end)
        trial->witness.count--;
}

/* The first event that may not come where it does, POS_NONE if there is none. */
static uint32_t find_wrong(const struct smt_trial *trial, const struct smt_goal *goal)
{
    struct machine *machine = machine_create(trial->window->rules);
    uint32_t wrong = POS_NONE;
    for (size_t i = 0; i < trial->witness.count && wrong == POS_NONE; i++) {
        uint32_t pos = trial->witness.items[i];
        if ((pos == trial->window->excused ? machine_forbids_sync(machine, pos)
                                           : machine_forbids(machine, pos)) != RULE_NONE)
            wrong = pos;
        else
            machine_execute(machine, pos);
    }
    for (uint32_t i = 0; i < goal->next_count && wrong == POS_NONE; i++) {
        enum rule rule = machine_forbids_sync(machine, goal->next[i]);
        if (rule == RULE_PROGRAM_ORDER || rule == RULE_FORK)
            wrong = goal->next[i];
    }
    machine_destroy(machine);
    return wrong;
}

static void check_unordered(struct smt_trial *trial, struct smt_encoding *encoding, uint32_t first)
{
    if (!trial->hb)
        trial->hb = smt_hb_create(trial->window);
    uint32_t seen = smt_hb_follow(trial->hb, &trial->witness, first);
    if (!seen)
        return;
    size_t before = encoding->constraints.count;
    smt_trial_broken(trial, array_last(&trial->witness));
    smt_hb_require_other(trial->hb, encoding, seen);
    trial->added = encoding->constraints.count > before;
}

void smt_trial_check(struct smt_trial *trial, struct smt_encoding *encoding,
                     const struct smt_goal *goal)
{
    if (!goal->next_count)
        cut_off(trial, goal);
    uint32_t wrong = find_wrong(trial, goal);
    for (uint32_t i = 0; i < goal->next_count; i++)
        trial->witness.items[trial->witness.count++] = goal->next[i];
    if (wrong != POS_NONE) {
        smt_trial_broken(trial, wrong);
        trial->added = require_event(encoding, wrong);
    } else if (goal->unordered) {
        check_unordered(trial, encoding, *goal->unordered);
    }
}
