/* SPDX-License-Identifier: MIT */
#include "trace/turns.h"

#include "base/array.h"

uint32_t turns_fold(const struct history *history, uint32_t *witness, uint32_t length,
                    uint32_t kept)
{
    const struct event *events = history->events;
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++)
        if (i + kept >= length || events[witness[i]].thread != events[witness[i + 1]].thread)
            witness[count++] = witness[i];
    return count;
}

uint32_t turns_events(const struct history *history, const uint32_t *turns, uint32_t length)
{
    uint32_t *done = NEW_ARRAY(uint32_t, history->threads), count = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t thread = history->events[turns[i]].thread, next = history->index[turns[i]] + 1;
        count += next > done[thread] ? next - done[thread] : 1;
        done[thread] = next;
    }
    free(done);
    return count;
}

struct sequence ARRAY_OF(uint32_t);

/* What the thread of `pos` still has to do before it. */
static void go_on(const struct history *history, uint32_t *done, uint32_t pos,
                  struct sequence *sequence)
{
    uint32_t thread = history->events[pos].thread;
    while (done[thread] < history->index[pos])
        array_push(sequence, history_pos(history, thread, done[thread]++));
}

uint32_t *turns_unfold(const struct history *history, const uint32_t *turns, uint32_t length,
                       uint32_t ends, uint32_t *count)
{
    struct sequence sequence = {0};
    uint32_t *done = NEW_ARRAY(uint32_t, history->threads);
    array_reserve(&sequence, turns_events(history, turns, length));
    for (uint32_t i = 0; i + ends < length; i++) {
        go_on(history, done, turns[i], &sequence);
        array_push(&sequence, turns[i]);
        done[history->events[turns[i]].thread] = history->index[turns[i]] + 1;
    }
    for (uint32_t i = length - ends; i < length; i++)
        go_on(history, done, turns[i], &sequence);
    for (uint32_t i = length - ends; i < length; i++)
        array_push(&sequence, turns[i]);
    free(done);
    *count = (uint32_t)sequence.count;
    return sequence.items;
}

/* A race that is performed and one that is not are told apart by the last two. */
static uint32_t kept_of(const struct finding *finding)
{
    uint32_t ends = finding_ends(finding);
    return ends > 2 ? ends : 2;
}

void finding_fold(struct finding *finding, const struct history *history)
{
    if (!finding->witness || finding->in_turns)
        return;
    finding->in_turns = true;
    finding->witness_length =
        turns_fold(history, finding->witness, finding->witness_length, kept_of(finding));
    finding->witness =
        memory_resize(finding->witness, finding->witness_length, sizeof *finding->witness);
}

struct finding finding_in_full(const struct finding *finding, const struct history *history)
{
    struct finding full = *finding;
    if (finding->in_turns) {
        full.in_turns = false;
        full.witness = turns_unfold(history, finding->witness, finding->witness_length,
                                    finding_ends(finding), &full.witness_length);
    }
    return full;
}

void finding_full_free(struct finding *full, const struct finding *finding)
{
    if (full->witness != finding->witness)
        free(full->witness);
}
