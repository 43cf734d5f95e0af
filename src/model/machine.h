/* SPDX-License-Identifier: MIT */
/* The semantics of every operation, in one place: a machine executes the events
 * of a recorded trace in any order, and says of each event whether it may come
 * next or which rule forbids it. A sequence that a machine accepts is a correct
 * reordering (docs/design.md, "Words") under the machine's model.
 *
 * Rules of synchronisation hold in every model:
 *   threads     events in program order; after the thread's fork; a join after
 *               the last event of the joined thread
 *   locks       one owner, or readers; a failed try needs the lock held
 *   conditions  a wait returns after a signal or broadcast that found it waiting
 *               (condition.h), and with the mutex free; EVENT_FAILED ones need
 *               no signal
 *   barriers    nobody leaves an instance before all have entered it, and nobody
 *               enters the next instance before that
 *   semaphores  the count never falls below zero; a failed wait needs it at zero
 *   once        others pass after the runner's end
 *   atomics     loads and read-modify-writes see the write they saw (under
 *               `value`: the value they saw); not so looks, loads that ended no
 *               spin loop, which are held to the rules of plain memory
 * Rules of plain memory are the model's: nothing (sync), the same write (rf), the
 * same value (value), or the same write where a later executed branch of the
 * thread, or a write that such a read must see, may depend on it (branch). */
#ifndef PREPLAY_MODEL_MACHINE_H
#define PREPLAY_MODEL_MACHINE_H

#include "trace/finding.h"
#include "trace/history.h"

enum rule {
    RULE_NONE, /* the event may come next */
    RULE_PROGRAM_ORDER,
    RULE_FORK,
    RULE_JOIN,
    RULE_LOCK_HELD,
    RULE_LOCK_FREE, /* a failed try of a free lock, or a release of one */
    RULE_SIGNAL,
    RULE_BARRIER,
    RULE_SEMAPHORE,
    RULE_ONCE,
    RULE_READ,
    RULE_BRANCH,
    RULE_COUNT,
};

/* What the broken rule asks, as a sentence. */
const char *rule_text(enum rule rule);

/* What all machines of one trace share; immutable, so threads may share it. */
struct rules {
    const struct history *history;
    enum model model;
    const uint32_t *reads_from;  /* by pos: the history's */
    uint32_t *previous_instance; /* by barrier instance: the one before, or POS_NONE */
    bool has_branches;           /* without any, `branch` means `rf` */
    bool has_values;             /* without any, `value` means `rf` */
};

struct rules *rules_create(const struct history *history, enum model model);
void rules_destroy(struct rules *rules);

struct machine;

struct machine *machine_create(const struct rules *rules);
struct machine *machine_copy(const struct machine *machine);
void machine_destroy(struct machine *machine);

/* The next event of a thread in program order; POS_NONE after its last. */
uint32_t machine_next(const struct machine *machine, uint32_t thread);
/* The rule that keeps the event from being executed now. */
enum rule machine_forbids(const struct machine *machine, uint32_t pos);
/* The same, with the rules of memory (plain and atomic) left out: what matters
 * for the events of the error itself. */
enum rule machine_forbids_sync(const struct machine *machine, uint32_t pos);
/* Executes the event, whether or not machine_forbids() it for memory's sake;
 * synchronisation must allow it. */
void machine_execute(struct machine *machine, uint32_t pos);

/* Both in one: executes the event if no rule forbids it, or else names the rule. */
enum rule machine_step(struct machine *machine, uint32_t pos);
/* The thread goes on to its event number `end`, which is not executed, or to the first one that
 * a rule forbids: that rule, or RULE_NONE. The same as one event at a time, but quick. */
enum rule machine_run(struct machine *machine, uint32_t thread, uint32_t end);
/* The same without a look at what it passes: events that have no rule but program order, and no
 * effect (under `sync`, plain accesses of variables that nobody accesses atomically). */
void machine_skip(struct machine *machine, uint32_t thread, uint32_t end);

bool machine_executed(const struct machine *machine, uint32_t pos);
/* True if `thread` holds the lock, exclusively or shared. */
bool machine_holds(const struct machine *machine, uint32_t thread, uint32_t lock);
/* Would `pos`, an acquiring event whose other conditions are met, be blocked by
 * `thread` holding the lock? (A reader does not block a reader.) */
bool machine_blocked_by(const struct machine *machine, uint32_t pos, uint32_t thread);

/* Can signals so far have chosen those of `returns` (returns from waits, each the next of
 * its thread) whose bit is set in `chosen`, and not the others? */
bool machine_may_choose(const struct machine *machine, const uint32_t *returns, uint32_t count,
                        uint32_t chosen);

/* The state as bytes, equal for states with the same future: appended to `key`
 * (malloc-ed, grown as needed); returns the new length. For exploration. */
size_t machine_key(const struct machine *machine, unsigned char **key, size_t *room);

#endif
