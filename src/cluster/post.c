/* SPDX-License-Identifier: MIT */
/* One thread a rank has all of its messages: it sends what the others put into the outbox, and
 * looks for what has come. It looks, and sleeps, for MPI's own waiting takes a processor. */
#include "cluster/cluster_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds: while messages come thick, and else. */
enum { LOOK_SOON = 20000, LOOK_LATER = 300000 };
#define THICK       0.002 /* seconds since the last one */
#define ALIVE_EVERY 2.0
#define FAIL_WAITS  2.0 /* the first rank mostly has the same to say */

double post_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void post_abort(struct cluster *self, int code, const char *format, ...)
{
    char text[2048];
    va_list words;
    va_start(words, format);
    int length = snprintf(text, sizeof text, "preplay: ");
    length += vsnprintf(text + length, sizeof text - (size_t)length - 1, format, words);
    va_end(words);
    if (length > (int)sizeof text - 2)
        length = (int)sizeof text - 2;
    text[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, text, (size_t)length);
    (void)written;
    if (self->transport)
        self->transport->abort(code);
    _exit(code);
}

void post_letter(struct cluster *self, uint32_t to, const struct letter *letter, struct bytes body)
{
    char *bytes = memory_alloc(1, sizeof *letter + body.size);
    memcpy(bytes, letter, sizeof *letter);
    if (body.size)
        memcpy(bytes + sizeof *letter, body.data, body.size);
    array_push(&self->outbox, ((struct parcel){to, {bytes, sizeof *letter + body.size}}));
}

static void answer(struct cluster *self, uint32_t from, const struct letter *asked)
{
    struct round *round = dealing_round(self, asked->round, asked->count, asked->print);
    struct letter letter = *asked;
    letter.kind = LETTER_DEAL;
    letter.piece = dealing_next(round);
    post_letter(self, from, &letter, (struct bytes){0});
}

static void note_failure(struct cluster *self, uint32_t from, const struct letter *letter,
                         struct bytes body)
{
    if (self->failed.since > 0)
        return;
    self->failed.rank = from;
    self->failed.since = post_now();
    self->failed.code = (int)letter->piece;
    snprintf(self->failed.text, sizeof self->failed.text, "%.*s", (int)body.size,
             (const char *)body.data);
}

static void note_gone(struct cluster *self, uint32_t from, struct bytes body)
{
    if (body.size == sizeof *self->shares)
        memcpy(&self->shares[from], body.data, sizeof *self->shares);
    self->gone[from] = true;
}

static void take_in(struct cluster *self, uint32_t from, void *bytes, size_t size)
{
    struct letter letter;
    if (size < sizeof letter || from >= self->deal.ranks)
        post_abort(self, 4, "a message of %zu bytes came from rank %u, which says nothing", size,
                   from);
    memcpy(&letter, bytes, sizeof letter);
    struct bytes body = {(char *)bytes + sizeof letter, size - sizeof letter};
    self->heard[from] = post_now();
    switch ((enum letter_kind)letter.kind) {
    case LETTER_ASK:
        answer(self, from, &letter);
        break;
    case LETTER_DEAL:
        array_push(&self->granted, letter.piece);
        break;
    case LETTER_RESULT:
        dealing_store(self, &letter, (struct bytes){memory_copy(body.data, body.size), body.size},
                      from);
        break;
    case LETTER_ALIVE:
        break;
    case LETTER_FAIL:
        note_failure(self, from, &letter, body);
        break;
    case LETTER_GONE:
        note_gone(self, from, body);
        break;
    case LETTER_BYE:
        self->bye = true;
        break;
    }
    pthread_cond_broadcast(&self->changed);
}

static void send_all(struct cluster *self)
{
    pthread_mutex_lock(&self->mutex);
    struct parcels parcels = self->outbox;
    self->outbox = (struct parcels){0};
    pthread_mutex_unlock(&self->mutex);
    for (size_t i = 0; i < parcels.count; i++)
        self->transport->send(parcels.items[i].to, parcels.items[i].bytes.data,
                              parcels.items[i].bytes.size);
    array_free(&parcels);
}

static bool receive_all(struct cluster *self)
{
    bool any = false;
    uint32_t from;
    void *bytes;
    size_t size;
    while (self->transport->receive(&from, &bytes, &size)) {
        pthread_mutex_lock(&self->mutex);
        take_in(self, from, bytes, size);
        pthread_mutex_unlock(&self->mutex);
        free(bytes);
        any = true;
    }
    return any;
}

static const char *go_on(const struct cluster *self)
{
    return self->checkpoint ? "; the same command with --resume goes on" : "";
}

/* The first rank's look at the others. */
static void watch(struct cluster *self, double now)
{
    if (self->failed.since > 0 && !self->ending && now - self->failed.since > FAIL_WAITS)
        post_abort(self, self->failed.code, "rank %u (%s): %s%s", self->failed.rank,
                   self->place.hosts[self->failed.rank], self->failed.text, go_on(self));
    for (uint32_t i = 1; i < self->deal.ranks; i++)
        if (!self->gone[i] && now - self->heard[i] > self->silence)
            post_abort(self, 4, "rank %u (%s) has said nothing for %.0f s: ended%s", i,
                       self->place.hosts[i], self->silence, go_on(self));
}

void *post_run(void *argument)
{
    struct cluster *self = argument;
    double said = 0, received = 0;
    for (bool bye = false; !bye;) {
        double now = post_now();
        send_all(self);
        if (receive_all(self))
            received = now;
        pthread_mutex_lock(&self->mutex);
        if (self->deal.rank && now - said > ALIVE_EVERY) {
            struct letter letter = {.kind = LETTER_ALIVE};
            post_letter(self, 0, &letter, (struct bytes){0});
            said = now;
        }
        if (!self->deal.rank)
            watch(self, now);
        bye = self->bye && !self->outbox.count;
        pthread_mutex_unlock(&self->mutex);
        nanosleep(&(struct timespec){0, now - received < THICK ? LOOK_SOON : LOOK_LATER}, NULL);
    }
    self->transport->finish();
    return NULL;
}
