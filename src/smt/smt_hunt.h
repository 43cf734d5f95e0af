/* SPDX-License-Identifier: MIT */
/* The search for the pairs of one window after the other, while it goes on: smt_search.c opens
 * windows and asks Z3, smt_cheap.c decides before that whatever is decided for less. */
#ifndef PREPLAY_SMT_SMT_HUNT_H
#define PREPLAY_SMT_SMT_HUNT_H

#include "search/search.h"
#include "smt/smt_pairs.h"
#include "constraints/smt_propagate.h"
#include "smt/smt_search.h"
#include "smt/smt_solver.h"

struct hunt {
    const struct rules *rules;
    const struct smt_options *options;
    const struct smt_client *client;
    struct smt_counts *counts;
    struct error *error;
    struct smt_pairs *pairs;
    struct search_index *index; /* of auto's search, NULL: not needed so far */
    struct search *search;
    struct smt_context *context; /* made when the first solver needs it */
    struct smt_window *window;
    struct smt_trial *trial;
    struct smt_encoding *encoding; /* what was broken so far, for all pairs of the window */
    struct smt_propagation *propagation;
    struct smt_solver *solver;
    struct smt_pair_list todo;
    struct smt_pair_list open; /* too hard for the window */
    struct smt_refs assumptions;
};

/* Takes the pairs off `todo` that need no Z3: those that are found in the observed order of
 * some events, that propagation decides, or for which our own solver finds a witness. The
 * encoding is then what there is to know of the rest. 0, or -1 if a witness is wrong. */
int hunt_decide_cheaply(struct hunt *hunt);

void hunt_open_encoding(struct hunt *hunt);
/* With its solver. Nothing if there is none. */
void hunt_close_encoding(struct hunt *hunt);

/* Does the client still ask for this pair? If not, it is not counted. */
bool hunt_wants(struct hunt *hunt, const struct smt_pair *pair);
void hunt_report(struct hunt *hunt, const uint32_t *witness, uint32_t length);
/* The witness of the last trial. */
void hunt_report_trial(struct hunt *hunt);

#endif
