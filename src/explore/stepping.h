/* SPDX-License-Identifier: MIT */
/* Runs a program under a schedule, one thread at a time, as often as one likes, and tells what it
 * did (stepper/page.h). The user's files, ports and processes are kept apart from it
 * (target/sandbox.h), and a run that makes no progress is ended. */
#ifndef PREPLAY_EXPLORE_STEPPING_H
#define PREPLAY_EXPLORE_STEPPING_H

#include "explore/backend.h"

struct stepping_wish {
    const char *const *command;     /* NULL-terminated */
    const char *directory;          /* of the exploration: absolute, and stays reachable */
    const char *const *environment; /* NULL: ours */
    const char *here;               /* where it runs; NULL: where we are */
    bool input_is_kept;             /* its standard input lies in the directory already */
    bool in_place;                  /* no sandbox */
    bool own_network;               /* where it meets nobody else's ports and sockets */
    bool beside;                    /* another has been made of the same: what that one has written
                                       to the directory is not written again */
    const char *check;              /* a shell's words, run after each run that ends by itself */
    bool anew;                      /* each run is started, none is copied (copies.h) */
    double patience;                /* seconds without a step after which a run is ended */
    double longest;                 /* that a run may take; 0: as long as it likes */
};

struct stepping;

struct stepping *stepping_create(const struct stepping_wish *wish, struct error *error);
void stepping_destroy(struct stepping *stepping);
/* What a user should know of the sandbox; "" if that is nothing. */
const char *stepping_note(const struct stepping *stepping);

/* Are its runs kept apart so well that others of the same program can run meanwhile? */
bool stepping_beside_others(const struct stepping *stepping);

/* What a debugger puts before the program so that it is stepped: a shell's words. False if they are
 * longer than `size`. */
bool stepping_wrapper(const struct stepping *stepping, char *words, size_t size);
/* Becomes the debugger, in the sandbox, with the turns for the program that it starts so; `traps`:
 * set of enum step_trap. Returns only on an error: -1. */
int stepping_become(struct stepping *stepping, const struct step_turn *turns, size_t count,
                    uint32_t traps, const char *const *debugger, struct error *error);

/* How to run it. */
struct explore_backend stepping_backend(struct stepping *stepping);

#endif
