/* SPDX-License-Identifier: MIT */
#include "oracle/small.h"

#include <string.h>

static uint16_t bit(uint32_t thread)
{
    return (uint16_t)(1u << thread);
}

void small_start(const struct small_trace *trace, struct small_state *state)
{
    memset(state, 0, sizeof *state);
    memcpy(state->counts, trace->initial_count, sizeof state->counts);
}

static bool executed(const struct small_trace *trace, const struct small_state *state, uint8_t pos)
{
    const struct small_event *event = &trace->events[pos];
    return state->next[event->thread] > event->index;
}

uint8_t small_next(const struct small_trace *trace, const struct small_state *state,
                   uint32_t thread)
{
    if (state->next[thread] == trace->length[thread])
        return NO_EVENT;
    if (trace->fork_of[thread] != NO_EVENT && !executed(trace, state, trace->fork_of[thread]))
        return NO_EVENT;
    return trace->by_thread[thread][state->next[thread]];
}

/* Everybody who keeps `event` from getting its lock. */
static uint16_t holders(const struct small_state *state, const struct small_event *event)
{
    uint16_t all = state->owner[event->lock];
    if (event->op != EVENT_ACQUIRE_READ)
        all |= state->readers[event->lock];
    return all;
}

static bool sees_the_same(const struct small_state *state, const struct small_event *event)
{
    return event->accepted >> state->memory[event->object] & 1 &&
           !(state->tainted_memory >> event->object & 1);
}

static bool is_full(const struct small_trace *trace, const struct small_state *state,
                    uint8_t instance)
{
    return instance == NO_EVENT || state->entered[instance] == trace->parties[instance];
}

static bool chosen(const struct small_state *state, const struct small_event *event)
{
    return event->op != EVENT_WAIT_END || event->failed || state->woken & bit(event->thread);
}

/* Who gives up does not take a signal with it that others still wait for: the signal, or one
 * after the other of those that follow, could have chosen somebody else. (Another choice leads
 * to the same state without it.) */
static bool leaves_its_signal(const struct small_state *state, uint32_t thread)
{
    unsigned seen = 0, frontier = state->could_be[thread];
    while (frontier & ~seen) {
        uint32_t next = (uint32_t)__builtin_ctz(frontier & ~seen);
        seen |= bit(next);
        if (!(state->woken & bit(next)))
            return true;
        frontier |= state->could_be[next];
    }
    return false;
}

bool small_allowed(const struct small_trace *trace, const struct small_state *state,
                   const struct small_event *event)
{
    switch (event->op) {
    case EVENT_READ:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_LOOK:
    case EVENT_ATOMIC_RMW:
        return !event->kept || sees_the_same(state, event);
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return event->failed == !!holders(state, event);
    case EVENT_WAIT_END:
        return chosen(state, event) && !holders(state, event) &&
               !(event->failed && leaves_its_signal(state, event->thread));
    case EVENT_JOIN:
        return state->next[event->object] == trace->length[event->object] &&
               (event->join_fork == NO_EVENT || executed(trace, state, event->join_fork));
    case EVENT_BARRIER_ENTER:
        return is_full(trace, state, trace->previous_instance[event->object]);
    case EVENT_BARRIER_EXIT:
        return is_full(trace, state, event->object);
    case EVENT_SEM_WAIT:
        return event->failed == !state->counts[event->object];
    case EVENT_ONCE_PASS:
        return state->once_done[event->object];
    case EVENT_BRANCH:
        return !(state->tainted & bit(event->thread));
    default:
        return true;
    }
}

/* Of a semaphore that is used as a lock: has the thread, which goes on, taken it? */
static bool has_taken(const struct small_trace *trace, const struct small_state *state,
                      uint32_t thread, uint8_t semaphore)
{
    bool taken = false;
    for (uint32_t i = 0; i < state->next[thread]; i++) {
        const struct small_event *event = &trace->events[trace->by_thread[thread][i]];
        if (event->object != semaphore || event->failed)
            continue;
        if (event->op == EVENT_POST || event->op == EVENT_SEM_WAIT)
            taken = event->op == EVENT_SEM_WAIT;
    }
    return taken && state->next[thread] < trace->length[thread];
}

static bool is_waited_for(const struct small_trace *trace, const struct small_state *state,
                          const struct small_event *event, uint32_t thread)
{
    uint8_t done = state->next[thread];
    uint8_t instance = event->object;
    switch (event->op) {
    case EVENT_JOIN:
        return thread == event->object;
    case EVENT_SEM_WAIT:
        return trace->semaphore_is_lock[event->object]
                   ? has_taken(trace, state, thread, event->object)
                   : trace->last_post[thread][event->object] > done;
    case EVENT_BARRIER_ENTER:
        instance = trace->previous_instance[event->object];
        return trace->enters[thread][instance] > done;
    case EVENT_BARRIER_EXIT:
        return trace->enters[thread][instance] > done;
    case EVENT_ONCE_PASS:
        return trace->once_begin[event->object] != NO_EVENT &&
               trace->events[trace->once_begin[event->object]].thread == thread &&
               executed(trace, state, trace->once_begin[event->object]);
    case EVENT_WAIT_END:
        return chosen(state, event) ? holders(state, event) >> thread & 1
                                    : trace->last_signal[thread][event->object] > done;
    default:
        return holders(state, event) >> thread & 1;
    }
}

void small_waits(const struct small_trace *trace, const struct small_state *state,
                 const struct small_event *event, struct standing *standing)
{
    bool sleeps = event->op == EVENT_WAIT_END && !chosen(state, event);
    bool gives_up = event->tries && (event->op != EVENT_WAIT_END || sleeps);
    if (small_allowed(trace, state, event) || gives_up)
        return;
    if (op_in(event->op, OPS_ACCESS | OP_BIT(EVENT_BRANCH)))
        return;
    standing->waits = true;
    standing->all =
        sleeps || (event->op == EVENT_SEM_WAIT && !trace->semaphore_is_lock[event->object]);
    for (uint32_t thread = 0; thread < trace->threads; thread++)
        if (thread != event->thread && is_waited_for(trace, state, event, thread))
            standing->others |= bit(thread);
}

/* The threads that wait at a condition. */
static uint16_t waiters(const struct small_trace *trace, const struct small_state *state,
                        uint8_t condition)
{
    uint16_t all = 0;
    for (uint32_t thread = 0; thread < trace->threads; thread++) {
        if (!state->next[thread])
            continue;
        uint8_t pos = trace->by_thread[thread][state->next[thread] - 1];
        const struct small_event *last = &trace->events[pos];
        if (last->op == EVENT_WAIT_BEGIN && last->object == condition)
            all |= bit(thread);
    }
    return all;
}

/* Those that no signal has chosen yet. */
static uint16_t sleepers(const struct small_trace *trace, const struct small_state *state,
                         uint8_t condition)
{
    return (uint16_t)(waiters(trace, state, condition) & ~state->woken);
}

/* A signal chooses the thread: whom could it have chosen? Not whom a broadcast woke. */
static void note_choice(const struct small_trace *trace, struct small_state *state,
                        uint8_t condition, uint32_t thread)
{
    uint16_t could = sleepers(trace, state, condition);
    for (unsigned left = waiters(trace, state, condition); left; left &= left - 1)
        if (state->could_be[__builtin_ctz(left)])
            could |= (uint16_t)(left & -left);
    state->could_be[thread] = could;
}

static void note_leaving(const struct small_trace *trace, struct small_state *state,
                         uint32_t thread)
{
    state->could_be[thread] = 0;
    for (uint32_t other = 0; other < trace->threads; other++)
        state->could_be[other] &= (uint16_t)~bit(thread);
}

static void wake_all(const struct small_trace *trace, struct small_state *state, uint8_t condition)
{
    for (unsigned left = waiters(trace, state, condition); left; left &= left - 1)
        state->could_be[__builtin_ctz(left)] = 0;
    state->woken |= sleepers(trace, state, condition);
}

uint32_t small_choices(const struct small_trace *trace, const struct small_state *state,
                       const struct small_event *event)
{
    if (event->op != EVENT_SIGNAL)
        return 1;
    uint32_t count = (uint32_t)__builtin_popcount(sleepers(trace, state, event->object));
    return count ? count : 1; /* found nobody: it is lost, in one way */
}

static void wake_one(const struct small_trace *trace, struct small_state *state,
                     const struct small_event *event, uint32_t choice)
{
    unsigned left = sleepers(trace, state, event->object);
    while (choice--)
        left &= left - 1;
    if (trace->gives_up && left)
        note_choice(trace, state, event->object, (uint32_t)__builtin_ctz(left));
    state->woken |= (uint16_t)(left & -left);
}

static void access(const struct small_trace *trace, struct small_state *state,
                   const struct small_event *event)
{
    if (trace->model == MODEL_BRANCH && op_in(event->op, OPS_READING) &&
        !sees_the_same(state, event))
        state->tainted |= bit(event->thread);
    if (!op_in(event->op, OPS_WRITING))
        return;
    uint64_t variable = UINT64_C(1) << event->object;
    state->memory[event->object] = event->class;
    if (state->tainted & bit(event->thread))
        state->tainted_memory |= variable;
    else
        state->tainted_memory &= ~variable;
}

void small_execute(const struct small_trace *trace, struct small_state *state,
                   const struct small_event *event, uint32_t choice)
{
    uint16_t self = bit(event->thread);
    if (event->op == EVENT_SIGNAL) /* before `next` moves: nobody signals while waiting */
        wake_one(trace, state, event, choice);
    state->next[event->thread]++;
    if (op_in(event->op, OPS_ACCESS)) {
        access(trace, state, event);
        return;
    }
    switch (event->op) {
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_WRITE:
        if (!event->failed)
            state->owner[event->lock] = self;
        break;
    case EVENT_ACQUIRE_READ:
        if (!event->failed)
            state->readers[event->lock] |= self;
        break;
    case EVENT_WAIT_END:
        state->owner[event->lock] = self;
        state->woken &= (uint16_t)~self;
        note_leaving(trace, state, event->thread);
        break;
    case EVENT_RELEASE:
    case EVENT_RELEASE_WRITE:
    case EVENT_WAIT_BEGIN:
        state->owner[event->lock] = 0;
        break;
    case EVENT_RELEASE_READ:
        state->readers[event->lock] &= (uint16_t)~self;
        break;
    case EVENT_BROADCAST:
        wake_all(trace, state, event->object);
        break;
    case EVENT_BARRIER_ENTER:
        state->entered[event->object]++;
        break;
    case EVENT_POST:
        state->counts[event->object]++;
        break;
    case EVENT_SEM_WAIT:
        state->counts[event->object] -= !event->failed;
        break;
    case EVENT_ONCE_END:
        state->once_done[event->object] = true;
        break;
    default:
        break;
    }
}

uint32_t small_key_words(const struct small_trace *trace)
{
    uint32_t bytes = trace->threads + trace->tracked_count;
    bytes += trace->model == MODEL_BRANCH ? 8 + 2 : 0;
    bytes += trace->has_conditions ? 2 : 0;
    bytes += trace->gives_up ? 2 * trace->threads : 0;
    return (bytes + 7) / 8;
}

void small_key(const struct small_trace *trace, const struct small_state *state, uint64_t *key)
{
    unsigned char bytes[8 * SMALL_KEY_WORDS] = {0};
    unsigned char *at = bytes;
    memcpy(at, state->next, trace->threads);
    at += trace->threads;
    for (uint32_t i = 0; i < trace->tracked_count; i++)
        *at++ = state->memory[trace->tracked[i]];
    if (trace->model == MODEL_BRANCH) {
        memcpy(at, &state->tainted_memory, sizeof state->tainted_memory);
        at += sizeof state->tainted_memory;
        memcpy(at, &state->tainted, sizeof state->tainted);
        at += sizeof state->tainted;
    }
    if (trace->has_conditions) {
        memcpy(at, &state->woken, sizeof state->woken);
        at += sizeof state->woken;
    }
    if (trace->gives_up)
        memcpy(at, state->could_be, trace->threads * sizeof *state->could_be);
    memcpy(key, bytes, 8 * small_key_words(trace));
}
