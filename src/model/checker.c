/* SPDX-License-Identifier: MIT */
#include "model/checker.h"

#include "model/blocking.h"
#include "model/hang.h"
#include "model/misuse.h"
#include "model/order.h"
#include "model/turns_run.h"
#include "model/untimely.h"
#include "trace/turns.h"

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
            pos == waived ? machine_forbids_sync(machine, pos) : machine_step(machine, pos);
        if (rule != RULE_NONE)
            return complain(complaint, at, pos, rule_text(rule));
        if (pos == waived)
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

/* Does the happens-before of the witness leave its last event unordered with the claimed
 * one before it? */
static bool is_unordered(const struct history *history, const struct claim *claim, uint32_t first)
{
    const struct event *events = history->events;
    struct order *order = order_create(ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS | ORDER_C11);
    struct epoch epoch = {events[first].thread, 0};
    uint32_t last = claim->witness_length - 1;
    for (uint32_t at = 0; at < last; at++) {
        const struct event *event = &events[claim->witness[at]];
        if (claim->witness[at] == first)
            epoch.tick = vclock_get(order_clock(order, event->thread), event->thread);
        order_step(order, event);
    }
    const struct vclock *clock = order_clock(order, events[claim->witness[last]].thread);
    bool unordered = epoch.tick && !vclock_saw(clock, epoch);
    order_destroy(order);
    return unordered;
}

/* A race of the second kind: both accesses are performed, one of them last. */
static bool performs_both(const struct claim *claim)
{
    const uint32_t *end = claim->witness + claim->witness_length;
    return claim->kind == FINDING_RACE && among(claim->events, 2, end[-1]) &&
           !among(claim->events, 2, end[-2]);
}

static bool check_unordered(const struct rules *rules, struct machine *machine, uint32_t begun,
                            const struct claim *claim, struct complaint *complaint)
{
    uint32_t last = claim->witness_length - 1, second = claim->witness[last];
    uint32_t first = claim->events[claim->events[0] == second];
    const struct event *events = rules->history->events;
    if (!event_conflict(&events[first], &events[second]))
        return complain(complaint, last, second,
                        "the two events of a race conflict: one object, two threads, a write, "
                        "not both atomic");
    if (!run(machine, claim, begun, last, POS_NONE, complaint))
        return false;
    enum rule rule = machine_forbids_sync(machine, second);
    if (rule == RULE_PROGRAM_ORDER || rule == RULE_FORK)
        return complain(complaint, last, second, rule_text(rule));
    return is_unordered(rules->history, claim, first) ||
           complain(complaint, last, second,
                    "the accesses of a race are both next, or happens-before leaves them "
                    "unordered");
}

/* Each event waits for the thread of the next one. */
/* Each waits for the next one, and for nobody else of them: part of them is no cycle. */
static bool is_cycle(const struct blocking *blocking, const struct machine *machine,
                     const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (blocking_kind(blocking, machine, events[i], true) != WAITING_ON_ONE)
            return false;
        for (uint32_t k = 0; k < count; k++)
            if (blocking_by(blocking, machine, events[i], true,
                            blocking->history->events[events[k]].thread) != (k == (i + 1) % count))
                return false;
    }
    return true;
}

static bool may_wait(const struct event *event)
{
    if (event->op == EVENT_WAIT_END)
        return true;
    bool other =
        op_in(event->op, OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_SEM_WAIT) | OP_BIT(EVENT_BARRIER_ENTER) |
                             OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_ONCE_PASS));
    return (other || event_acquires(event)) && !(event->flags & (EVENT_TRY | EVENT_FAILED));
}

/* What only some of the sets can say: that any of several could have helped. */
static bool has_helpers(const struct blocking *blocking, const struct machine *machine,
                        const uint32_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (blocking_kind(blocking, machine, events[i], false) == WAITING_ON_ALL)
            return true;
    return false;
}

static bool check_stuck(const struct blocking *blocking, const struct machine *machine,
                        const struct claim *claim, struct complaint *complaint)
{
    uint32_t count = claim->event_count, first = claim->witness_length - count;
    const uint32_t *events = claim->witness + first;
    for (uint32_t i = 0; i < count; i++)
        if (!may_wait(&blocking->history->events[events[i]]))
            return complain(complaint, first + i, events[i],
                            "a deadlock consists of operations that wait for good");
    if (count > 1 && is_cycle(blocking, machine, events, count))
        return true;
    if (has_helpers(blocking, machine, events, count) &&
        blocking_deadlock(blocking, machine, events, count))
        return true;
    return complain(complaint, first, events[0],
                    count == 1 ? "a deadlock of one event is a wait that lacks its signal, and no "
                                 "other thread has one left"
                               : "each thread of a deadlock waits for what only threads of it can "
                                 "give: a lock that the thread of the next event holds, its end, "
                                 "a barrier, a signal or a post");
}

static bool check_deadlock(const struct rules *rules, const struct machine *machine,
                           const struct claim *claim, struct complaint *complaint)
{
    if (!are_next(machine, claim, complaint))
        return false;
    struct blocking *blocking = blocking_create(rules);
    bool good = check_stuck(blocking, machine, claim, complaint);
    blocking_destroy(blocking);
    return good;
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

/* Performs all but the last event, none of them a misuse. */
static bool run_without_misuse(const struct misuse_index *index, struct machine *machine,
                               uint32_t begun, const struct claim *claim,
                               struct complaint *complaint)
{
    uint32_t last = claim->witness_length - 1, partner;
    for (uint32_t at = begun; at < last; at++) {
        uint32_t pos = claim->witness[at];
        if (index->any && misuse_at(index, machine, pos, &partner) != MISUSE_NONE)
            return complain(complaint, at, pos, "a run ends at its first misuse");
        enum rule rule = machine_step(machine, pos);
        if (rule != RULE_NONE)
            return complain(complaint, at, pos, rule_text(rule));
    }
    return true;
}

static bool check_misuse(const struct rules *rules, struct machine *machine, uint32_t begun,
                         const struct claim *claim, struct complaint *complaint)
{
    struct misuse_index *index = misuse_index_create(rules->history);
    uint32_t last = claim->witness_length - 1, pos = claim->witness[last];
    bool good = pos == claim->events[1]
                    ? run_without_misuse(index, machine, begun, claim, complaint)
                    : complain(complaint, last, pos, "a witness ends in the misuse");
    enum rule rule = good ? machine_forbids_sync(machine, pos) : RULE_NONE;
    if (rule == RULE_PROGRAM_ORDER || rule == RULE_FORK)
        good = complain(complaint, last, pos, rule_text(rule));
    if (good && misuse_between(index, machine, claim->events[0], pos) == MISUSE_NONE)
        good = complain(complaint, last, pos,
                        "a misuse is a destroy of a lock that another thread holds, or the use of "
                        "what was destroyed");
    misuse_index_destroy(index);
    return good;
}

static bool check_order(const struct rules *rules, struct machine *machine, uint32_t begun,
                        const struct claim *claim, struct complaint *complaint)
{
    uint32_t last = claim->witness_length - 1, pos = claim->witness[last];
    if (pos != claim->events[0])
        return complain(complaint, last, pos, "a witness of an order violation ends in the read");
    if (!run(machine, claim, begun, last, POS_NONE, complaint))
        return false;
    enum rule rule = machine_forbids_sync(machine, pos);
    if (rule == RULE_PROGRAM_ORDER || rule == RULE_FORK)
        return complain(complaint, last, pos, rule_text(rule));
    struct untimely read = {pos, claim->events[1]};
    return untimely_now(rules->history, machine, &read) ||
           complain(complaint, last, pos,
                    "an early read comes before every write of its variable, a late one after the "
                    "one that ends it");
}

static bool is_wish(const struct history *history, uint32_t pos)
{
    return pos >= history->count && pos < history_total(history);
}

/* The events of a deadlock that happened are wishes, all of them. */
static bool ends_in_wishes(const struct history *history, const struct claim *claim)
{
    return claim->kind == FINDING_DEADLOCK && is_wish(history, claim->events[0]);
}

static bool check_happened(const struct rules *rules, const struct claim *claim,
                           struct complaint *complaint)
{
    const struct history *history = rules->history;
    uint32_t prefix = claim->witness_length - claim->event_count;
    if (prefix != history->count)
        return complain(complaint, prefix, claim->events[0],
                        "what happened at the end comes after the whole recorded run");
    struct machine *machine = machine_create(rules);
    bool good =
        ends_in_claim(claim, complaint) && run(machine, claim, 0, prefix, POS_NONE, complaint);
    machine_destroy(machine);
    if (!good)
        return false;
    struct hang *hang = hang_find(history);
    good = hang_has(hang, claim->events, claim->event_count);
    hang_destroy(hang);
    return good || complain(complaint, prefix, claim->events[0],
                            "threads that are stuck at the end are so because of each other");
}

/* Takes over the machine, which has executed the first `begun` events. */
static bool check_prefix(const struct rules *rules, struct machine *machine, uint32_t begun,
                         const struct claim *claim, struct complaint *complaint)
{
    bool good;
    if (claim->kind == FINDING_ATOMICITY) {
        uint32_t last = claim->witness_length - 1;
        good = check_atomicity(rules, claim, complaint) &&
               run(machine, claim, begun, last, claim->events[2], complaint) &&
               run(machine, claim, last, last + 1, claim->events[1], complaint);
    } else if (claim->kind == FINDING_MISUSE) {
        good = check_misuse(rules, machine, begun, claim, complaint);
    } else if (claim->kind == FINDING_ORDER) {
        good = check_order(rules, machine, begun, claim, complaint);
    } else if (performs_both(claim)) {
        good = check_unordered(rules, machine, begun, claim, complaint);
    } else {
        uint32_t prefix = claim->witness_length - claim->event_count;
        good = ends_in_claim(claim, complaint) &&
               run(machine, claim, begun, prefix, POS_NONE, complaint) &&
               (claim->kind == FINDING_RACE ? check_race(rules, machine, claim, complaint)
                                            : check_deadlock(rules, machine, claim, complaint));
    }
    machine_destroy(machine);
    return good;
}

/* How many events at the end are not performed. */
static uint32_t ends_of(const struct claim *claim)
{
    bool performed = claim->kind == FINDING_ATOMICITY || claim->kind == FINDING_MISUSE ||
                     claim->kind == FINDING_ORDER;
    return performed || performs_both(claim) ? 0 : claim->event_count;
}

/* The claim with every event of its witness, for a check and no longer. */
static bool check_unfolded(const struct rules *rules, const struct claim *claim,
                           struct complaint *complaint)
{
    struct claim full = *claim;
    uint32_t *witness = turns_unfold(rules->history, claim->witness, claim->witness_length,
                                     ends_of(claim), &full.witness_length);
    full.witness = witness;
    full.in_turns = false;
    bool good = witness_check(rules, &full, complaint);
    free(witness);
    return good;
}

/* Where only the end of the witness is looked at twice, its events need not be listed. */
static bool check_turns(const struct rules *rules, const struct claim *claim,
                        struct complaint *complaint)
{
    if (!ends_of(claim) || ends_in_wishes(rules->history, claim))
        return check_unfolded(rules, claim, complaint);
    struct machine *machine = machine_create(rules);
    struct turns_stop stop;
    bool good = ends_in_claim(claim, complaint);
    if (good && !turns_run(machine, rules, claim->witness, claim->witness_length,
                           claim->event_count, &stop))
        good = complain(complaint, stop.at, stop.pos, rule_text(stop.rule));
    good = good && (claim->kind == FINDING_RACE ? check_race(rules, machine, claim, complaint)
                                                : check_deadlock(rules, machine, claim, complaint));
    machine_destroy(machine);
    return good;
}

/* It has the events that a claim of its kind has, and those are of the trace. */
static bool is_well_formed(const struct rules *rules, const struct claim *claim,
                           struct complaint *complaint)
{
    uint32_t wanted = claim->kind == FINDING_ATOMICITY  ? 3
                      : claim->kind == FINDING_DEADLOCK ? 0
                                                        : 2;
    if ((wanted && claim->event_count != wanted) || claim->event_count < 1)
        return complain(complaint, 0, POS_NONE, "an error has its number of events");
    uint32_t least = claim->kind == FINDING_ORDER ? 1 : claim->event_count;
    if (claim->witness_length < least)
        return complain(complaint, 0, POS_NONE, "a witness ends in the events of its error");
    bool happened = ends_in_wishes(rules->history, claim);
    uint32_t prefix = claim->witness_length - (happened ? claim->event_count : 0);
    for (uint32_t at = 0; at < claim->witness_length; at++)
        if (claim->witness[at] >= rules->history->count &&
            !(at >= prefix && is_wish(rules->history, claim->witness[at])))
            return complain(complaint, at, claim->witness[at],
                            "a witness consists of events of its trace");
    for (uint32_t i = 0; i < claim->event_count; i++)
        if (claim->events[i] >= rules->history->count &&
            !(happened && is_wish(rules->history, claim->events[i])))
            return complain(complaint, 0, claim->events[i],
                            "an error consists of events of its trace");
    return true;
}

bool witness_check_after(const struct rules *rules, const struct machine *begun, uint32_t count,
                         const struct claim *claim, struct complaint *complaint)
{
    return is_well_formed(rules, claim, complaint) &&
           check_prefix(rules, machine_copy(begun), count, claim, complaint);
}

bool witness_check(const struct rules *rules, const struct claim *claim,
                   struct complaint *complaint)
{
    if (!is_well_formed(rules, claim, complaint))
        return false;
    if (claim->in_turns)
        return check_turns(rules, claim, complaint);
    return ends_in_wishes(rules->history, claim)
               ? check_happened(rules, claim, complaint)
               : check_prefix(rules, machine_create(rules), 0, claim, complaint);
}
