/* SPDX-License-Identifier: MIT */
/* Rounds are numbered as they begin, the same in every rank; a rank may be a round ahead of others,
 * so the first one deals for rounds that it has not come to yet: who asks says what the round is.
 */
#include "cluster/cluster_state.h"

static void disagree(struct cluster *self, uint32_t number)
{
    post_abort(self, 4,
               "the ranks have gone different ways (round %u): do all have the same trace and the "
               "same preplay?",
               number);
}

struct restoring {
    struct cluster *cluster;
    struct round *round;
    uint32_t number;
};

/* A piece that was done before: as if it came from nowhere. */
static void restore(void *context, uint32_t piece, struct bytes result)
{
    const struct restoring *restoring = context;
    struct cluster *self = restoring->cluster;
    struct round *round = restoring->round;
    struct letter letter = {.kind = LETTER_RESULT,
                            .round = restoring->number,
                            .count = round->count,
                            .piece = piece,
                            .print = round->print};
    if (round->pieces[piece].done)
        return;
    round->pieces[piece].done = true;
    round->pieces[piece].result.data = memory_copy(result.data, result.size);
    round->pieces[piece].result.size = result.size;
    for (uint32_t to = 1; to < self->deal.ranks; to++)
        post_letter(self, to, &letter, result);
}

struct round *dealing_round(struct cluster *self, uint32_t number, uint32_t count, uint64_t print)
{
    array_grow(&self->rounds, (size_t)number + 1);
    struct round *round = &self->rounds.items[number];
    if (round->known && (round->count != count || round->print != print))
        disagree(self, number);
    if (round->known)
        return round;
    *round = (struct round){
        .print = print, .count = count, .known = true, .pieces = NEW_ARRAY(struct piece, count)};
    if (self->checkpoint) {
        struct restoring restoring = {self, round, number};
        checkpoint_each(self->checkpoint, number, print, count, restore, &restoring);
    }
    return round;
}

uint32_t dealing_next(struct round *round)
{
    while (round->next < round->count && round->pieces[round->next].done)
        round->next++;
    return round->next < round->count ? round->next++ : PIECE_NONE;
}

/* The first rank keeps it and hands it on; takes `result` over. */
void dealing_store(struct cluster *self, const struct letter *letter, struct bytes result,
                   uint32_t from)
{
    struct round *round = dealing_round(self, letter->round, letter->count, letter->print);
    if (letter->piece >= round->count)
        disagree(self, letter->round);
    struct piece *piece = &round->pieces[letter->piece];
    bool first = self->deal.rank == 0;
    if (piece->done) { /* kept from before, or done twice: the same bytes */
        free(result.data);
        return;
    }
    if (first && self->checkpoint)
        checkpoint_add(self->checkpoint, letter->round, letter->print, letter->piece, result);
    for (uint32_t to = 1; first && to < self->deal.ranks; to++)
        if (to != from)
            post_letter(self, to, letter, result);
    piece->done = true;
    if (round->closed)
        free(result.data);
    else
        piece->result = result;
    pthread_cond_broadcast(&self->changed);
}

static struct round *current(struct cluster *self)
{
    return &self->rounds.items[self->round - 1];
}

static void begin(struct deal *deal, uint64_t print, uint32_t count)
{
    struct cluster *self = (struct cluster *)deal;
    pthread_mutex_lock(&self->mutex);
    dealing_round(self, self->round++, count, print);
    pthread_mutex_unlock(&self->mutex);
}

static struct letter letter_of(struct cluster *self, enum letter_kind kind, uint32_t piece)
{
    const struct round *round = current(self);
    return (struct letter){.kind = kind,
                           .round = self->round - 1,
                           .count = round->count,
                           .piece = piece,
                           .print = round->print};
}

/* Short pieces are asked for one ahead, while the one before is worked on: the way to the first
 * rank and back takes as long as they do. Long ones are not: somebody else may be free before. */
#define SHORT_PIECE 0.01

static void ask(struct cluster *self)
{
    struct letter letter = letter_of(self, LETTER_ASK, PIECE_NONE);
    post_letter(self, 0, &letter, (struct bytes){0});
    self->asked++;
}

static uint32_t take_granted(struct cluster *self)
{
    double now = post_now();
    bool ahead = now - self->taken < SHORT_PIECE && !self->no_more;
    self->waiting++;
    while (self->asked < self->waiting + ahead)
        ask(self);
    while (!self->granted.count)
        pthread_cond_wait(&self->changed, &self->mutex);
    uint32_t number = self->granted.items[0];
    self->granted.count--;
    memmove(self->granted.items, self->granted.items + 1,
            self->granted.count * sizeof *self->granted.items);
    self->waiting--;
    self->asked--;
    self->no_more |= number == PIECE_NONE;
    self->taken = post_now();
    return number;
}

static bool take(struct deal *deal, uint32_t *number)
{
    struct cluster *self = (struct cluster *)deal;
    pthread_mutex_lock(&self->mutex);
    if (deal->rank == 0) {
        *number = dealing_next(current(self));
    } else {
        *number = take_granted(self);
    }
    pthread_mutex_unlock(&self->mutex);
    return *number != PIECE_NONE;
}

static void done(struct deal *deal, uint32_t number, struct bytes result, uint32_t questions)
{
    struct cluster *self = (struct cluster *)deal;
    pthread_mutex_lock(&self->mutex);
    struct letter letter = letter_of(self, LETTER_RESULT, number);
    self->shares[deal->rank].questions += questions;
    if (deal->rank)
        post_letter(self, 0, &letter, result);
    dealing_store(self, &letter, result, deal->rank);
    pthread_mutex_unlock(&self->mutex);
}

static struct bytes result(struct deal *deal, uint32_t number)
{
    struct cluster *self = (struct cluster *)deal;
    pthread_mutex_lock(&self->mutex);
    while (!current(self)->pieces[number].done)
        pthread_cond_wait(&self->changed, &self->mutex);
    struct bytes bytes = current(self)->pieces[number].result;
    pthread_mutex_unlock(&self->mutex);
    return bytes;
}

/* What was asked for ahead comes all the same: that there is no more. */
static void drain(struct cluster *self)
{
    while (self->asked) {
        while (!self->granted.count)
            pthread_cond_wait(&self->changed, &self->mutex);
        self->granted.count--;
        self->asked--;
    }
    self->no_more = false;
}

static void end(struct deal *deal)
{
    struct cluster *self = (struct cluster *)deal;
    pthread_mutex_lock(&self->mutex);
    drain(self);
    struct round *round = current(self);
    round->closed = true;
    for (uint32_t i = 0; i < round->count; i++) {
        free(round->pieces[i].result.data);
        round->pieces[i].result = (struct bytes){0};
    }
    pthread_mutex_unlock(&self->mutex);
    share_measure(&self->shares[deal->rank]);
}

static void alike(struct deal *deal, void *memory, size_t size)
{
    struct cluster *self = (struct cluster *)deal;
    share_measure(&self->shares[deal->rank]);
    if (self->alike)
        alike_share(self->alike, memory, size);
}

static void refuse(struct deal *deal)
{
    post_abort((struct cluster *)deal, 3,
               "the checkpoint does not fit the trace: begin again without --resume");
}

void dealing_install(struct cluster *self)
{
    self->deal.begin = begin;
    self->deal.take = take;
    self->deal.done = done;
    self->deal.result = result;
    self->deal.end = end;
    self->deal.alike = alike;
    self->deal.refuse = refuse;
}
