/* SPDX-License-Identifier: MIT */
#include "trace/condition.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct condition_waiter *waiter_of(const struct condition *condition, uint32_t thread)
{
    for (size_t i = 0; i < condition->waiting; i++)
        if (condition->waiters[i].thread == thread)
            return &condition->waiters[i];
    return NULL;
}

void condition_wait(struct condition *condition, uint32_t thread)
{
    if (condition->waiting == condition->waiters_room) {
        condition->waiters_room = condition->waiters_room ? 2 * condition->waiters_room : 4;
        condition->waiters =
            memory_resize(condition->waiters, condition->waiters_room, sizeof *condition->waiters);
    }
    condition->waiters[condition->waiting++] =
        (struct condition_waiter){.thread = thread, .since = ++condition->clock};
}

static size_t unwoken(const struct condition *condition)
{
    size_t count = 0;
    for (size_t i = 0; i < condition->waiting; i++)
        count += !condition->waiters[i].woken;
    return count;
}

void condition_signal(struct condition *condition)
{
    condition->clock++;
    if (condition->token_count >= unwoken(condition))
        return; /* everybody who waits is spoken for: the signal is lost */
    if (condition->token_count == condition->tokens_room) {
        condition->tokens_room = condition->tokens_room ? 2 * condition->tokens_room : 4;
        condition->tokens =
            memory_resize(condition->tokens, condition->tokens_room, sizeof *condition->tokens);
    }
    condition->tokens[condition->token_count++] = condition->clock;
}

void condition_broadcast(struct condition *condition)
{
    condition->clock++;
    for (size_t i = 0; i < condition->waiting; i++)
        condition->waiters[i].woken = true;
    condition->token_count = 0;
}

/* The oldest token that came after `since`; token_count if there is none. */
static size_t token_for(const struct condition *condition, uint32_t since)
{
    size_t token = 0;
    while (token < condition->token_count && condition->tokens[token] < since)
        token++;
    return token;
}

bool condition_may_wake(const struct condition *condition, uint32_t thread)
{
    const struct condition_waiter *waiter = waiter_of(condition, thread);
    return waiter &&
           (waiter->woken || token_for(condition, waiter->since) < condition->token_count);
}

static void drop_token(struct condition *condition, size_t token)
{
    memmove(&condition->tokens[token], &condition->tokens[token + 1],
            (condition->token_count - token - 1) * sizeof *condition->tokens);
    condition->token_count--;
}

/* Is there a thread for every token, each token's one waiting since before it?
 * Later tokens have more takers, so counting them per token tells. */
static bool all_have_takers(const struct condition *condition)
{
    for (size_t token = 0; token < condition->token_count; token++) {
        size_t takers = 0;
        for (size_t i = 0; i < condition->waiting; i++)
            takers += !condition->waiters[i].woken &&
                      condition->waiters[i].since < condition->tokens[token];
        if (takers <= token)
            return false;
    }
    return true;
}

void condition_wake(struct condition *condition, uint32_t thread, bool signalled)
{
    struct condition_waiter *waiter = waiter_of(condition, thread);
    assert(waiter);
    size_t token = token_for(condition, waiter->since);
    bool could_take = !waiter->woken && token < condition->token_count;
    *waiter = condition->waiters[--condition->waiting];
    /* A thread that left by itself may have been the one a signal chose: it was,
     * if those who stay cannot account for all signals. */
    if (could_take && (signalled || !all_have_takers(condition)))
        drop_token(condition, token);
}

/* How many of the listed ones began to wait in `from` .. `to`, and no broadcast woke them. */
static size_t count_since(const struct condition *condition, const uint32_t *threads,
                          const bool *chosen, size_t count, bool which, uint32_t from, uint32_t to)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct condition_waiter *waiter = waiter_of(condition, threads[i]);
        found +=
            chosen[i] == which && !waiter->woken && waiter->since >= from && waiter->since <= to;
    }
    return found;
}

/* Every token needs a taker that is not among those left asleep, and every chosen thread a
 * token. If each can be had by itself, both can be had together: the matchings can be
 * merged (Mendelsohn and Dulmage). Either is a matter of counting, since later tokens have
 * more takers, and later waiters fewer tokens. */
bool condition_may_choose(const struct condition *condition, const uint32_t *threads,
                          const bool *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct condition_waiter *waiter = waiter_of(condition, threads[i]);
        if (!waiter || (waiter->woken && !chosen[i]))
            return false;
        if (waiter->woken || !chosen[i])
            continue;
        size_t before = token_for(condition, waiter->since);
        if (count_since(condition, threads, chosen, count, true, waiter->since, UINT32_MAX) >
            condition->token_count - before)
            return false;
    }
    for (size_t token = 0; token < condition->token_count; token++) {
        size_t takers = 0;
        for (size_t i = 0; i < condition->waiting; i++)
            takers += !condition->waiters[i].woken &&
                      condition->waiters[i].since < condition->tokens[token];
        takers -=
            count_since(condition, threads, chosen, count, false, 0, condition->tokens[token] - 1);
        if (takers <= token)
            return false;
    }
    return true;
}

void condition_copy(struct condition *to, const struct condition *from)
{
    *to = *from;
    to->waiters =
        from->waiting ? memory_copy(from->waiters, from->waiting * sizeof *from->waiters) : NULL;
    to->waiters_room = from->waiting;
    to->tokens = from->token_count
                     ? memory_copy(from->tokens, from->token_count * sizeof *from->tokens)
                     : NULL;
    to->tokens_room = from->token_count;
}

void condition_free(struct condition *condition)
{
    free(condition->waiters);
    free(condition->tokens);
    *condition = (struct condition){0};
}

void condition_step(struct condition *condition, const struct event *event)
{
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        condition_wait(condition, event->thread);
        break;
    case EVENT_WAIT_END:
        condition_wake(condition, event->thread, !(event->flags & EVENT_FAILED));
        break;
    case EVENT_SIGNAL:
        condition_signal(condition);
        break;
    default:
        condition_broadcast(condition);
        break;
    }
}
