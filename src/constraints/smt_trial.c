/* SPDX-License-Identifier: MIT */
#include "constraints/smt_trial_state.h"

struct smt_trial *smt_trial_create(const struct smt_window *window)
{
    struct smt_trial *trial = NEW(struct smt_trial);
    uint32_t count = window->end - window->start;
    trial->window = window;
    trial->edge_offset = NEW_ARRAY(uint32_t, count + 1);
    trial->order_head = NEW_ARRAY(uint32_t, count);
    trial->done = NEW_ARRAY(uint32_t, window->history->threads);
    trial->last =
        NEW_ARRAY(struct trial_last_write, trace_count(window->history->trace, CLASS_VARIABLE));
    array_reserve(&trial->witness, window->end + window->history->threads);
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
    smt_hb_destroy(trial->hb);
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
        smt_trial_execute(trial, encoding, plan, pos);
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
            smt_trial_broken(trial, next);
            trial->stack.count = 0;
            return;
        }
        if (missing != POS_NONE) {
            array_push(&trial->stack, missing);
            continue;
        }
        smt_trial_execute(trial, encoding, plan, next);
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

enum smt_outcome smt_trial_run(struct smt_trial *trial, struct smt_encoding *encoding,
                               struct smt_plan *plan, const struct smt_goal *goal)
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
        smt_trial_check(trial, encoding, goal);
    smt_encode_orders(encoding);
    return !trial->broken ? SMT_CORRECT : trial->added ? SMT_BROKEN : SMT_STUCK;
}
