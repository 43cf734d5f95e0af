/* SPDX-License-Identifier: MIT */
/* Numbered pieces of work that several processes do together, round after round. Each process goes
 * the same way through the same program: what is cheap all of them do, and what is not they deal
 * out. A round begins alike everywhere; a piece is done by whoever gets it, and what it comes to
 * is bytes that everybody gets. So all know the same at the end of a round, however many they are.
 *
 *     deal_begin(deal, print, count);
 *     for (uint32_t number; deal_take(deal, &number);)
 *         deal_done(deal, number, bytes_of(number), 1);
 *     for (uint32_t i = 0; i < count; i++)
 *         use(deal_result(deal, i));
 *     deal_end(deal);
 *
 * Who deals is src/cluster; rooms below know this much of it, and NULL stands for nobody else. */
#ifndef PREPLAY_BASE_DEAL_H
#define PREPLAY_BASE_DEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    void *data; /* malloc-ed */
    size_t size;
};

struct deal {
    uint32_t rank, ranks; /* who this process is, of how many */
    void (*begin)(struct deal *deal, uint64_t print, uint32_t count);
    bool (*take)(struct deal *deal, uint32_t *number);
    void (*done)(struct deal *deal, uint32_t number, struct bytes result, uint32_t questions);
    struct bytes (*result)(struct deal *deal, uint32_t number);
    void (*end)(struct deal *deal);
    void (*alike)(struct deal *deal, void *memory, size_t size);
    void (*refuse)(struct deal *deal);
};

/* A round of `count` pieces. `print` stands for what they are: it is the same in all processes, or
 * they have gone different ways, which ends them. */
static inline void deal_begin(struct deal *deal, uint64_t print, uint32_t count)
{
    deal->begin(deal, print, count);
}

/* The next piece, in the order of their numbers; false if all are dealt out. Any thread may. */
static inline bool deal_take(struct deal *deal, uint32_t *number)
{
    return deal->take(deal, number);
}

/* What a piece has come to; takes `result` over. `questions` is how much work that was. */
static inline void deal_done(struct deal *deal, uint32_t number, struct bytes result,
                             uint32_t questions)
{
    deal->done(deal, number, result, questions);
}

/* The same, whoever did it: waits for it. Valid to the end of the round. It may come from a file
 * (--resume): as bytes of a stranger. */
static inline struct bytes deal_result(struct deal *deal, uint32_t number)
{
    return deal->result(deal, number);
}

/* Such bytes make no sense: ends all processes. */
static inline void deal_refuse(struct deal *deal)
{
    deal->refuse(deal);
    __builtin_unreachable();
}

/* Nobody asks for results of the round any more. */
static inline void deal_end(struct deal *deal)
{
    deal->end(deal);
}

/* This memory has the same content in all processes, and will not be written to for long: those of
 * one machine keep it once. It may be written to and freed like any other. */
static inline void deal_alike(struct deal *deal, void *memory, size_t size)
{
    if (deal)
        deal->alike(deal, memory, size);
}

#endif
