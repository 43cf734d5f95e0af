/* SPDX-License-Identifier: MIT */
/* Where programs are run again: they find the file system as the recorded run found it, and
 * whatever they do leaves no trace in it. Their ports and processes are their own, too, where the
 * machine allows it.
 *
 * A sandbox is made once, and used for as many runs as there are, one after the other: each finds
 * it as the first did. Processes that run programs side by side have one each (or fork after it
 * was made).
 *
 *     sandbox_create();       what is possible here, and is it enough?
 *     for each run
 *         sandbox_empty();    nothing is left of the run before
 *         guard_start();      which calls sandbox_enter() and starts the program
 *         ...
 *     sandbox_destroy(); */
#ifndef PREPLAY_TARGET_SANDBOX_H
#define PREPLAY_TARGET_SANDBOX_H

#include "base/error.h"

#include <stdbool.h>

struct sandbox_wish {
    const char *trace;     /* where the replays go: it stays reachable */
    const char *recording; /* of the program that is run again */
    const char *directory; /* where the recorded program stood */
    const char *const *environment;
    bool network_is_known; /* the recording tells with whom the program talked */
    bool in_place;         /* no sandbox at all: the program works on the user's own files */
};

struct sandbox;

/* NULL with an error that says what cannot be kept apart. */
struct sandbox *sandbox_create(const struct sandbox_wish *wish, struct error *error);
void sandbox_destroy(struct sandbox *sandbox);

/* What a user should know of it, as sentences; "" if that is nothing. */
const char *sandbox_note(const struct sandbox *sandbox);

/* Before each run: it finds nothing of the one before. */
int sandbox_empty(struct sandbox *sandbox, struct error *error);

/* Moves the calling process into it, before it starts the program or becomes it. */
int sandbox_enter(struct sandbox *sandbox, struct error *error);
/* The directory for the program to stand in, once it has been entered. */
const char *sandbox_directory(const struct sandbox *sandbox);
/* Where it may make files that come and go, if not where everybody does (TMPDIR); or NULL. */
const char *sandbox_temporary(const struct sandbox *sandbox);
/* In a process that has entered it: the layers that take what is written there, open, at most
 * APART_LAYERS (apart.h). As long as none of them changes, a sandbox is as good as new. -1: there
 * is no such way to tell. */
int sandbox_layers(const struct sandbox *sandbox, const int **layers);
/* Do two of them have nothing in common, neither files nor processes nor network? */
bool sandbox_beside_others(const struct sandbox *sandbox);
/* Is the program to have a PID namespace (guard.h)? */
bool sandbox_own_processes(const struct sandbox *sandbox);

#endif
