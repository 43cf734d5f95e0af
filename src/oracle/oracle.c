/* SPDX-License-Identifier: MIT */
#include "oracle/oracle.h"

#include "oracle/seen.h"
#include "oracle/small.h"

_Static_assert((int)ORACLE_EVENTS == (int)SMALL_EVENTS, "the promise is the limit");

struct oracle {
    struct small_trace trace;
    struct seen seen;
    const struct oracle_options *options;
    struct truth *truth;
    uint32_t path[SMALL_EVENTS];
    uint32_t length;
};

struct oracle *oracle_create(void)
{
    return NEW(struct oracle);
}

void oracle_destroy(struct oracle *oracle)
{
    if (!oracle)
        return;
    seen_free(&oracle->seen);
    free(oracle);
}

static void execute(struct oracle *oracle, struct small_state *state, uint8_t pos, uint32_t choice)
{
    small_execute(&oracle->trace, state, &oracle->trace.events[pos], choice);
    oracle->path[oracle->length++] = pos;
}

/* Executes what may be executed without thinking (small_event.eager). */
static void run_ahead(struct oracle *oracle, struct small_state *state)
{
    const struct small_trace *trace = &oracle->trace;
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t thread = 0; thread < trace->threads; thread++) {
            uint8_t pos;
            while ((pos = small_next(trace, state, thread)) != NO_EVENT &&
                   trace->events[pos].eager && small_allowed(trace, state, &trace->events[pos])) {
                execute(oracle, state, pos, 0);
                moved = true;
            }
        }
    }
}

static void note_races(struct oracle *oracle, const uint8_t *next, const uint32_t *path)
{
    const struct small_trace *trace = &oracle->trace;
    for (uint32_t a = 0; a < trace->threads; a++) {
        if (next[a] == NO_EVENT || !op_in(trace->events[next[a]].op, OPS_ACCESS))
            continue;
        for (uint32_t b = a + 1; b < trace->threads; b++)
            if (next[b] != NO_EVENT &&
                small_conflict(&trace->events[next[a]], &trace->events[next[b]]))
                truth_add_race(oracle->truth, next[a], next[b], path, oracle->length);
    }
}

static void note_deadlocks(struct oracle *oracle, const struct small_state *state,
                           const uint8_t *next, const uint32_t *path)
{
    const struct small_trace *trace = &oracle->trace;
    struct standing standing[SMALL_THREADS] = {0};
    bool any = false;
    for (uint32_t thread = 0; thread < trace->threads; thread++) {
        if (next[thread] == NO_EVENT)
            continue;
        standing[thread].event = next[thread];
        small_waits(trace, state, &trace->events[next[thread]], &standing[thread]);
        any |= standing[thread].waits;
    }
    if (any)
        truth_add_stuck(oracle->truth, trace->threads, standing, path, oracle->length);
}

/* `state` is the caller's to spoil. */
static void explore(struct oracle *oracle, struct small_state *state)
{
    const struct small_trace *trace = &oracle->trace;
    uint64_t key[SMALL_KEY_WORDS];
    uint8_t next[SMALL_THREADS];
    run_ahead(oracle, state);
    small_key(trace, state, key);
    if (!seen_add(&oracle->seen, key))
        return;
    if (oracle->options->state_limit && oracle->seen.count > oracle->options->state_limit) {
        oracle->truth->complete = false;
        return;
    }
    for (uint32_t thread = 0; thread < trace->threads; thread++)
        next[thread] = small_next(trace, state, thread);
    const uint32_t *path = oracle->options->witnesses ? oracle->path : NULL;
    note_races(oracle, next, path);
    note_deadlocks(oracle, state, next, path);
    uint32_t length = oracle->length;
    for (uint32_t thread = 0; thread < trace->threads; thread++) {
        if (next[thread] == NO_EVENT)
            continue;
        const struct small_event *event = &trace->events[next[thread]];
        if (!small_allowed(trace, state, event))
            continue;
        for (uint32_t choice = small_choices(trace, state, event); choice-- > 0;) {
            struct small_state following = *state;
            execute(oracle, &following, next[thread], choice);
            explore(oracle, &following);
            oracle->length = length;
        }
    }
}

int oracle_explore(struct oracle *oracle, const struct history *history,
                   const struct oracle_options *options, struct truth *truth, struct error *error)
{
    if (small_trace_init(&oracle->trace, history, options->model, error))
        return -1;
    truth_init(truth, options->model, history->count);
    seen_reset(&oracle->seen, small_key_words(&oracle->trace));
    oracle->options = options;
    oracle->truth = truth;
    oracle->length = 0;
    struct small_state state;
    small_start(&oracle->trace, &state);
    explore(oracle, &state);
    truth->states = oracle->seen.count;
    truth_finish(truth);
    return 0;
}
