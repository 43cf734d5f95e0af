#include "model/checker.h"

#include "model/semaphore_locks.h"

#include <stdlib.h>

static bool complain(struct complaint *complaint, uint32_t at, uint32_t pos, const char *rule)
{
    *complaint = (struct complaint){.at = at, .pos = pos, .rule = rule};
    return false;
}

/* Executes witness[from .. to) with all rules, except that the memory rules are
 * waived for `waived`. */
static bool run(struct machine *machine, const struct claim *claim, uint32_t from, uint32_t to,
                uint32_t waived, struct complaint *complaint)
{
    for (uint32_t at = from; at < to; at++) {
        uint32_t pos = claim->witness[at];
        enum rule rule =
            pos == waived ? machine_forbids_sync(machine, pos) : machine_forbids(machine, pos);
        if (rule != RULE_NONE)
            return complain(complaint, at, pos, rule_text(rule));
        machine_execute(machine, pos);
    }
    return true;
}

static bool among(const uint32_t *events, uint32_t count, uint32_t pos)
{
    for (uint32_t i = 0; i < count; i++)
        if (events[i] == pos)
            return true;
    return false;
}

/* The last event_count events of the witness are the claimed ones. */
static bool ends_in_claim(const struct claim *claim, struct complaint *complaint)
{
    uint32_t count = claim->event_count;
    uint32_t start = claim->witness_length - count;
    for (uint32_t i = 0; i < count; i++)
        if (!among(claim->events, count, claim->witness[start + i]))
            return complain(complaint, start + i, claim->witness[start + i],
                            "a witness ends in the events of its error");
    return true;
}

/* Next of their threads, and the threads have started. */
static bool are_next(const struct machine *machine, const struct claim *claim,
                     struct complaint *complaint)
{
    uint32_t start = claim->witness_length - claim->event_count;
    for (uint32_t at = start; at < claim->witness_length; at++) {
        enum rule rule = machine_forbids_sync(machine, claim->witness[at]);
        if (rule == RULE_PROGRAM_ORDER || rule == RULE_FORK)
            return complain(complaint, at, claim->witness[at], rule_text(rule));
    }
    return true;
}

static bool check_race(const struct rules *rules, const struct machine *machine,
                       const struct claim *claim, struct complaint *complaint)
{
    uint32_t last = claim->witness_length - 1;
    const struct event *a = &rules->history->events[claim->witness[last - 1]];
    const struct event *b = &rules->history->events[claim->witness[last]];
    if (!event_conflict(a, b))
        return complain(complaint, last, claim->witness[last],
                        "the two events of a race conflict: one object, two threads, a write, "
                        "not both atomic");
    return are_next(machine, claim, complaint);
}

static bool is_lock(const struct history *history, uint32_t semaphore)
{
    bool *locks = semaphore_locks(history);
    bool lock = locks && locks[semaphore];
    free(locks);
    return lock;
}

/* A wait for a condition that only `thread` can still signal. */
static bool lacks_signal_of(const struct history *history, const struct machine *machine,
                            uint32_t pos, uint32_t thread)
{
    const struct event *wait = &history->events[pos];
    if (wait->op != EVENT_WAIT_END || wait->flags & (EVENT_TRY | EVENT_FAILED) ||
        machine_forbids_sync(machine, pos) != RULE_SIGNAL)
        return false;
    for (uint32_t other = 0; other < history->count; other++) {
        const struct event *event = &history->events[other];
        if ((event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST) &&
            event->object == wait->object && event->thread != thread &&
            event->thread != wait->thread && !machine_executed(machine, other))
            return false;
    }
    return true;
}

/* A once-routine that `thread` has begun and not ended. */
static bool lacks_end_of(const struct history *history, const struct machine *machine, uint32_t pos,
                         uint32_t thread)
{
    const struct event *pass = &history->events[pos];
    if (machine_forbids_sync(machine, pos) != RULE_ONCE)
        return false;
    for (uint32_t other = 0; other < history->count; other++) {
        const struct event *event = &history->events[other];
        if (event->op == EVENT_ONCE_BEGIN && event->object == pass->object)
            return event->thread == thread && machine_executed(machine, other);
    }
    return false;
}

/* Does `pos` wait for something that only the other event's thread can give? */
static bool waits_for(const struct history *history, const struct machine *machine, uint32_t pos,
                      uint32_t other)
{
    const struct event *event = &history->events[pos];
    uint32_t thread = history->events[other].thread;
    if (event->op == EVENT_SEM_WAIT)
        return machine_forbids_sync(machine, pos) == RULE_SEMAPHORE && thread != event->thread &&
               is_lock(history, event->object) &&
               semaphore_held_before(history, other, event->object);
    if (event->op == EVENT_ONCE_PASS)
        return lacks_end_of(history, machine, pos, thread);
    if (lacks_signal_of(history, machine, pos, thread))
        return true;
    if (event->op == EVENT_JOIN)
        return event->object == thread && machine_forbids_sync(machine, pos) == RULE_JOIN;
    return machine_forbids_sync(machine, pos) == RULE_LOCK_HELD &&
           machine_blocked_by(machine, pos, thread) && thread != event->thread;
}

/* A wait that nobody will ever wake: all signals of others are spent. */
static bool check_lost_wakeup(const struct rules *rules, const struct machine *machine,
                              const struct claim *claim, struct complaint *complaint)
{
    const struct history *history = rules->history;
    uint32_t at = claim->witness_length - 1, pos = claim->witness[at];
    const struct event *wait = &history->events[pos];
    if (wait->op != EVENT_WAIT_END || wait->flags & (EVENT_TRY | EVENT_FAILED) ||
        machine_forbids_sync(machine, pos) != RULE_SIGNAL)
        return complain(complaint, at, pos,
                        "a deadlock of one event is a wait that lacks its signal");
    for (uint32_t other = 0; other < history->count; other++) {
        const struct event *event = &history->events[other];
        if ((event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST) &&
            event->object == wait->object && event->thread != wait->thread &&
            !machine_executed(machine, other))
            return complain(complaint, at, other, "no signal is left for a lost wake-up");
    }
    return true;
}

static bool check_deadlock(const struct rules *rules, const struct machine *machine,
                           const struct claim *claim, struct complaint *complaint)
{
    if (!are_next(machine, claim, complaint))
        return false;
    uint32_t count = claim->event_count;
    if (count == 1)
        return check_lost_wakeup(rules, machine, claim, complaint);
    const struct event *events = rules->history->events;
    const uint32_t *cycle = claim->witness + claim->witness_length - count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = claim->witness_length - count + i;
        const struct event *event = &events[cycle[i]];
        bool other = event->op == EVENT_JOIN || event->op == EVENT_ONCE_PASS ||
                     (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED));
        if ((!other && !event_acquires(event)) || event->flags & EVENT_TRY)
            return complain(complaint, at, cycle[i],
                            "a deadlock consists of blocking acquires, joins and waits");
        if (!waits_for(rules->history, machine, cycle[i], cycle[(i + 1) % count]))
            return complain(complaint, at, cycle[i],
                            "each thread of a deadlock waits for a lock that the thread of the "
                            "next event holds, or for that thread's end, signal or "
                            "once-routine");
    }
    return true;
}

static bool check_atomicity(const struct rules *rules, const struct claim *claim,
                            struct complaint *complaint)
{
    uint32_t begin = claim->events[0], end = claim->events[1], culprit = claim->events[2];
    const struct event *events = rules->history->events;
    uint32_t last = claim->witness_length - 1;
    uint32_t at_begin = POS_NONE, at_culprit = POS_NONE;
    for (uint32_t at = 0; at < last; at++) {
        if (claim->witness[at] == begin)
            at_begin = at;
        if (claim->witness[at] == culprit)
            at_culprit = at;
    }
    if (claim->witness[last] != end)
        return complain(complaint, last, claim->witness[last],
                        "an atomicity witness ends in the end of the window");
    if (at_begin == POS_NONE || at_culprit == POS_NONE || at_culprit < at_begin)
        return complain(complaint, last, end, "the culprit runs inside the window");
    if (events[begin].thread != events[end].thread || events[culprit].thread == events[end].thread)
        return complain(complaint, at_culprit, culprit,
                        "the window is one thread's, the culprit another's");
    return true;
}

static bool check_prefix(const struct rules *rules, const struct claim *claim,
                         struct complaint *complaint)
{
    struct machine *machine = machine_create(rules);
    bool good;
    if (claim->kind == FINDING_ATOMICITY) {
        uint32_t last = claim->witness_length - 1;
        good = check_atomicity(rules, claim, complaint) &&
               run(machine, claim, 0, last, claim->events[2], complaint) &&
               run(machine, claim, last, last + 1, claim->events[1], complaint);
    } else {
        uint32_t prefix = claim->witness_length - claim->event_count;
        good = ends_in_claim(claim, complaint) &&
               run(machine, claim, 0, prefix, POS_NONE, complaint) &&
               (claim->kind == FINDING_RACE ? check_race(rules, machine, claim, complaint)
                                            : check_deadlock(rules, machine, claim, complaint));
    }
    machine_destroy(machine);
    return good;
}

bool witness_check(const struct rules *rules, const struct claim *claim,
                   struct complaint *complaint)
{
    uint32_t wanted = claim->kind == FINDING_RACE ? 2 : claim->kind == FINDING_ATOMICITY ? 3 : 0;
    if ((wanted && claim->event_count != wanted) || claim->event_count < 1)
        return complain(complaint, 0, POS_NONE, "an error has its number of events");
    if (claim->witness_length < claim->event_count)
        return complain(complaint, 0, POS_NONE, "a witness ends in the events of its error");
    for (uint32_t at = 0; at < claim->witness_length; at++)
        if (claim->witness[at] >= rules->history->count)
            return complain(complaint, at, claim->witness[at],
                            "a witness consists of events of its trace");
    for (uint32_t i = 0; i < claim->event_count; i++)
        if (claim->events[i] >= rules->history->count)
            return complain(complaint, 0, claim->events[i],
                            "an error consists of events of its trace");
    return check_prefix(rules, claim, complaint);
}
