#include "oracle/strike_oracle.h"

#include "base/memory.h"
#include "oracle/seen.h"
#include "oracle/small.h"

#include <stdlib.h>

struct strike_oracle {
    struct small_trace trace;
    struct seen seen;
    uint8_t begin, end, culprit;
    bool complete;
};

struct strike_oracle *strike_oracle_create(void)
{
    return NEW(struct strike_oracle);
}

void strike_oracle_destroy(struct strike_oracle *oracle)
{
    if (!oracle)
        return;
    seen_free(&oracle->seen);
    free(oracle);
}

int strike_oracle_trace(struct strike_oracle *oracle, const struct history *history,
                        enum model model, struct error *error)
{
    return small_trace_init(&oracle->trace, history, model, error);
}

static bool was_executed(const struct strike_oracle *oracle, const struct small_state *state,
                         uint8_t pos)
{
    const struct small_event *event = &oracle->trace.events[pos];
    return state->next[event->thread] > event->index;
}

static bool may_run(const struct strike_oracle *oracle, const struct small_state *state,
                    uint8_t pos)
{
    if (pos == NO_EVENT || pos == oracle->end)
        return false;
    if (pos == oracle->culprit && !was_executed(oracle, state, oracle->begin))
        return false;
    return small_allowed(&oracle->trace, state, &oracle->trace.events[pos]);
}

static void run_ahead(const struct strike_oracle *oracle, struct small_state *state)
{
    const struct small_trace *trace = &oracle->trace;
    for (uint32_t thread = 0; thread < trace->threads; thread++) {
        uint8_t pos = small_next(trace, state, thread);
        if (pos == NO_EVENT || !trace->events[pos].eager || !may_run(oracle, state, pos))
            continue;
        small_execute(trace, state, &trace->events[pos], 0);
        thread = UINT32_MAX; /* from the first thread again */
    }
}

static bool completes(const struct strike_oracle *oracle, const struct small_state *state)
{
    const struct small_event *end = &oracle->trace.events[oracle->end];
    return was_executed(oracle, state, oracle->culprit) &&
           small_next(&oracle->trace, state, end->thread) == oracle->end &&
           small_allowed(&oracle->trace, state, end);
}

static bool stands_there(const struct strike_oracle *oracle, const struct small_state *state)
{
    uint8_t thread = oracle->trace.events[oracle->culprit].thread;
    return was_executed(oracle, state, oracle->begin) &&
           small_next(&oracle->trace, state, thread) == oracle->culprit;
}

static bool explore(struct strike_oracle *oracle, struct small_state *state)
{
    const struct small_trace *trace = &oracle->trace;
    uint64_t key[SMALL_KEY_WORDS];
    run_ahead(oracle, state);
    if (oracle->complete ? completes(oracle, state) : stands_there(oracle, state))
        return true;
    small_key(trace, state, key);
    if (!seen_add(&oracle->seen, key))
        return false;
    for (uint32_t thread = 0; thread < trace->threads; thread++) {
        uint8_t pos = small_next(trace, state, thread);
        if (!may_run(oracle, state, pos))
            continue;
        const struct small_event *event = &trace->events[pos];
        for (uint32_t choice = small_choices(trace, state, event); choice-- > 0;) {
            struct small_state following = *state;
            small_execute(trace, &following, event, choice);
            if (explore(oracle, &following))
                return true;
        }
    }
    return false;
}

bool strike_is_true(struct strike_oracle *oracle, uint32_t begin, uint32_t end, uint32_t culprit,
                    bool complete)
{
    struct small_event *waived[2] = {&oracle->trace.events[end], &oracle->trace.events[culprit]};
    bool kept[2];
    struct small_state state;
    oracle->begin = (uint8_t)begin;
    oracle->end = (uint8_t)end;
    oracle->culprit = (uint8_t)culprit;
    oracle->complete = complete;
    for (int i = 0; i < 2; i++) {
        kept[i] = waived[i]->kept;
        waived[i]->kept = false;
    }
    seen_reset(&oracle->seen, small_key_words(&oracle->trace));
    small_start(&oracle->trace, &state);
    bool answer = explore(oracle, &state);
    for (int i = 0; i < 2; i++)
        waived[i]->kept = kept[i];
    return answer;
}

/* --- Figure 20.3 --- */

struct figure {
    uint32_t threads;
    uint32_t *now;                          /* C, by thread */
    uint32_t *window, *acquired, *released; /* V, A, R, by lock */
    bool *held, *interfering;               /* H, I: lock * threads + thread */
    uint32_t *depth;                        /* of blocks, by thread; 0 is NotInX */
};

static bool covers(const uint32_t *large, const uint32_t *clock, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (clock[i] > large[i])
            return false;
    return true;
}

static void join(uint32_t *clock, const uint32_t *other, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

static void set(uint32_t *clock, const uint32_t *other, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        clock[i] = other[i];
}

static uint8_t figure_acquire(struct figure *figure, uint32_t thread, uint32_t lock)
{
    uint32_t size = figure->threads, *now = figure->now + thread * size;
    uint32_t *window = figure->window + lock * size, *acquired = figure->acquired + lock * size;
    uint32_t *released = figure->released + lock * size;
    bool *held = &figure->held[lock * size + thread];
    bool *interfering = &figure->interfering[lock * size + thread];
    uint8_t flags = 0;
    if (!covers(now, window, size))
        flags |= 1u << ATOMICITY_AFTER;
    if (figure->depth[thread] && !*held) {
        *held = true;
        *interfering = !covers(now, acquired, size);
    } else if (figure->depth[thread]) {
        if (*interfering)
            flags |= 1u << ATOMICITY_BEFORE;
        if (!covers(now, released, size))
            flags |= 1u << ATOMICITY_IN;
        join(window, now, size);
    }
    set(acquired, now, size);
    join(now, released, size);
    return flags;
}

static uint8_t figure_step(struct figure *figure, const struct event *event, uint32_t locks)
{
    uint32_t size = figure->threads, *now = figure->now + event->thread * size;
    switch (event->op) {
    case EVENT_BLOCK_BEGIN:
        for (uint32_t lock = 0; lock < locks && !figure->depth[event->thread]; lock++)
            figure->held[lock * size + event->thread] = false;
        figure->depth[event->thread]++;
        return 0;
    case EVENT_BLOCK_END:
        figure->depth[event->thread] -= figure->depth[event->thread] > 0;
        return 0;
    case EVENT_FORK:
        join(figure->now + event->object * size, now, size);
        now[event->thread]++;
        return 0;
    case EVENT_JOIN:
        join(now, figure->now + event->object * size, size);
        figure->now[event->object * size + event->object]++;
        return 0;
    case EVENT_RELEASE:
        set(figure->released + event->object * size, now, size);
        now[event->thread]++;
        return 0;
    case EVENT_ACQUIRE:
        return figure_acquire(figure, event->thread, event->object);
    default:
        return 0;
    }
}

uint8_t *sidetrack_by_the_figure(const struct history *history)
{
    uint32_t size = history->threads, locks = trace_count(history->trace, CLASS_LOCK);
    struct figure figure = {
        .threads = size,
        .now = NEW_ARRAY(uint32_t, size * size),
        .window = NEW_ARRAY(uint32_t, locks * size),
        .acquired = NEW_ARRAY(uint32_t, locks * size),
        .released = NEW_ARRAY(uint32_t, locks * size),
        .held = NEW_ARRAY(bool, locks *size),
        .interfering = NEW_ARRAY(bool, locks *size),
        .depth = NEW_ARRAY(uint32_t, size),
    };
    for (uint32_t thread = 0; thread < size; thread++)
        figure.now[thread * size + thread] = 1;
    uint8_t *flags = NEW_ARRAY(uint8_t, history->count);
    for (uint32_t pos = 0; pos < history->count; pos++)
        flags[pos] = figure_step(&figure, &history->events[pos], locks);
    free(figure.now);
    free(figure.window);
    free(figure.acquired);
    free(figure.released);
    free(figure.held);
    free(figure.interfering);
    free(figure.depth);
    return flags;
}
