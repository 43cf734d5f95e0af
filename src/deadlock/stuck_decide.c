/* SPDX-License-Identifier: MIT */
/* One tuple of waits: a deadlock, none, or not known. */
#include "deadlock/stuck_decide.h"

#include "base/interruption.h"
#include "engine/found.h"
#include "deadlock/stuck_table.h"

enum {
    EXPLORED_EVENTS = 2048, /* of a trace, or window, that is explored at all */
    TABLE_STATES = 3 << 19, /* to find all deadlocks at once */
    EXPLORED_STATES = 1 << 16,
    EXPLORED_IN_ALL = 1 << 18,
    STATE_WORK = 16, /* of a state, where an event that is executed is 1 */
};

struct number_list ARRAY_OF(uint32_t);

struct stuck_decider {
    const struct stuck_sets *sets;
    const struct history *history;
    struct state_visit *visit;
    struct stuck_table *table; /* NULL until somebody asks */
    bool *several_wait;        /* by condition; made when somebody asks */
    uint64_t explored;
    struct number_list room; /* for a schedule */
};

/* By condition: do several threads wait at it? Some may never have returned. */
static bool *find_waiters(const struct history *history)
{
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION);
    bool *several = NEW_ARRAY(bool, conditions);
    uint32_t *waiter = NEW_ARRAY(uint32_t, conditions);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op != EVENT_WAIT_BEGIN)
            continue;
        several[event->object] |=
            waiter[event->object] && waiter[event->object] != event->thread + 1;
        waiter[event->object] = event->thread + 1;
    }
    free(waiter);
    return several;
}

struct stuck_decider *stuck_decider_create(const struct stuck_sets *sets)
{
    struct stuck_decider *decider = NEW(struct stuck_decider);
    decider->sets = sets;
    decider->history = sets->run->history;
    return decider;
}

void stuck_decider_destroy(struct stuck_decider *decider)
{
    if (!decider)
        return;
    stuck_table_destroy(decider->table);
    state_visit_destroy(decider->visit);
    array_free(&decider->room);
    free(decider->several_wait);
    free(decider);
}

static const char *sentence(const struct stuck_members *members)
{
    if (members->count == 1)
        return members->classes[0]->wanted == WANTS_SIGNAL
                   ? "lost wake-up: the wait can be left without a signal"
                   : "nobody else is left to post the semaphore";
    for (uint32_t i = 0; i < members->count; i++)
        if (members->classes[i]->wanted == WANTS_SIGNAL)
            return "all who could signal the condition wait for each other";
    for (uint32_t i = 0; i < members->count; i++)
        if (members->classes[i]->wanted == WANTS_POST)
            return "all who could post the semaphore wait for each other";
    return "each waits for what only the others can give";
}

static void report(struct stuck_decider *decider, const struct stuck_members *members,
                   const uint32_t *events, const struct search_witness *witness)
{
    const struct stuck_sets *sets = decider->sets;
    const struct history *history = decider->history;
    struct finding_event *places = NEW_ARRAY(struct finding_event, members->count);
    found_events(places, history, events, members->count);
    char *note = sets->note ? sets->note(sets->context, witness, members->count) : NULL;
    const struct event *first = &history->events[events[0]];
    struct finding finding = found_deadlock(sets->run, sets->model, first, places, members->count);
    if (members->classes[0]->wanted != WANTS_LOCK) { /* a return waits for its signal, then */
        finding.object_class = event_object_class(first->op);
        finding.object = first->object;
    }
    finding.witness = (uint32_t *)witness->events;
    finding.witness_length = witness->length;
    finding.note = note ? note : sentence(members);
    findings_add(sets->run->findings, &finding);
    free(places);
    free(note);
}

static void work(const struct stuck_decider *decider, uint64_t done)
{
    uint64_t *left = decider->sets->work;
    *left -= done < *left ? done : *left;
}

/* Who may go on: everybody, those of the set, the others. */
enum part { EVERYBODY, OF_SET, OTHERS, PARTS };

/* A schedule in the making, after what lies before the window: threads of the set stop at
 * their events. */
struct play {
    struct stuck_decider *decider;
    const struct stuck_goal *goal;
    struct machine *machine;
    uint32_t past[PARTS]; /* by part: whoever is of it has executed what lies before, or stands */
};

static void play_begin(struct play *play)
{
    struct stuck_decider *decider = play->decider;
    play->machine = machine_copy(decider->sets->start);
    decider->room.count = 0;
    for (uint32_t pos = 0; pos < decider->sets->from; pos++)
        array_push(&decider->room, pos);
}

static void play_event(struct play *play, uint32_t pos)
{
    machine_execute(play->machine, pos);
    array_push(&play->decider->room, pos);
}

/* The event of the set at which the thread stops, or POS_NONE. */
static uint32_t stop_of(const struct play *play, uint32_t thread)
{
    for (uint32_t i = 0; i < play->goal->count; i++)
        if (play->decider->history->events[play->goal->events[i]].thread == thread)
            return play->goal->events[i];
    return POS_NONE;
}

static bool is_of(const struct play *play, uint32_t thread, enum part part)
{
    return part == EVERYBODY || (stop_of(play, thread) != POS_NONE) == (part == OF_SET);
}

static bool may_go_on(const struct play *play, uint32_t pos)
{
    uint32_t thread = play->decider->history->events[pos].thread;
    return pos != stop_of(play, thread) && machine_forbids(play->machine, pos) == RULE_NONE;
}

/* The earliest event that is left to a thread of the part which does not stand at its stop. */
static uint32_t first_left(struct play *play, enum part part)
{
    const struct stuck_decider *decider = play->decider;
    uint32_t *pos = &play->past[part];
    for (; *pos < decider->sets->to; ++*pos) {
        uint32_t thread = decider->history->events[*pos].thread, stop = stop_of(play, thread);
        if (is_of(play, thread, part) && !machine_executed(play->machine, *pos) &&
            (stop == POS_NONE || *pos < stop))
            return *pos;
    }
    return POS_NONE;
}

/* The earliest event that a thread of the part may execute now; POS_NONE if there is none. Nearly
 * always nobody has left any before it; of thousands of threads not all are asked then. */
static uint32_t next_of(struct play *play, enum part part)
{
    const struct stuck_decider *decider = play->decider;
    uint32_t earliest = first_left(play, part);
    if (earliest == POS_NONE || may_go_on(play, earliest))
        return earliest;
    earliest = POS_NONE;
    for (uint32_t thread = 0; thread < decider->history->threads && !interruption_asked();
         thread++) {
        uint32_t pos = machine_next(play->machine, thread);
        if (pos < earliest && pos < decider->sets->to && is_of(play, thread, part) &&
            may_go_on(play, pos))
            earliest = pos;
    }
    return interruption_asked() ? POS_NONE : earliest;
}

/* Lets everybody go on who is not of the set, in the observed order as far as possible. */
static void play_others(struct play *play)
{
    for (uint32_t pos; (pos = next_of(play, OTHERS)) != POS_NONE;)
        play_event(play, pos);
}

static bool play_stands(const struct play *play)
{
    const struct stuck_decider *decider = play->decider;
    for (uint32_t i = 0; i < play->goal->count; i++) {
        uint32_t pos = play->goal->events[i];
        if (machine_next(play->machine, decider->history->events[pos].thread) != pos ||
            machine_forbids_sync(play->machine, pos) == RULE_FORK)
            return false;
    }
    return blocking_deadlock(decider->sets->blocking, play->machine, play->goal->events,
                             play->goal->count);
}

/* Ends a schedule, and reports it if it is good. */
static bool play_end(struct play *play, const struct stuck_members *members, bool good)
{
    struct stuck_decider *decider = play->decider;
    machine_destroy(play->machine);
    work(decider, (decider->room.count - decider->sets->from) *
                      (1 + (uint64_t)decider->history->threads / 8));
    if (!good)
        return false;
    for (uint32_t i = 0; i < play->goal->count; i++)
        array_push(&decider->room, play->goal->events[i]);
    const struct search_witness witness = {decider->room.items, (uint32_t)decider->room.count};
    report(decider, members, play->goal->events, &witness);
    return true;
}

/* Does the schedule, whose first `length` events lead to where the events are next, end in
 * the deadlock, at the latest when all others have gone on? */
static bool proves(struct stuck_decider *decider, const struct stuck_members *members,
                   const struct stuck_goal *goal, const struct search_witness *found,
                   uint32_t length)
{
    struct play play = {.decider = decider, .goal = goal};
    play_begin(&play);
    for (uint32_t i = decider->sets->from; i < length; i++)
        play_event(&play, found->events[i]);
    bool good = play_stands(&play);
    if (!good) {
        play_others(&play);
        good = play_stands(&play);
    }
    return play_end(&play, members, good);
}

/* The simplest schedule there is: the set comes as late as it can. */
static bool comes_late(struct stuck_decider *decider, const struct stuck_members *members,
                       const struct stuck_goal *goal)
{
    struct play play = {.decider = decider, .goal = goal};
    play_begin(&play);
    play_others(&play);
    for (uint32_t pos; (pos = next_of(&play, OF_SET)) != POS_NONE;) {
        play_event(&play, pos);
        play_others(&play);
    }
    return play_end(&play, members, play_stands(&play));
}

/* Or that of the observed run, as far as the rules allow. */
static bool comes_as_observed(struct stuck_decider *decider, const struct stuck_members *members,
                              const struct stuck_goal *goal)
{
    struct play play = {.decider = decider, .goal = goal};
    play_begin(&play);
    for (uint32_t pos; (pos = next_of(&play, EVERYBODY)) != POS_NONE;)
        play_event(&play, pos);
    return play_end(&play, members, play_stands(&play));
}

/* A wait alone: can it begin after all signals that others give? Exact if nobody else could
 * have got one that came later. */
static enum search_answer begins_late(struct stuck_decider *decider, uint32_t wait,
                                      const struct stuck_goal *goal, struct search_witness *witness)
{
    const struct history *history = decider->history;
    struct number_list events = {0};
    bool broadcasts = true;
    for (uint32_t i = 0; i < goal->executed_count; i++) {
        broadcasts &= history->events[goal->executed[i]].op == EVENT_BROADCAST;
        array_push(&events, goal->executed[i]);
    }
    uint32_t begin = history_pos(history, history->events[wait].thread, history->index[wait] - 1);
    array_push(&events, begin);
    struct search_query query = {SEARCH_PRECEDES, events.items, (uint32_t)events.count,
                                 decider->sets->run->options->budget};
    enum search_answer answer = SEARCH_EXHAUSTED;
    if (history->events[begin].op == EVENT_WAIT_BEGIN && events.count > 1)
        answer = search_reach(decider->sets->search, &query, witness);
    if (!decider->several_wait)
        decider->several_wait = find_waiters(history);
    if (answer == SEARCH_REFUTED && !broadcasts &&
        decider->several_wait[history->events[wait].object])
        answer = SEARCH_EXHAUSTED;
    array_free(&events);
    return answer;
}

/* Every deadlock there is, if the states are few. */
static void make_table(struct stuck_decider *decider)
{
    const struct stuck_sets *sets = decider->sets;
    uint64_t states = *sets->work / STATE_WORK;
    decider->visit = state_visit_create(sets->rules, sets->blocking, sets->start, sets->from,
                                        sets->to, sets->run->options->jobs);
    decider->table =
        stuck_table_create(decider->visit, states < TABLE_STATES ? states : TABLE_STATES);
    work(decider, STATE_WORK * state_visit_states(decider->visit));
}

static enum search_answer look_up(struct stuck_decider *decider,
                                  const struct stuck_members *members, const uint32_t *events)
{
    struct search_witness witness;
    enum search_answer answer = stuck_table_find(decider->table, events, members->count, &witness);
    if (answer == SEARCH_WITNESS)
        report(decider, members, events, &witness);
    return answer;
}

static enum search_answer explore(struct stuck_decider *decider,
                                  const struct stuck_members *members, const uint32_t *events)
{
    const struct stuck_sets *sets = decider->sets;
    struct search_witness witness;
    if (sets->to - sets->from > EXPLORED_EVENTS)
        return SEARCH_EXHAUSTED;
    if (!decider->table)
        make_table(decider);
    enum search_answer answer = look_up(decider, members, events);
    if (answer != SEARCH_EXHAUSTED || decider->explored > EXPLORED_IN_ALL)
        return answer;
    answer =
        state_visit_deadlock(decider->visit, events, members->count, EXPLORED_STATES, &witness);
    decider->explored += state_visit_states(decider->visit);
    work(decider, STATE_WORK * state_visit_states(decider->visit));
    if (answer == SEARCH_WITNESS)
        report(decider, members, events, &witness);
    return answer;
}

enum search_answer stuck_decide(struct stuck_decider *decider, const struct stuck_members *members,
                                const struct stuck_goal *goal)
{
    const struct stuck_sets *sets = decider->sets;
    struct search_witness witness;
    enum search_answer answer = SEARCH_EXHAUSTED;
    if (decider->table)
        answer = look_up(decider, members, goal->events);
    if (answer != SEARCH_EXHAUSTED || !*sets->work || interruption_asked())
        return answer;
    if (comes_as_observed(decider, members, goal) || comes_late(decider, members, goal))
        return SEARCH_WITNESS;
    answer = sets->reach(sets->context, goal, &witness);
    if (answer == SEARCH_REFUTED)
        return answer;
    if (answer == SEARCH_WITNESS &&
        proves(decider, members, goal, &witness, witness.length - goal->count))
        return SEARCH_WITNESS;
    if (goal->count == 1 && members->classes[0]->wanted == WANTS_SIGNAL && sets->search) {
        answer = begins_late(decider, goal->events[0], goal, &witness);
        if (answer == SEARCH_REFUTED)
            return answer;
        if (answer == SEARCH_WITNESS && proves(decider, members, goal, &witness, witness.length))
            return SEARCH_WITNESS;
    }
    return explore(decider, members, goal->events);
}
