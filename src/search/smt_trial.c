#include "search/smt_trial.h"

#include "model/checker.h"

/* A write in the sequence, and the one of the same variable before it. */
struct write {
    uint32_t pos, before; /* place in writes plus one, 0: none */
};

struct last_write {
    uint32_t round, write; /* the trial that wrote this; place in writes plus one */
};

struct smt_trial {
    const struct smt_window *window;
    uint32_t stirred;      /* events before this one are executed as observed */
    uint32_t *edge_offset; /* by pos - start: the first edge to it */
    uint32_t *order_head;  /* by pos - start: an order to it, plus one */
    struct smt_positions order_next;
    uint32_t *done; /* by thread: index of its next event */
    struct smt_positions stack;
    struct smt_positions witness; /* from the trace's start on */

    uint32_t round;
    struct last_write *last; /* by variable */
    struct writes ARRAY_OF(struct write) writes;
    struct smt_positions held; /* sections, now */
    bool broken, added;
    uint32_t broken_at;
    struct smt_positions others;
};

struct smt_trial *smt_trial_create(const struct smt_window *window)
{
    struct smt_trial *trial = NEW(struct smt_trial);
    uint32_t count = window->end - window->start;
    trial->window = window;
    trial->edge_offset = NEW_ARRAY(uint32_t, count + 1);
    trial->order_head = NEW_ARRAY(uint32_t, count);
    trial->done = NEW_ARRAY(uint32_t, window->history->threads);
    trial->last = NEW_ARRAY(struct last_write, trace_count(window->history->trace, CLASS_VARIABLE));
    array_reserve(&trial->witness, window->end + 2);
    for (uint32_t pos = 0; pos < window->start; pos++)
        trial->witness.items[pos] = pos;
    for (size_t i = 0; i < window->edges.count; i++)
        trial->edge_offset[window->edges.items[i].to - window->start + 1]++;
    for (uint32_t i = 0; i < count; i++)
        trial->edge_offset[i + 1] += trial->edge_offset[i];
    return trial;
}

void smt_trial_destroy(struct smt_trial *trial)
{
    if (!trial)
        return;
    free(trial->edge_offset);
    free(trial->order_head);
    free(trial->done);
    free(trial->last);
    array_free(&trial->order_next);
    array_free(&trial->stack);
    array_free(&trial->witness);
    array_free(&trial->writes);
    array_free(&trial->held);
    array_free(&trial->others);
    free(trial);
}

uint32_t smt_trial_broken_at(const struct smt_trial *trial)
{
    return trial->broken_at;
}

const struct smt_positions *smt_trial_witness(const struct smt_trial *trial)
{
    return &trial->witness;
}

/* Clocks are closed: one round is enough. */
static void close_prefixes(const struct smt_window *window, struct smt_plan *plan, uint32_t *closed)
{
    const struct history *history = window->history;
    memcpy(closed, plan->prefix, history->threads * sizeof *closed);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        if (plan->prefix[thread] <= window->baseline[thread])
            continue;
        uint32_t last = history_pos(history, thread, plan->prefix[thread] - 1);
        for (uint32_t other = 0; other < history->threads; other++)
            if (smt_must_count(window, last, other) > closed[other])
                closed[other] = smt_must_count(window, last, other);
    }
    memcpy(plan->prefix, closed, history->threads * sizeof *closed);
}

/* The place, in window->writes, after the variable's last write before the stirred part. */
static uint32_t writes_before(const struct smt_trial *trial, uint32_t variable)
{
    const struct smt_lists *writes = &trial->window->writes;
    uint32_t low = writes->offset[variable], high = writes->offset[variable + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (writes->items[middle] < trial->stirred)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Writes of one variable that came after the source, oldest first. */
static void find_others(struct smt_trial *trial, uint32_t variable, uint32_t source)
{
    const struct smt_lists *lists = &trial->window->writes;
    const struct last_write *last = &trial->last[variable];
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

static void note_broken(struct smt_trial *trial, uint32_t pos)
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
    note_broken(trial, read);
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
    const struct last_write *last = &trial->last[variable];
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
    struct last_write *last = &trial->last[trial->window->history->events[pos].object];
    uint32_t before = last->round == trial->round ? last->write : 0;
    array_push(&trial->writes, ((struct write){pos, before}));
    *last = (struct last_write){trial->round, (uint32_t)trial->writes.count};
}

static void try_acquire(struct smt_trial *trial, struct smt_encoding *encoding, uint32_t section)
{
    const struct smt_section *sections = trial->window->sections.items;
    const struct smt_section *mine = &sections[section];
    for (size_t i = 0; i < trial->held.count; i++) {
        const struct smt_section *other = &sections[trial->held.items[i]];
        if (other->lock != mine->lock || (other->shared && mine->shared))
            continue;
        note_broken(trial, mine->acquire);
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

static void execute(struct smt_trial *trial, struct smt_encoding *encoding,
                    const struct smt_plan *plan, uint32_t pos)
{
    const struct smt_window *window = trial->window;
    const struct event *event = &window->history->events[pos];
    trial->witness.items[trial->witness.count++] = pos;
    /* What `branch` asks is left to the checker. */
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

static bool is_missing(const struct smt_trial *trial, const struct smt_plan *plan, uint32_t pos)
{
    const struct history *history = trial->window->history;
    uint32_t thread = history->events[pos].thread, index = history->index[pos];
    return pos >= trial->window->start && index < plan->prefix[thread] &&
           index >= trial->done[thread];
}

/* An event that has to come before `pos` and has not, or POS_NONE. */
static uint32_t find_missing(const struct smt_trial *trial, const struct smt_plan *plan,
                             uint32_t pos)
{
    const struct smt_window *window = trial->window;
    uint32_t place = pos - window->start;
    for (uint32_t i = trial->edge_offset[place]; i < trial->edge_offset[place + 1]; i++)
        if (is_missing(trial, plan, window->edges.items[i].from))
            return window->edges.items[i].from;
    for (uint32_t i = trial->order_head[place]; i; i = trial->order_next.items[i - 1])
        if (is_missing(trial, plan, plan->orders.items[i - 1].from))
            return plan->orders.items[i - 1].from;
    return POS_NONE;
}

/* Executes everything up to `pos`, whatever has to come before it first. */
static void run_to(struct smt_trial *trial, struct smt_encoding *encoding,
                   const struct smt_plan *plan, uint32_t pos)
{
    const struct history *history = trial->window->history;
    uint32_t *done = &trial->done[history->events[pos].thread];
    if (history->index[pos] < *done)
        return;
    /* As long as nothing is stirred, what must come before has been observed before. */
    if (history->index[pos] == *done &&
        (!plan->orders.count || find_missing(trial, plan, pos) == POS_NONE)) {
        execute(trial, encoding, plan, pos);
        ++*done;
        return;
    }
    array_push(&trial->stack, pos);
    while (trial->stack.count) {
        uint32_t wanted = array_last(&trial->stack), thread = history->events[wanted].thread;
        if (history->index[wanted] < trial->done[thread]) {
            trial->stack.count--;
            continue;
        }
        uint32_t next = history_pos(history, thread, trial->done[thread]);
        uint32_t missing = find_missing(trial, plan, next);
        if (trial->stack.count > trial->window->end) { /* no solver should plan a cycle */
            note_broken(trial, next);
            trial->stack.count = 0;
            return;
        }
        if (missing != POS_NONE) {
            array_push(&trial->stack, missing);
            continue;
        }
        execute(trial, encoding, plan, next);
        trial->done[thread]++;
    }
}

/* The first event that is not executed, or that has to wait for a later one. */
static uint32_t find_stirred(const struct smt_window *window, const struct smt_plan *plan)
{
    uint32_t stirred = window->end;
    for (uint32_t thread = 0; thread < window->history->threads; thread++)
        if (plan->prefix[thread] < window->length[thread]) {
            uint32_t pos = history_pos(window->history, thread, plan->prefix[thread]);
            stirred = pos < stirred ? pos : stirred;
        }
    for (size_t i = 0; i < plan->orders.count; i++) {
        const struct smt_edge *order = &plan->orders.items[i];
        if (order->to < order->from && order->to < stirred)
            stirred = order->to;
    }
    return stirred;
}

static void start(struct smt_trial *trial, const struct smt_plan *plan)
{
    const struct smt_window *window = trial->window;
    const struct smt_sections *sections = &window->sections;
    uint32_t stirred = trial->stirred = find_stirred(window, plan);
    trial->round++;
    /* What comes before the window was written when the trial was made. */
    for (uint32_t pos = window->start; pos < stirred; pos++)
        trial->witness.items[pos] = pos;
    trial->witness.count = stirred;
    trial->writes.count = trial->held.count = 0;
    trial->broken = trial->added = false;
    for (uint32_t thread = 0; thread < window->history->threads; thread++)
        trial->done[thread] = history_count_before(window->history, thread, stirred);
    for (uint32_t i = 0; i < sections->count; i++)
        if (sections->items[i].acquire < stirred && sections->items[i].release >= stirred)
            array_push(&trial->held, i);
    trial->order_next.count = 0;
    for (size_t i = 0; i < plan->orders.count; i++) {
        uint32_t *head = &trial->order_head[plan->orders.items[i].to - window->start];
        array_push(&trial->order_next, *head);
        *head = (uint32_t)i + 1;
    }
}

/* The last event that any thread executes. */
static uint32_t last_of(const struct smt_window *window, const struct smt_plan *plan)
{
    uint32_t last = 0;
    for (uint32_t thread = 0; thread < window->history->threads; thread++)
        if (plan->prefix[thread] > window->baseline[thread]) {
            uint32_t pos = history_pos(window->history, thread, plan->prefix[thread] - 1);
            last = pos + 1 > last ? pos + 1 : last;
        }
    return last;
}

/* Says what the event that the checker refuses needs; what it says of memory and locks
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

static void check(struct smt_trial *trial, struct smt_encoding *encoding, const uint32_t pair[2])
{
    trial->witness.items[trial->witness.count++] = pair[0];
    trial->witness.items[trial->witness.count++] = pair[1];
    struct claim claim = {FINDING_RACE, pair, 2, trial->witness.items,
                          (uint32_t)trial->witness.count};
    struct complaint complaint;
    if (!witness_check(trial->window->rules, &claim, &complaint)) {
        note_broken(trial, complaint.pos);
        trial->added = require_event(encoding, complaint.pos);
    }
}

enum smt_outcome smt_trial_run(struct smt_trial *trial, struct smt_encoding *encoding,
                               struct smt_plan *plan, const uint32_t pair[2])
{
    const struct smt_window *window = trial->window;
    const struct history *history = window->history;
    close_prefixes(window, plan, trial->done);
    start(trial, plan);
    uint32_t last = last_of(window, plan);
    for (uint32_t pos = trial->stirred; pos < last; pos++)
        if (history->index[pos] < plan->prefix[history->events[pos].thread])
            run_to(trial, encoding, plan, pos);
    for (size_t i = 0; i < plan->orders.count; i++)
        trial->order_head[plan->orders.items[i].to - window->start] = 0;
    if (!trial->broken)
        check(trial, encoding, pair);
    smt_encode_orders(encoding);
    return !trial->broken ? SMT_CORRECT : trial->added ? SMT_BROKEN : SMT_STUCK;
}
