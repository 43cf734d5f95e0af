/* SPDX-License-Identifier: MIT */
#include "explore/question.h"

uint64_t question_mix(uint64_t hash, uint64_t value)
{
    return map_mix(hash ^ value) + UINT64_C(0x9e3779b97f4a7c15);
}

/* By what the thread has seen, for numbers change when more becomes known. */
uint64_t question_identity(const struct knowledge *knowledge, uint32_t node, uint64_t seen)
{
    const struct known_node *at = &knowledge->nodes.items[node];
    uint64_t hash = question_mix(knowledge->threads.items[at->thread].name, seen);
    hash = question_mix(hash, at->count);
    while (at->parent != NODE_NONE) {
        hash = question_mix(hash, at->via);
        at = &knowledge->nodes.items[at->parent];
    }
    return hash == UINT64_MAX ? 0 : hash;
}

void question_turn(struct question *question, const struct knowledge *knowledge, uint32_t node,
                   uint32_t woken)
{
    const struct known_node *done = &knowledge->nodes.items[node];
    uint64_t thread = knowledge->threads.items[done->thread].name;
    struct step_turn turn = {.thread = thread, .count = done->count + 1};
    if (woken != UINT32_MAX)
        turn.waiter = (uint32_t)knowledge->threads.items[woken].name;
    struct question_turns *turns = &question->turns;
    if (turns->count && array_last(turns).thread == thread && !array_last(turns).waiter)
        array_last(turns) = turn;
    else
        array_push(turns, turn);
}

void questions_free(struct questions *questions)
{
    for (size_t i = 0; i < questions->count; i++)
        array_free(&questions->items[i].turns);
    array_free(questions);
}
