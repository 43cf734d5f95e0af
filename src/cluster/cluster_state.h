/* SPDX-License-Identifier: MIT */
/* What the parts of the room share. The mutex guards all that two threads use. */
#ifndef PREPLAY_CLUSTER_CLUSTER_STATE_H
#define PREPLAY_CLUSTER_CLUSTER_STATE_H

#include "base/array.h"
#include "cluster/checkpoint.h"
#include "cluster/cluster.h"
#include "cluster/transport.h"

#include <pthread.h>

#define PIECE_NONE UINT32_MAX

enum letter_kind {
    LETTER_ASK,    /* to the first: a piece, please */
    LETTER_DEAL,   /* from it: a piece, or PIECE_NONE */
    LETTER_RESULT, /* to the first, and on to all others */
    LETTER_ALIVE,  /* nothing else to say */
    LETTER_FAIL,   /* to the first: why this rank cannot go on */
    LETTER_GONE,   /* to the first: this rank is done, and what it did */
    LETTER_BYE,    /* from it: all are */
};

struct letter {
    uint32_t kind, round, count, piece;
    uint64_t print;
    uint32_t questions, unused;
};

struct piece {
    struct bytes result;
    bool done;
};

struct round {
    uint64_t print;
    uint32_t count, next; /* next: of the first rank, what nobody was dealt yet */
    bool known, closed;
    struct piece *pieces;
};

/* What a rank did. */
struct share {
    uint64_t questions, bytes_read, peak, peak_shared; /* peaks in KiB; of the second, shared pages
                                                           count by their part */
    double processor;
};

struct parcel {
    uint32_t to;
    struct bytes bytes;
};

struct cluster {
    struct deal deal; /* the first member: deals are clusters */
    struct place place;
    const struct transport *transport; /* NULL: alone */
    void *module;
    pthread_t post;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct parcels ARRAY_OF(struct parcel) outbox;
    struct rounds ARRAY_OF(struct round) rounds;
    uint32_t round;                           /* the one this rank is in, plus one */
    struct grants ARRAY_OF(uint32_t) granted; /* pieces that came, in their order */
    uint32_t asked,
        waiting;  /* pieces that were asked for and not taken; threads that wait for one */
    bool no_more; /* the round has been dealt out */
    double taken; /* when the last one was taken */
    struct checkpoint *checkpoint; /* of the first rank */
    struct alike *alike;
    struct share *shares; /* by rank */
    double *heard;        /* by rank: when last */
    bool *gone;           /* by rank */
    bool ending, bye;     /* the first rank's end has begun; everybody's has come */
    double silence;       /* seconds, after which a rank is taken for lost */
    struct {
        uint32_t rank;
        double since; /* 0: none */
        char text[1024];
        int code;
    } failed;
};

/* dealing.c */
void dealing_install(struct cluster *cluster);
struct round *dealing_round(struct cluster *cluster, uint32_t number, uint32_t count,
                            uint64_t print);
uint32_t dealing_next(struct round *round);
void dealing_store(struct cluster *cluster, const struct letter *letter, struct bytes result,
                   uint32_t from);
/* post.c: the thread of messages. post_letter() copies, and wants the mutex held. */
void post_letter(struct cluster *cluster, uint32_t to, const struct letter *letter,
                 struct bytes body);
void *post_run(void *cluster);
double post_now(void);
/* Says why, and ends all ranks. */
void post_abort(struct cluster *cluster, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* share.c */
void share_measure(struct share *share);
void share_tell(const struct cluster *cluster, FILE *out);

/* alike.c */
struct alike *alike_prepare(char word[TRANSPORT_SHARED]);
void alike_open(struct alike *alike, const struct place *place);
void alike_share(struct alike *alike, void *memory, size_t size);
void alike_close(struct alike *alike);

#endif
