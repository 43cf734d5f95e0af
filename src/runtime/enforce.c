/* SPDX-License-Identifier: MIT */
#include "runtime/enforce.h"

#include "runtime/enforce_steps.h"
#include "runtime/standing.h"

/* An ordered access passes the turn on when it has been made, which shows at the
 * thread's next access or operation. */
static void settle(struct recorder *self, const struct schedule_thread *thread)
{
    for (; self->owed; self->owed--)
        if (!turns_are_free())
            turns_pass(thread);
}

/* Ordered accesses that the thread should have made by now and did not make are
 * no divergence (the trace may have split one in two): their turns pass. */
static void skip_accesses(struct recorder *self, struct schedule_thread *thread)
{
    uint32_t position;
    struct schedule_step *step;
    while ((step = enforce_next_step(self, thread, &position)) && schedule_is_access(step->op) &&
           step->index <= self->gate_index) {
        self->step_cursor++;
        if (!turns_wait(thread, position))
            return;
        turns_pass(thread);
    }
}

void enforce_stand(struct recorder *self)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    const struct schedule_target *target =
        thread ? standing_target(thread, self->gate_index) : NULL;
    if (!target || schedule_is_access(target->op))
        return;
    if (turns_are_free()) { /* a futex sends it back to look at its word, and it waits again */
        self->at_target = atomic_load(&turns_control->targets[target->number].arrived);
        return;
    }
    settle(self, thread);
    skip_accesses(self, thread); /* who spins before it waits does so more or less often */
    uint32_t position;
    if (!enforce_next_step(self, thread, &position))
        standing_acquire(self, thread, target);
}

enum outcome enforce_approach(struct recorder *self, unsigned op)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    both_orders_settle(self);
    if (!thread || turns_are_free() || !op_in(op, OPS_SCHEDULED))
        return OUTCOME_OPEN;
    settle(self, thread);
    skip_accesses(self, thread);
    uint32_t index = self->gate_index, position;
    const struct schedule_step *step = enforce_next_step(self, thread, &position);
    if (step) {
        if (!turns_wait(thread, position))
            return OUTCOME_OPEN;
        turns_note(thread, CONTROL_PERFORMING);
        return step->failed ? OUTCOME_FAIL : OUTCOME_SUCCEED;
    }
    struct schedule_target *target = standing_target(thread, index);
    if (target && !schedule_is_access(target->op)) {
        standing_acquire(self, thread, target);
        return OUTCOME_OPEN;
    }
    if (target && !self->missed) { /* it should have made an access before this */
        self->missed = true;
        turns_control->left_thread = thread->number;
        turns_control->left_index = index;
        atomic_store(&turns_control->targets[target->number].arrived, 0);
        atomic_fetch_add(&turns_control->targets_missed, 1);
    }
    turns_wait(thread, UINT32_MAX);
    return OUTCOME_OPEN;
}

void enforce_passed(struct recorder *self, unsigned op)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    both_orders_settle(self);
    if (!op_in(op, OPS_SCHEDULED))
        return;
    bool scheduled = thread && !turns_are_free();
    if (scheduled) {
        settle(self, thread);
        skip_accesses(self, thread);
    }
    uint32_t position, index = self->gate_index++;
    if (!scheduled)
        return;
    const struct schedule_step *step = enforce_next_step(self, thread, &position);
    if (!step || !turns_wait(thread, position))
        return;
    if (!schedule_same_op(step->op, op)) {
        turns_diverge(thread, step, op, index);
        return;
    }
    self->step_cursor++;
    turns_note(thread, CONTROL_ELSEWHERE);
    turns_pass(thread);
}

bool enforce_plays_wait(const struct recorder *self)
{
    return enforce_active && enforce_thread_of(self) && !turns_are_free();
}

bool enforce_leaves_wait(const struct recorder *self)
{
    const struct schedule_thread *thread = enforce_thread_of(self);
    uint32_t position;
    const struct schedule_step *step =
        thread && !turns_are_free() ? enforce_next_step(self, thread, &position) : NULL;
    return step && !schedule_is_access(step->op) && step->op != EVENT_WAIT_END;
}

void enforce_blocking(struct recorder *self, bool blocked)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    if (thread && thread->target && self->at_target)
        atomic_store(&turns_control->targets[thread->target->number].blocked, blocked);
    if (!blocked)
        self->at_target = false;
}

/* The next step, if it is this access. A compare-and-exchange is an rmw until it is known what it
 * has done. */
static bool is_next(const struct recorder *self, const struct schedule_thread *thread, unsigned op,
                    uintptr_t pc, uint32_t *position)
{
    struct schedule_step *step = enforce_next_step(self, thread, position);
    bool alike =
        step && (step->op == op || (op == EVENT_ATOMIC_RMW && op_in(step->op, OPS_ATOMIC)));
    return alike && step->index == self->gate_index && schedule_is_here(&step->place, pc);
}

/* An access that a fine schedule orders. The turn of one before it passes on, unless both belong to
 * an operation that is not done yet and nobody has a turn between them. */
static void order_access(struct recorder *self, struct schedule_thread *thread, unsigned op,
                         uintptr_t pc)
{
    uint32_t position;
    bool next = is_next(self, thread, op, pc, &position);
    bool held = next && self->holds && self->owed &&
                position == atomic_load(&turns_control->turn) + self->owed;
    if (!held)
        settle(self, thread);
    if (!next)
        return;
    self->step_cursor++;
    if (!held && !turns_wait(thread, position))
        return;
    self->owed++;
    filter_new_segment(self); /* whatever it accesses next must come here */
}

/* If this is the access of the thread's target. A compare-and-exchange is an rmw until it is known
 * what it has done. */
static void stand_before(struct recorder *self, struct schedule_thread *thread, uintptr_t address,
                         uint32_t size, unsigned op, uintptr_t pc)
{
    struct schedule_target *target = standing_target(thread, self->gate_index);
    if (!target || !schedule_is_access(target->op) || self->step_cursor < thread->steps ||
        (op != target->op && !(op == EVENT_ATOMIC_RMW && op_in(target->op, OPS_ATOMIC))) ||
        !schedule_is_here(&target->place, pc))
        return;
    settle(self, thread);
    standing_access(self, thread, target, address, size);
}

void enforce_atomic(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                    uintptr_t pc)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    both_orders_settle(self);
    if (!thread || turns_are_free())
        return;
    order_access(self, thread, op, pc);
    stand_before(self, thread, address, size, op, pc);
}

void enforce_atomic_made(struct recorder *self)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    both_orders_settle(self);
    if (thread && !self->holds)
        settle(self, thread);
}

void enforce_approach_atomic(struct recorder *self, uintptr_t pc)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    uint32_t position;
    both_orders_settle(self);
    if (!thread || turns_are_free())
        return;
    settle(self, thread);
    if (is_next(self, thread, EVENT_ATOMIC_RMW, pc, &position))
        turns_wait(thread, position);
}

void enforce_access(struct recorder *self, uintptr_t address, uint32_t size, unsigned op,
                    uintptr_t pc)
{
    struct schedule_thread *thread = enforce_thread_of(self);
    both_orders_settle(self);
    if (!thread || turns_are_free())
        return;
    order_access(self, thread, op, pc);
    stand_before(self, thread, address, size, op, pc);
}
