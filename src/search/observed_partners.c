/* SPDX-License-Identifier: MIT */
/* What an event of an object with a state had in the observed run, though another
 * event might do as well: the post that a semaphore wait consumed, the signal that
 * ended a wait, the holder that a failed try met; and, which index_observed_partner() adds, the
 * write whose value was read. A set that has these, too, can usually be executed in the observed
 * order. */
#include "base/array.h"
#include "search/index.h"
#include "trace/condition.h"

struct positions ARRAY_OF(uint32_t);

struct semaphore_past {
    struct positions posts;
    uint32_t waits, last; /* last: the latest operation */
    bool fails;           /* a wait of it fails somewhere: then its whole past counts */
};

struct condition_past {
    struct condition condition;
    struct positions at_clock; /* by the condition's clock: pos */
    uint32_t broadcast;        /* the latest */
};

struct past {
    struct search_index *index;
    struct semaphore_past *semaphores;
    struct condition_past *conditions;
    uint32_t *holders; /* by lock: the latest acquire */
};

static void note_semaphore(struct past *past, uint32_t pos, const struct event *event)
{
    struct semaphore_past *semaphore = &past->semaphores[event->object];
    uint32_t initial = trace_semaphore_initial(past->index->history->trace, event->object);
    if (semaphore->fails) {
        past->index->observed_partners[pos] = semaphore->last;
    } else if (event->op == EVENT_SEM_WAIT) {
        uint32_t number = semaphore->waits++;
        if (number >= initial && number - initial < semaphore->posts.count)
            past->index->observed_partners[pos] = semaphore->posts.items[number - initial];
    }
    if (event->op == EVENT_POST)
        array_push(&semaphore->posts, pos);
    semaphore->last = pos;
}

/* The signal that a return takes: a broadcast, or the oldest one it may take. */
static uint32_t waker(const struct condition_past *past, uint32_t thread)
{
    const struct condition *condition = &past->condition;
    for (size_t i = 0; i < condition->waiting; i++) {
        const struct condition_waiter *waiter = &condition->waiters[i];
        if (waiter->thread != thread)
            continue;
        if (waiter->woken)
            return past->broadcast;
        for (size_t token = 0; token < condition->token_count; token++)
            if (condition->tokens[token] >= waiter->since)
                return past->at_clock.items[condition->tokens[token]];
    }
    return POS_NONE;
}

static void note_condition(struct past *past, uint32_t pos, const struct event *event)
{
    struct condition_past *condition = &past->conditions[event->object];
    bool signalled = !(event->flags & EVENT_FAILED);
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        condition_wait(&condition->condition, event->thread);
        break;
    case EVENT_WAIT_END:
        if (signalled)
            past->index->observed_partners[pos] = waker(condition, event->thread);
        condition_wake(&condition->condition, event->thread, signalled);
        break;
    case EVENT_SIGNAL:
        condition_signal(&condition->condition);
        break;
    default:
        condition_broadcast(&condition->condition);
        condition->broadcast = pos;
    }
    array_grow(&condition->at_clock, (size_t)condition->condition.clock + 1);
    condition->at_clock.items[condition->condition.clock] = pos;
}

static void note(struct past *past, uint32_t pos, const struct event *event)
{
    past->index->observed_partners[pos] = POS_NONE;
    if (event->op == EVENT_POST || event->op == EVENT_SEM_WAIT)
        note_semaphore(past, pos, event);
    else if (event_object_class(event->op) == CLASS_CONDITION)
        note_condition(past, pos, event);
    if (event_acquires(event))
        past->holders[event_lock(event)] = pos;
    else if (op_in(event->op, OPS_ACQUIRING))
        past->index->observed_partners[pos] = past->holders[event_lock(event)];
}

void index_find_observed_partners(struct search_index *index)
{
    const struct history *history = index->history;
    uint32_t semaphores = trace_count(history->trace, CLASS_SEMAPHORE);
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION);
    uint32_t locks = trace_count(history->trace, CLASS_LOCK);
    struct past past = {index, NEW_ARRAY(struct semaphore_past, semaphores),
                        NEW_ARRAY(struct condition_past, conditions),
                        memory_alloc(locks, sizeof(uint32_t))};
    index->observed_partners = memory_alloc(history->count, sizeof *index->observed_partners);
    memset(past.holders, 0xff, locks * sizeof *past.holders);
    for (uint32_t i = 0; i < semaphores; i++)
        past.semaphores[i].last = POS_NONE;
    for (uint32_t i = 0; i < history->sync_count; i++) {
        const struct event *event = &history->events[history->syncs[i]];
        if (event->op == EVENT_SEM_WAIT && event->flags & EVENT_FAILED)
            past.semaphores[event->object].fails = true;
    }
    for (uint32_t i = 0; i < history->sync_count; i++)
        note(&past, history->syncs[i], &history->events[history->syncs[i]]);
    for (uint32_t i = 0; i < semaphores; i++)
        array_free(&past.semaphores[i].posts);
    for (uint32_t i = 0; i < conditions; i++) {
        condition_free(&past.conditions[i].condition);
        array_free(&past.conditions[i].at_clock);
    }
    free(past.semaphores);
    free(past.conditions);
    free(past.holders);
}
