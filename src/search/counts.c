/* SPDX-License-Identifier: MIT */
/* What semaphores and condition variables ask for by number, whoever provides it:
 * S needs as many posts as its waits consume, as many signals as its returns (where
 * nobody broadcasts), and for each return somebody who can still signal (wakers.c). Where all
 * of what is left, or one thread, must provide it, that joins S; where it is not
 * enough, there is no witness. */
#include "search/state.h"

/* One object's balance. A broadcast serves any number. */
struct balance {
    uint32_t wanted, given, left, left_here;
    bool unlimited;
};

struct balances {
    struct search *search;
    struct balance *items; /* semaphores, then condition variables */
    uint32_t semaphores, count;
};

static struct balance *balance_of(struct balances *balances, const struct event *event)
{
    bool semaphore = event->op == EVENT_POST || event->op == EVENT_SEM_WAIT;
    return &balances->items[event->object + (semaphore ? 0 : balances->semaphores)];
}

static bool gives(const struct event *event)
{
    return event->op == EVENT_POST || event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST;
}

static bool wants(const struct event *event)
{
    return (event->op == EVENT_SEM_WAIT || event->op == EVENT_WAIT_END) &&
           !(event->flags & EVENT_FAILED);
}

static void add_thread(struct balances *balances, uint32_t thread)
{
    struct search *search = balances->search;
    const struct search_index *index = search->index;
    const struct event_lists *lists = &index->stateful;
    /* An event that is counted costs a part of one that is scheduled. */
    search->steps += (lists->start[thread + 1] - lists->start[thread]) / 8;
    for (uint32_t i = lists->start[thread]; i < lists->start[thread + 1]; i++) {
        const struct event *event = event_at(index, lists->items[i]);
        uint32_t number = index->history->index[lists->items[i]];
        if (number >= search->ceiling[thread])
            break;
        struct balance *balance = balance_of(balances, event);
        bool inside = number < search->cut[thread];
        balance->unlimited |= event->op == EVENT_BROADCAST;
        balance->wanted += inside && wants(event);
        balance->given += inside && gives(event);
        balance->left += !inside && gives(event);
    }
}

/* Adds what no other thread can give. */
static bool oblige_thread(struct balances *balances, uint32_t thread)
{
    struct search *search = balances->search;
    const struct search_index *index = search->index;
    const struct event_lists *lists = &index->stateful;
    for (uint32_t i = lists->start[thread]; i < lists->start[thread + 1]; i++) {
        const struct event *event = event_at(index, lists->items[i]);
        uint32_t number = index->history->index[lists->items[i]];
        if (number >= search->cut[thread] && number < search->ceiling[thread] && gives(event))
            balance_of(balances, event)->left_here++;
    }
    for (uint32_t i = lists->start[thread]; i < lists->start[thread + 1]; i++) {
        const struct event *event = event_at(index, lists->items[i]);
        uint32_t number = index->history->index[lists->items[i]];
        if (number < search->cut[thread] || number >= search->ceiling[thread] || !gives(event))
            continue;
        struct balance *balance = balance_of(balances, event);
        uint32_t here = balance->left_here--;
        /* Without this one and those after it, all others were not enough. */
        if (!balance->unlimited && balance->given + balance->left - here < balance->wanted &&
            !closure_include(search, lists->items[i]))
            return false;
    }
    return true;
}

static bool balance_all(struct search *search)
{
    const struct trace *trace = search->index->history->trace;
    uint32_t threads = search->index->history->threads;
    struct balances balances = {search, NULL, trace_count(trace, CLASS_SEMAPHORE), 0};
    balances.count = balances.semaphores + trace_count(trace, CLASS_CONDITION);
    balances.items = NEW_ARRAY(struct balance, balances.count);
    for (uint32_t i = 0; i < balances.semaphores; i++)
        balances.items[i].given = trace_semaphore_initial(trace, i);
    for (uint32_t thread = 0; thread < threads; thread++)
        add_thread(&balances, thread);
    bool enough = true;
    for (uint32_t i = 0; i < balances.count && enough; i++) {
        const struct balance *balance = &balances.items[i];
        enough = balance->unlimited || balance->given + balance->left >= balance->wanted;
    }
    for (uint32_t thread = 0; thread < threads && enough; thread++)
        enough = oblige_thread(&balances, thread);
    free(balances.items);
    return enough;
}

bool counts_suffice(struct search *search)
{
    if (!search->index->has_states || !search->by_clocks)
        return true;
    return wakers_suffice(search) && balance_all(search) && closure_complete(search);
}
