/* SPDX-License-Identifier: MIT */
#include "csp/stubborn.h"

struct stubborn *stubborn_create(const struct processes *processes)
{
    struct stubborn *stubborn = NEW(struct stubborn);
    stubborn->best = NEW_ARRAY(uint32_t, processes->count);
    stubborn->trial = NEW_ARRAY(uint32_t, processes->count);
    stubborn->members = NEW_ARRAY(uint32_t, processes->count);
    stubborn->seen = NEW_ARRAY(uint32_t, processes->count);
    return stubborn;
}

void stubborn_destroy(struct stubborn *stubborn)
{
    if (!stubborn)
        return;
    free(stubborn->best);
    free(stubborn->trial);
    free(stubborn->members);
    free(stubborn->seen);
    free(stubborn);
}

static void join_set(struct stubborn *stubborn, const struct product *product, uint32_t process)
{
    if (process == NO_PROCESS || stubborn->seen[process] == stubborn->round ||
        product_done(product, process))
        return;
    stubborn->seen[process] = stubborn->round;
    stubborn->members[stubborn->member_count++] = process;
}

/* All that still use the object in this way before they are done. */
static void join_users(struct stubborn *stubborn, const struct product *product, uint32_t object,
                       enum use use)
{
    const struct object *used = &product->processes->objects.items[object];
    const struct users *users = &used->users[use];
    stubborn->work += users->count;
    for (size_t i = 0; i < users->count; i++) {
        const struct user *user = &users->items[i];
        if (stubborn->seen[user->process] == stubborn->round)
            continue;
        if (use_from(used, use, user, product_index(product, user->process)) <
            product->slice->limit[user->process])
            join_set(stubborn, product, user->process);
    }
}

/* `step` is possible now: who could make it impossible, or be made impossible by
 * it? A failed try or take, an atomic load that sees its write, a fork, a join, a
 * barrier, a once: nobody. */
static void add_interfering(struct stubborn *stubborn, const struct product *product,
                            const struct step *step)
{
    bool failed = step->flags & EVENT_FAILED;
    switch (step->op) {
    case EVENT_ACQUIRE:
    case EVENT_ACQUIRE_READ:
    case EVENT_ACQUIRE_WRITE:
        if (failed)
            break;
        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);
        if (step->op != EVENT_ACQUIRE_READ)
            join_users(stubborn, product, step->lock, USE_SHARED);
        break;
    case EVENT_RELEASE:
    case EVENT_RELEASE_READ:
    case EVENT_RELEASE_WRITE:
    case EVENT_WAIT_BEGIN:
        /* Who begins to wait does not interfere with who signals: earlier, it may be chosen by
         * more of them, and whom else a signal chose, it still may. Being chosen takes nothing
         * from anybody, nor does a chosen thread that gives up. */
        join_users(stubborn, product, step->lock, USE_FAILED_TRY);
        break;
    case EVENT_WAIT_END:
        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);
        join_users(stubborn, product, step->lock, USE_SHARED);
        join_users(stubborn, product, step->object, USE_CONDITION);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        join_users(stubborn, product, step->object, USE_CONDITION);
        break;
    case EVENT_POST:
        join_users(stubborn, product, step->object, USE_FAILED_TAKE);
        break;
    case EVENT_SEM_WAIT:
        if (!failed)
            join_users(stubborn, product, step->object, USE_TAKE);
        break;
    case EVENT_WRITE:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        join_users(stubborn, product, step->object, USE_WRITE);
        join_users(stubborn, product, step->object, USE_READ);
        break;
    default:
        break;
    }
}

static void add_writer(struct stubborn *stubborn, const struct product *product,
                       const struct step *step)
{
    const struct processes *processes = product->processes;
    uint32_t write = processes->rules->reads_from[step->pos];
    if (write == POS_NONE || write < processes->from)
        return; /* overwritten: it will never be possible again */
    uint32_t writer =
        processes_of_thread(processes, processes->rules->history->events[write].thread);
    if (product_index(product, writer) <= processes_step_of(processes, write))
        join_set(stubborn, product, writer);
}

/* `step` is impossible now: of whom must at least one move before it is not? */
static void add_enabling(struct stubborn *stubborn, const struct product *product, uint32_t process,
                         const struct step *step, enum rule rule)
{
    const struct processes *processes = product->processes;
    const struct object *objects = processes->objects.items;
    switch (rule) {
    case RULE_FORK:
        join_set(stubborn, product, processes->items[process].forker);
        break;
    case RULE_JOIN:
        if (step->other == NO_PROCESS)
            break;
        if (!product_forked(product, step->other))
            join_set(stubborn, product, processes->items[step->other].forker);
        else
            join_set(stubborn, product, step->other);
        break;
    case RULE_LOCK_HELD:
        join_set(stubborn, product, product_lock_owner(product, process));
        break;
    case RULE_LOCK_FREE:
        join_users(stubborn, product, step->lock, USE_EXCLUSIVE);
        join_users(stubborn, product, step->lock, USE_SHARED);
        break;
    case RULE_SIGNAL:
        join_users(stubborn, product, step->object, USE_SIGNAL);
        break;
    case RULE_BARRIER:
        join_set(stubborn, product,
                 product_missing_party(product, step->op == EVENT_BARRIER_EXIT
                                                    ? step->object
                                                    : objects[step->object].previous));
        break;
    case RULE_SEMAPHORE:
        join_users(stubborn, product, step->object,
                   step->flags & EVENT_FAILED ? USE_TAKE : USE_POST);
        break;
    case RULE_ONCE:
        if (objects[step->object].users[USE_RUN].count)
            join_set(stubborn, product, objects[step->object].users[USE_RUN].items[0].process);
        break;
    case RULE_READ:
        add_writer(stubborn, product, step);
        break;
    default:
        break;
    }
}

static void close_set(struct stubborn *stubborn, const struct product *product)
{
    stubborn->trial_count = 0;
    for (uint32_t at = 0; at < stubborn->member_count; at++) {
        uint32_t process = stubborn->members[at];
        const struct step *step =
            &product->processes->items[process].steps[product_index(product, process)];
        enum rule rule = product_forbids(product, process);
        if (rule == RULE_NONE) {
            stubborn->trial[stubborn->trial_count++] = process;
            add_interfering(stubborn, product, step);
        } else {
            add_enabling(stubborn, product, process, step, rule);
        }
    }
    stubborn->work += stubborn->member_count;
}

static void keep_trial(struct stubborn *stubborn)
{
    uint32_t *swap = stubborn->best;
    stubborn->best = stubborn->trial;
    stubborn->trial = swap;
    stubborn->best_count = stubborn->trial_count;
}

static void begin_set(struct stubborn *stubborn)
{
    stubborn->round++;
    stubborn->member_count = 0;
}

void stubborn_choose(struct stubborn *stubborn, const struct product *product, uint32_t signalled)
{
    const struct slice *slice = product->slice;
    stubborn->best_count = UINT32_MAX;
    if (signalled != NO_OBJECT) {
        begin_set(stubborn);
        join_users(stubborn, product, signalled, USE_SIGNAL);
        close_set(stubborn, product);
        keep_trial(stubborn);
    }
    for (uint32_t slot = 0; slot < product->slot_count && stubborn->best_count > 1; slot++) {
        uint32_t process = product->slots[slot];
        if (product->state[slot] >= slice->must[process])
            continue;
        begin_set(stubborn);
        join_set(stubborn, product, process);
        close_set(stubborn, product);
        if (stubborn->trial_count < stubborn->best_count)
            keep_trial(stubborn);
    }
    stubborn->work += product->slot_count;
    if (stubborn->best_count == UINT32_MAX)
        stubborn->best_count = 0;
}
