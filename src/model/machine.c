/* SPDX-License-Identifier: MIT */
#include "model/machine_state.h"

#include <assert.h>

uint32_t machine_next(const struct machine *machine, uint32_t thread)
{
    const struct history *history = machine->rules->history;
    if (machine->next[thread] == history_thread_length(history, thread))
        return POS_NONE;
    return history_pos(history, thread, machine->next[thread]);
}

bool machine_executed(const struct machine *machine, uint32_t pos)
{
    const struct history *history = machine->rules->history;
    return machine->next[history->events[pos].thread] > history->index[pos];
}

bool machine_holds(const struct machine *machine, uint32_t thread, uint32_t lock)
{
    return machine->locks[lock].owner_plus_one == thread + 1 ||
           map_find(&machine->shares, map_pair(lock, thread));
}

bool machine_blocked_by(const struct machine *machine, uint32_t pos, uint32_t thread)
{
    const struct event *event = &machine->rules->history->events[pos];
    uint32_t lock = event_lock(event);
    if (event->op == EVENT_ACQUIRE_READ)
        return machine->locks[lock].owner_plus_one == thread + 1;
    return machine_holds(machine, thread, lock);
}

static bool is_free(const struct machine *machine, const struct event *event)
{
    const struct lock_state *lock = &machine->locks[event_lock(event)];
    return !lock->owner_plus_one && (event->op == EVENT_ACQUIRE_READ || !lock->readers);
}

static enum rule forbids_acquire(const struct machine *machine, const struct event *event)
{
    if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END)
        return is_free(machine, event) ? RULE_LOCK_FREE : RULE_NONE;
    return is_free(machine, event) ? RULE_NONE : RULE_LOCK_HELD;
}

static enum rule forbids_wait_end(const struct machine *machine, const struct event *event)
{
    const struct condition *condition = &machine->conditions[event->object];
    if (!(event->flags & EVENT_FAILED) && !condition_may_wake(condition, event->thread))
        return RULE_SIGNAL;
    return forbids_acquire(machine, event);
}

static enum rule forbids_barrier(const struct machine *machine, const struct event *event)
{
    const struct rules *rules = machine->rules;
    uint32_t instance =
        event->op == EVENT_BARRIER_EXIT ? event->other : rules->previous_instance[event->other];
    if (instance == POS_NONE ||
        machine->entered[instance] == trace_barrier_parties(rules->history->trace, instance))
        return RULE_NONE;
    return RULE_BARRIER;
}

static enum rule forbids_thread(const struct machine *machine, uint32_t pos,
                                const struct event *event)
{
    const struct history *history = machine->rules->history;
    if (machine->next[event->thread] != history->index[pos])
        return RULE_PROGRAM_ORDER;
    if (history->index[pos])
        return RULE_NONE; /* what came before it came after the fork */
    uint32_t fork = history->fork_of[event->thread];
    if (fork != POS_NONE && !machine_executed(machine, fork))
        return RULE_FORK;
    return RULE_NONE;
}

/* A forked thread without events ends no sooner than it was forked. */
static bool has_ended(const struct machine *machine, uint32_t thread)
{
    uint32_t fork = machine->rules->history->fork_of[thread];
    return machine_next(machine, thread) == POS_NONE &&
           (fork == POS_NONE || machine_executed(machine, fork));
}

enum rule machine_forbids_sync(const struct machine *machine, uint32_t pos)
{
    const struct event *event = &machine->rules->history->events[pos];
    enum rule rule = forbids_thread(machine, pos, event);
    if (rule != RULE_NONE)
        return rule;
    switch (event->op) {
    case EVENT_JOIN:
        return has_ended(machine, event->object) ? RULE_NONE : RULE_JOIN;
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        return forbids_acquire(machine, event);
    case EVENT_RELEASE:
    case EVENT_RELEASE_READ:
    case EVENT_RELEASE_WRITE:
    case EVENT_WAIT_BEGIN:
        return machine_holds(machine, event->thread, event_lock(event)) ? RULE_NONE
                                                                        : RULE_LOCK_FREE;
    case EVENT_WAIT_END:
        return forbids_wait_end(machine, event);
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
        return forbids_barrier(machine, event);
    case EVENT_SEM_WAIT:
        return !machine->counts[event->object] == !!(event->flags & EVENT_FAILED) ? RULE_NONE
                                                                                  : RULE_SEMAPHORE;
    case EVENT_ONCE_BEGIN:
        return machine->onces[event->object] == 0 ? RULE_NONE : RULE_ONCE;
    case EVENT_ONCE_PASS:
        return machine->onces[event->object] == 2 ? RULE_NONE : RULE_ONCE;
    default:
        return RULE_NONE;
    }
}

/* Would a read of `pos` now see the value it saw? Falls back to "the same
 * write" where a value is not known. */
static bool same_value(const struct machine *machine, uint32_t pos)
{
    const struct rules *rules = machine->rules;
    const struct event *event = &rules->history->events[pos];
    uint32_t write = machine->memory[event->object].last_write - 1;
    if (write == rules->reads_from[pos])
        return true;
    /* The value of a read-modify-write is what it wrote, not what it read. */
    if (!(event->flags & EVENT_HAS_VALUE) || event->op == EVENT_ATOMIC_RMW)
        return false;
    if (write == POS_NONE)
        return rules->history->initial_known[event->object] &&
               rules->history->initial_value[event->object] == event->value;
    const struct event *writer = &rules->history->events[write];
    return writer->flags & EVENT_HAS_VALUE && writer->value == event->value;
}

static bool sees_the_same(const struct machine *machine, uint32_t pos)
{
    const struct rules *rules = machine->rules;
    const struct event *event = &rules->history->events[pos];
    if (rules->model == MODEL_VALUE)
        return same_value(machine, pos);
    const struct memory_state *memory = &machine->memory[event->object];
    return memory->last_write - 1 == rules->reads_from[pos] && !memory->tainted;
}

static enum rule forbids_memory(const struct machine *machine, uint32_t pos)
{
    const struct rules *rules = machine->rules;
    const struct event *event = &rules->history->events[pos];
    if (event->op == EVENT_BRANCH)
        return machine->tainted[event->thread] ? RULE_BRANCH : RULE_NONE;
    if (!event_reads(event))
        return RULE_NONE;
    bool kept =
        op_in(event->op, OPS_BOUND) || rules->model == MODEL_RF || rules->model == MODEL_VALUE;
    return kept && !sees_the_same(machine, pos) ? RULE_READ : RULE_NONE;
}

enum rule machine_forbids(const struct machine *machine, uint32_t pos)
{
    enum rule rule = machine_forbids_sync(machine, pos);
    return rule != RULE_NONE ? rule : forbids_memory(machine, pos);
}

static void acquire(struct machine *machine, const struct event *event)
{
    struct lock_state *lock = &machine->locks[event_lock(event)];
    if (event->op == EVENT_ACQUIRE_READ) {
        map_at(&machine->shares, map_pair(event->object, event->thread), NULL);
        lock->readers++;
    } else {
        lock->owner_plus_one = event->thread + 1;
    }
}

static void release(struct machine *machine, const struct event *event)
{
    struct lock_state *lock = &machine->locks[event_lock(event)];
    if (event->op == EVENT_RELEASE_READ) {
        map_remove(&machine->shares, map_pair(event->object, event->thread));
        lock->readers--;
    } else {
        lock->owner_plus_one = 0;
    }
}

static void touch_memory(struct machine *machine, uint32_t pos, const struct event *event)
{
    if (event_reads(event) && machine->rules->model == MODEL_BRANCH && !sees_the_same(machine, pos))
        machine->tainted[event->thread] = true;
    if (event_writes(event))
        machine->memory[event->object] = (struct memory_state){
            .last_write = pos + 1, .tainted = machine->tainted[event->thread]};
}

void machine_execute(struct machine *machine, uint32_t pos)
{
    const struct event *event = &machine->rules->history->events[pos];
    machine->next[event->thread]++;
    if (op_in(event->op, OPS_ACCESS)) {
        touch_memory(machine, pos, event);
        return;
    }
    if (event->op == EVENT_WAIT_END)
        condition_wake(&machine->conditions[event->object], event->thread,
                       !(event->flags & EVENT_FAILED));
    if (event_acquires(event))
        acquire(machine, event);
    else if (event_releases(event))
        release(machine, event);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        condition_wait(&machine->conditions[event->object], event->thread);
        break;
    case EVENT_SIGNAL:
        condition_signal(&machine->conditions[event->object]);
        break;
    case EVENT_BROADCAST:
        condition_broadcast(&machine->conditions[event->object]);
        break;
    case EVENT_BARRIER_ENTER:
        machine->entered[event->other]++;
        break;
    case EVENT_POST:
        machine->counts[event->object]++;
        break;
    case EVENT_SEM_WAIT:
        if (!(event->flags & EVENT_FAILED))
            machine->counts[event->object]--;
        break;
    case EVENT_ONCE_BEGIN:
        machine->onces[event->object] = 1;
        break;
    case EVENT_ONCE_END:
        machine->onces[event->object] = 2;
        break;
    default:
        break;
    }
}

/* Reads that have to see what they saw. */
static uint64_t kept_reads(const struct rules *rules)
{
    return rules->model == MODEL_SYNC ? OPS_BOUND : OPS_READING;
}

/* Most events are accesses, which have few rules. Not under `branch`. */
static inline enum rule step_access(struct machine *machine, uint32_t pos,
                                    const struct event *event, uint64_t kept)
{
    if (op_in(event->op, kept) && !sees_the_same(machine, pos))
        return RULE_READ;
    if (event_writes(event))
        machine->memory[event->object] = (struct memory_state){.last_write = pos + 1};
    return RULE_NONE;
}

enum rule machine_step(struct machine *machine, uint32_t pos)
{
    const struct rules *rules = machine->rules;
    const struct event *event = &rules->history->events[pos];
    uint32_t *next = &machine->next[event->thread], number = rules->history->index[pos];
    enum rule rule;
    if (op_in(event->op, OPS_ACCESS) && *next && *next == number && rules->model != MODEL_BRANCH) {
        rule = step_access(machine, pos, event, kept_reads(rules));
        *next += rule == RULE_NONE;
        return rule;
    }
    rule = machine_forbids(machine, pos);
    if (rule == RULE_NONE)
        machine_execute(machine, pos);
    return rule;
}

/* As machine_run(), for as long as it comes across accesses; not the thread's first event. */
static enum rule run_accesses(struct machine *machine, uint32_t thread, uint32_t end)
{
    const struct history *history = machine->rules->history;
    const uint32_t *positions = history->positions + history->first[thread];
    uint64_t kept = kept_reads(machine->rules);
    uint32_t next = machine->next[thread];
    enum rule rule = RULE_NONE;
    for (; next < end && rule == RULE_NONE; next += rule == RULE_NONE) {
        uint32_t pos = positions[next];
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS))
            break;
        rule = step_access(machine, pos, event, kept);
    }
    machine->next[thread] = next;
    return rule;
}

enum rule machine_run(struct machine *machine, uint32_t thread, uint32_t end)
{
    while (machine->next[thread] < end) {
        enum rule rule = RULE_NONE;
        if (machine->next[thread] && machine->rules->model != MODEL_BRANCH)
            rule = run_accesses(machine, thread, end);
        if (rule != RULE_NONE || machine->next[thread] == end)
            return rule;
        rule = machine_step(machine, machine_next(machine, thread));
        if (rule != RULE_NONE)
            return rule;
    }
    return RULE_NONE;
}

void machine_skip(struct machine *machine, uint32_t thread, uint32_t end)
{
    machine->next[thread] = end;
}

bool machine_may_choose(const struct machine *machine, const uint32_t *returns, uint32_t count,
                        uint32_t chosen)
{
    const struct event *events = machine->rules->history->events;
    uint32_t threads[32];
    bool choice[32];
    assert(count <= 32);
    for (uint32_t at = 0; at < count; at++) {
        uint32_t condition = events[returns[at]].object, waiting = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (events[returns[i]].object != condition)
                continue;
            threads[waiting] = events[returns[i]].thread;
            choice[waiting++] = chosen >> i & 1;
        }
        if (!condition_may_choose(&machine->conditions[condition], threads, choice, waiting))
            return false;
    }
    return true;
}
