/* SPDX-License-Identifier: MIT */
/* Strikes after a little disorder.
 *
 * The window's thread waits at the gate: at the window's end, or where it takes locks
 * that it still holds there. Then comes the culprit, with the rest of its section if
 * the window's thread needs the lock; then what is left of the window. Of the other threads
 * only what these two need is executed: a thread that gets stuck in a section it
 * need not have entered is in the way. */
#include "search/nearby_state.h"

struct strike {
    uint32_t begin, end, culprit;
    uint32_t gate, finish; /* finish: the culprit, or where its section ends */
};

static bool is_done(const struct machine *machine, const struct strike *strike)
{
    return machine_executed(machine, strike->culprit) && machine_executed(machine, strike->begin) &&
           machine_forbids_sync(machine, strike->end) == RULE_NONE;
}

/* Where the section that begins at `pos` ends, as far as a short look ahead tells. */
static uint32_t release_of(const struct history *history, uint32_t pos)
{
    const struct event *acquire = &history->events[pos];
    uint32_t length = history_thread_length(history, acquire->thread);
    for (uint32_t i = history->index[pos] + 1, seen = 0; i < length && seen < SCAN_LIMIT;
         i++, seen++) {
        uint32_t at = history_pos(history, acquire->thread, i);
        const struct event *event = &history->events[at];
        if (event_releases(event) && event_lock(event) == event_lock(acquire))
            return at;
    }
    return POS_NONE;
}

/* Wants `pos` executed; true if that is new to a pass that has come down to `at`. */
static bool need(struct nearby *nearby, uint32_t pos, uint32_t at)
{
    uint32_t *needed = &nearby->needed[nearby->rules->history->events[pos].thread];
    if (*needed > pos)
        return false;
    *needed = pos + 1;
    return pos > at;
}

/* What an event that is needed needs in turn: the write that it reads, the end of the
 * section if the lock is wanted afterwards, the end of a thread it joins. Of all else, to
 * be sure, whatever came before it. True if something is new to the pass. */
static bool need_for(struct nearby *nearby, uint32_t pos, uint32_t from)
{
    const struct history *history = nearby->rules->history;
    const struct event *event = &history->events[pos];
    bool news = false;
    if (op_in(event->op, OPS_ACCESS)) {
        uint32_t write = event_reads(event) ? nearby->rules->reads_from[pos] : POS_NONE;
        bool kept = nearby->rules->model != MODEL_SYNC || op_in(event->op, OPS_BOUND);
        return write != POS_NONE && write >= from && kept && need(nearby, write, pos);
    }
    if (event_acquires(event) && event->op != EVENT_WAIT_END) {
        bool first;
        map_at(&nearby->wanted, event_lock(event), &first);
        uint32_t release = first ? POS_NONE : release_of(history, pos);
        return release != POS_NONE && need(nearby, release, pos);
    }
    if (event->op == EVENT_JOIN) {
        uint32_t length = history_thread_length(history, event->object);
        return length && need(nearby, history_pos(history, event->object, length - 1), pos);
    }
    if (op_in(event->op, OPS_RELEASING | OPS_LOCAL | OP_BIT(EVENT_FORK) | OP_BIT(EVENT_END) |
                             OP_BIT(EVENT_POST) | OP_BIT(EVENT_FENCE)))
        return false;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (nearby->needed[thread] < pos) {
            nearby->needed[thread] = pos;
            news = true;
        }
    return news;
}

/* Where the window's thread begins to hold what it holds at the end, inside the window. */
static uint32_t gate_of(const struct history *history, const struct strike *strike)
{
    uint32_t thread = history->events[strike->end].thread, gate = strike->end, closed = 0;
    uint32_t first = history->index[strike->begin];
    for (uint32_t i = history->index[strike->end]; i > first + 1;) {
        uint32_t pos = history_pos(history, thread, --i);
        const struct event *event = &history->events[pos];
        if (event_releases(event))
            closed++;
        else if (event_acquires(event) && closed)
            closed--;
        else if (event_acquires(event) && event->op != EVENT_WAIT_END)
            gate = pos;
    }
    return gate;
}

/* Does the window's thread acquire the lock between gate and end? */
static bool is_in_the_way(const struct history *history, const struct strike *strike, uint32_t lock)
{
    uint32_t thread = history->events[strike->end].thread;
    for (uint32_t i = history->index[strike->gate]; i <= history->index[strike->end]; i++) {
        const struct event *event = &history->events[history_pos(history, thread, i)];
        if (event_acquires(event) && event_lock(event) == lock)
            return true;
    }
    return false;
}

static uint32_t finish_of(const struct history *history, const struct strike *strike)
{
    uint32_t thread = history->events[strike->culprit].thread, finish = strike->culprit, closed = 0;
    for (uint32_t i = history->index[strike->culprit] + 1, seen = 0; i > 0 && seen < SCAN_LIMIT;
         seen++) {
        uint32_t pos = history_pos(history, thread, --i);
        const struct event *event = &history->events[pos];
        if (event_releases(event)) {
            closed++;
        } else if (event_acquires(event) && closed) {
            closed--;
        } else if (event_acquires(event) && is_in_the_way(history, strike, event_lock(event))) {
            uint32_t release = release_of(history, pos);
            finish = release != POS_NONE && release > finish ? release : finish;
        }
    }
    return finish;
}

static uint32_t last_needed(const struct nearby *nearby)
{
    uint32_t last = 1;
    for (uint32_t thread = 0; thread < nearby->rules->history->threads; thread++)
        last = nearby->needed[thread] > last ? nearby->needed[thread] : last;
    return last - 1;
}

/* What the strike needs of the events from `from` on, as a prefix of each thread: closed
 * under what its events need. False if that leads past the gate. */
static bool find_needs(struct nearby *nearby, const struct strike *strike, uint32_t from)
{
    const struct history *history = nearby->rules->history;
    uint32_t window = history->events[strike->end].thread;
    memset(nearby->needed, 0, history->threads * sizeof *nearby->needed);
    need(nearby, strike->finish, strike->finish);
    nearby->needed[window] = strike->gate;
    for (bool news = true; news && nearby->needed[window] <= strike->gate;) {
        news = false;
        map_clear(&nearby->wanted);
        if (event_acquires(&history->events[strike->gate]))
            map_at(&nearby->wanted, event_lock(&history->events[strike->gate]), NULL);
        uint32_t to = last_needed(nearby);
        for (uint32_t pos = to + 1; pos-- > from;)
            if (pos < nearby->needed[history->events[pos].thread] && pos != strike->culprit)
                news |= need_for(nearby, pos, from);
        nearby->work += (to - from) / 4; /* looking is cheaper than executing */
    }
    return nearby->needed[window] <= strike->gate;
}

/* One pass over the observed order: every thread goes on as far as it is needed and the
 * rules let it. The culprit is excused for what it reads, and runs only once the
 * window is open; all is over when the window can be closed. */
static bool strike_pass(struct nearby *nearby, struct machine *machine, uint32_t from,
                        const struct strike *strike, bool *moved)
{
    const struct history *history = nearby->rules->history;
    uint32_t to = last_needed(nearby);
    to = to < history->count ? to : history->count - 1;
    memset(nearby->stuck, 0, history->threads * sizeof *nearby->stuck);
    *moved = false;
    nearby->work += (to - from) / 4;
    for (uint32_t pos = from; pos <= to; pos++) {
        uint32_t thread = history->events[pos].thread;
        if (nearby->stuck[thread] || machine_executed(machine, pos))
            continue;
        nearby->work++;
        bool culprit = pos == strike->culprit;
        bool early = culprit && !machine_executed(machine, strike->begin);
        if (pos == nearby->stop_at[thread] || pos >= nearby->needed[thread] || early ||
            (culprit ? machine_forbids_sync(machine, pos) : machine_forbids(machine, pos))) {
            nearby->stuck[thread] = true;
            continue;
        }
        machine_execute(machine, pos);
        array_push(&nearby->order, pos);
        *moved = true;
        if (is_done(machine, strike))
            return true;
    }
    return false;
}

/* Observed up to `from`, then disorder. With `hold_back` the culprit's thread waits there
 * until all others have come as far as they can. */
static bool strike_from(struct nearby *nearby, const struct strike *strike, uint32_t from,
                        bool hold_back)
{
    const struct history *history = nearby->rules->history;
    uint32_t window = history->events[strike->end].thread;
    memset(nearby->stop_at, 0xff, history->threads * sizeof *nearby->stop_at);
    nearby->stop_at[window] = strike->gate;
    uint32_t *held = &nearby->stop_at[history->events[strike->culprit].thread];
    *held = hold_back ? from : POS_NONE;
    struct machine *machine = nearby_observed_until(nearby, from);
    nearby->order.count = 0;
    bool found = is_done(machine, strike);
    for (int passes = 0; passes < 2 * PASSES && !found; passes++) {
        bool moved, waited = *held != POS_NONE;
        found = strike_pass(nearby, machine, from, strike, &moved);
        *held = POS_NONE;
        bool struck = machine_executed(machine, strike->culprit);
        if (found || (!moved && !waited && nearby->stop_at[window] == strike->end))
            break;
        if (struck && (!moved || machine_executed(machine, strike->finish))) {
            nearby->stop_at[window] = strike->end;
            if (nearby->needed[window] < strike->end)
                nearby->needed[window] = strike->end;
        } else if (!moved && !waited) {
            break;
        }
    }
    machine_destroy(machine);
    return found;
}

/* First with what is needed alone; then, nearby, with all that can be executed. */
static bool strike_attempt(struct nearby *nearby, const struct strike *strike, uint32_t from,
                           bool hold_back)
{
    enum { VERY_NEAR = 4096 };
    const struct history *history = nearby->rules->history;
    if (find_needs(nearby, strike, from) && strike_from(nearby, strike, from, hold_back))
        return true;
    uint32_t to = strike->finish > strike->end ? strike->finish : strike->end;
    if (to - from > VERY_NEAR)
        return false;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        nearby->needed[thread] = to + 1;
    return strike_from(nearby, strike, from, hold_back);
}

uint32_t nearby_begin(const uint32_t *events)
{
    return events[2] < events[0] ? events[2] : events[1];
}

bool nearby_strike(struct nearby *nearby, const uint32_t *events, uint32_t **witness,
                   uint32_t *length)
{
    const struct history *history = nearby->rules->history;
    struct strike strike = {.begin = events[0], .end = events[1], .culprit = events[2]};
    bool before = strike.culprit<strike.begin, after = strike.culprit> strike.end;
    uint32_t apart = before ? strike.end - strike.culprit : after ? strike.culprit - strike.end : 0;
    if (apart > SPAN_LIMIT)
        return false;
    strike.gate = after || before ? gate_of(history, &strike) : strike.end;
    strike.finish = finish_of(history, &strike);
    uint32_t from = before ? nearby_outermost_acquire(history, strike.culprit) : strike.gate;
    if (!strike_attempt(nearby, &strike, from, before)) {
        if (!before || from == strike.culprit ||
            !strike_attempt(nearby, &strike, strike.culprit, false))
            return false;
        from = strike.culprit;
    }
    *length = from + (uint32_t)nearby->order.count + 1;
    if (witness)
        *witness = nearby_witness(nearby, &strike.end, 1, from, length);
    return true;
}
