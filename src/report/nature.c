/* SPDX-License-Identifier: MIT */
#include "report/nature.h"

#include "report/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *rule, *nature, *effect;
} rules[] = {
    {"use-after-free", "use after free", "uses freed memory"},
    {"double-free", "double free", "frees twice"},
    {"uninitialised", "use before initialisation", "uses what is not initialised"},
    {"crash", "crash", "crashes"},
    {"abort", "abort", "aborts"},
    {"assertion", "assertion failed", "an assertion fails"},
    {"heap", "heap misuse", "corrupts the heap"},
    {"sanitizer", "sanitizer report", "a sanitizer complains"},
    {"hang", "hang", "hangs"},
    {"exit-code", "wrong exit code", "exit code differs"},
    {"output", "wrong output", "result differs"},
    {"check", "check failed", "its check fails"},
    {"lost-wakeup", "lost wake-up", "hangs"},
};

static const char *const kinds[FINDING_KINDS] = {
    [FINDING_RACE] = "data race",
    [FINDING_DEADLOCK] = "deadlock",
    [FINDING_ATOMICITY] = "atomicity violation",
    [FINDING_FAILURE] = "failure",
    [FINDING_MISUSE] = "misuse",
    [FINDING_ORDER] = "order violation",
};

static size_t rule_index(const char *rule)
{
    size_t i = 0;
    while (i < sizeof rules / sizeof *rules && (!rule || strcmp(rules[i].rule, rule) != 0))
        i++;
    return i;
}

/* --- double-checked locking ------------------------------------------------------------ */

enum { NEAR = 64 }; /* events between the first check and what it guards */

/* Does the thread of the write look at the variable without the lock, where the read of the race
 * does, then take the lock and look again? */
static bool checks_twice(const struct history *history, const struct finding_event *read,
                         const struct finding_event *write, uint32_t lock)
{
    uint32_t variable = history->events[write->pos].object, at = write->index;
    bool inside = true, again = false;
    for (uint32_t steps = 0; at-- && steps < NEAR; steps++) {
        const struct event *event = &history->events[history_pos(history, write->thread, at)];
        bool looks = op_in(event->op, OPS_READING) && event->object == variable;
        if (inside && event_acquires(event) && event_lock(event) == lock)
            inside = false;
        else if (inside && looks)
            again = true;
        else if (looks)
            return again && strcmp(trace_location(history->trace, event->location),
                                   trace_location(history->trace, read->location)) == 0;
    }
    return false;
}

static bool is_double_checked(const struct history *history, const struct held *held,
                              const struct finding *finding)
{
    for (uint32_t i = 0; finding->event_count == 2 && i < 2; i++) {
        const struct finding_event *write = &finding->events[i], *read = &finding->events[1 - i];
        const struct held_lock *locks, *unused;
        if (!op_in(write->op, OPS_WRITING) || !op_in(read->op, OPS_READING) ||
            held_at(held, read->pos, &unused))
            continue;
        size_t count = held_at(held, write->pos, &locks);
        for (size_t k = 0; k < count; k++)
            if (checks_twice(history, read, write, locks[k].lock))
                return true;
    }
    return false;
}

/* --- deadlocks --------------------------------------------------------------------------- */

static bool wants_lock(const struct finding_event *event)
{
    return op_in(event->op, OPS_ACQUIRING) && event->op != EVENT_WAIT_END;
}

/* Does its thread hold the lock that it wants, and only for reading? */
static bool holds_wanted(const struct history *history, const struct held *held,
                         const struct finding_event *event, bool *reading)
{
    const struct held_lock *locks;
    size_t count = held_at(held, event->pos, &locks);
    for (size_t i = 0; i < count; i++)
        if (locks[i].lock == history->events[event->pos].object) {
            *reading = history->events[locks[i].since].op == EVENT_ACQUIRE_READ;
            return true;
        }
    return false;
}

/* Did the last thread to take the lock end with it? */
static bool was_left_locked(const struct history *history, uint32_t lock)
{
    uint32_t owner = UINT32_MAX;
    bool ended = false;
    for (uint32_t i = 0; i < history->sync_count; i++) {
        const struct event *event = &history->events[history->syncs[i]];
        if (event_acquires(event) && event_lock(event) == lock) {
            owner = event->thread;
            ended = false;
        } else if (event_releases(event) && event_lock(event) == lock) {
            owner = UINT32_MAX;
        } else if (event->op == EVENT_END && event->thread == owner) {
            ended = true;
        }
    }
    return owner != UINT32_MAX && ended;
}

static const char *nature_of_one(const struct history *history, const struct held *held,
                                 const struct finding_event *event)
{
    bool reading = false;
    if (event->op == EVENT_WAIT_END || event->op == EVENT_WAIT_BEGIN)
        return "lost wake-up";
    if (!wants_lock(event))
        return kinds[FINDING_DEADLOCK];
    if (holds_wanted(history, held, event, &reading))
        return reading && event->op != EVENT_ACQUIRE_READ ? "reader upgrade" : "self-deadlock";
    return was_left_locked(history, history->events[event->pos].object) ? "missing unlock"
                                                                        : kinds[FINDING_DEADLOCK];
}

static const char *nature_of_deadlock(const struct history *history, const struct held *held,
                                      const struct finding *finding)
{
    uint32_t locks = 0, upgrades = 0;
    if (finding->event_count == 1)
        return nature_of_one(history, held, &finding->events[0]);
    for (uint32_t i = 0; i < finding->event_count; i++) {
        bool reading = false;
        locks += wants_lock(&finding->events[i]);
        upgrades += holds_wanted(history, held, &finding->events[i], &reading) && reading;
    }
    return upgrades == finding->event_count ? "reader upgrade"
           : locks == finding->event_count  ? "lock-order inversion"
                                            : kinds[FINDING_DEADLOCK];
}

const char *nature_of(const struct history *history, const struct held *held,
                      const struct finding *finding)
{
    size_t rule = rule_index(finding->rule);
    if (rule < sizeof rules / sizeof *rules)
        return rules[rule].nature;
    bool told = history && held;
    if (told && finding->kind == FINDING_DEADLOCK)
        return nature_of_deadlock(history, held, finding);
    if (told && finding->kind == FINDING_RACE && is_double_checked(history, held, finding))
        return "double-checked locking";
    return kinds[finding->kind];
}

const char *nature_role(const struct finding *finding, uint32_t i)
{
    static const char *const steps[] = {"First step", "Last step", "In between"};
    if (finding_shape(finding) == FINDING_ORDER)
        return i ? "The write" : finding->error == ATOMICITY_BEFORE ? "Too early" : "Too late";
    return finding_shape(finding) == FINDING_ATOMICITY && i < 3 ? steps[i] : "";
}

/* --- what it does -------------------------------------------------------------------------- */

/* The first function of a stack of struct consequence_order. */
static char *failing_function(const char *stack)
{
    size_t length = stack ? strcspn(stack, "\t\n") : 0;
    char *name = length ? strndup(stack, length) : NULL;
    char *readable = name ? demangle_short(name) : NULL;
    free(name);
    return readable;
}

bool nature_effect(const struct finding *finding, char *text, size_t size)
{
    const struct consequence_order *failure = consequence_failure(&finding->consequence);
    *text = '\0';
    if (finding->kind == FINDING_DEADLOCK || !finding->consequence.count)
        return false; /* that a deadlock hangs needs no words */
    size_t rule = failure ? rule_index(failure->rule) : 0;
    if (!failure)
        snprintf(text, size, "no effect seen");
    else if (rule == sizeof rules / sizeof *rules ||
             (finding->rule && failure->rule && strcmp(finding->rule, failure->rule) == 0))
        return false; /* its name says it */
    else {
        char *function = failing_function(failure->stack);
        snprintf(text, size, "%s%s%s", rules[rule].effect, function ? " in " : "",
                 function ? function : "");
        free(function);
    }
    return true;
}
