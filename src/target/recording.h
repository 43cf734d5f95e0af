/* SPDX-License-Identifier: MIT */
/* Runs a program under the recorder. */
#ifndef PREPLAY_TARGET_RECORDING_H
#define PREPLAY_TARGET_RECORDING_H

#include "base/error.h"
#include "target/guard.h"
#include "target/recordings.h"
#include "target/sandbox.h"
#include "target/standard_input.h"

#include <stdbool.h>
#include <stdint.h>

/* As a limit: a part of what is free on the disk when the recording begins. */
#define RECORDING_SHARE UINT64_MAX
enum { RECORDING_PART = 4 }; /* the fourth part */

struct recording {
    /* Where the trace goes: made, or emptied if it holds a recording. NULL: a new one below
     * preplay.data, named when it is made. */
    const char *directory;
    struct recordings_rule rule; /* which old ones make room for that */
    const char **command;        /* NULL-terminated */
    bool sync_only, valgrind, values, branches, blocks;
    uint64_t switch_every; /* valgrind: one in so many operations yields; 0: none */
    uint64_t limit;        /* bytes of a process's trace; 0: none */
    uint64_t keep;         /* bytes of changed files, for replays */
    const char *hidden;    /* variables not to keep (trace/hidden.h); NULL: all are kept */
    bool output_is_ours;   /* standard output: what the program prints goes to standard error */
    double stop_after;     /* seconds; 0: it may run as long as it likes */
    int status;            /* out: as from waitpid() */
    int process;           /* out: its id */
    double seconds;        /* out: how long it ran */
    bool stopped;          /* out: it had to be, for it ran too long */
    bool share;            /* out: the limit was RECORDING_SHARE */
    bool hung;             /* out: the same, for none of its threads could ever go on */
    bool interrupted;      /* out: a user pressed Ctrl-C */
    /* out: and how much processor time it took, with its children */
    double processor_seconds;
    /* For replays (NULL otherwise). */
    const char *schedule, *control; /* absolute paths */
    struct sandbox *sandbox;        /* where it runs */
    const char *process_name;       /* which process follows the schedule (replay_program) */
    const char *program;            /* the file of the command, if that is not its first word */
    const char *const *environment; /* NULL-terminated */
    const char *input;              /* file for its standard input */
    const char *inputs;             /* file of what it is given back (runtime/inputs.h), or NULL */
    int recorded_process;           /* the id that it had, and gets if that can be; or 0 */
    bool debugged;                  /* the command is a debugger, which passes it all on */
    const char *output;             /* file for what it prints */
    /* Called once it has been started. */
    void (*started)(void *context);
    void *started_context;
    /* Called every few milliseconds while it runs; true has it killed. */
    bool (*watch)(void *context, int process);
    void *watch_context;
    /* Its own. */
    struct standard_input standard_input;
    struct guard guard;     /* of a replay: `process` is the guard */
    struct trace_lock lock; /* on the directory, from recording_prepare() to recording_close() */
    char made[PATH_MAX];    /* the directory, if it had no name */
};

/* Finds all that is wrong before anything is touched, then makes the directory, locked, so that it
 * has a name; -1 with an error. */
int recording_prepare(struct recording *recording, struct error *error);

/* Prepares, if that was not done, and runs the program. 0 once the program has run, whatever became
 * of it; -1 with an error. */
int recording_run(struct recording *recording, struct error *error);
/* Others may remove the recording from now on. */
void recording_close(struct recording *recording);

/* The same without a process in between: this one becomes the program. Returns only
 * on an error. */
int recording_become(struct recording *recording, struct error *error);

/* Ends this process as the program ended: with its exit code or its signal, or with
 * RECORDING_STOPPED. */
#define RECORDING_STOPPED 124 /* as timeout(1) has it */
int recording_exit_code(const struct recording *recording);

/* Must the runtime be preloaded into this program? One that is not instrumented may load libraries
 * that are, and then we must come before the C library (runtime/front.h); a script starts programs
 * of either kind. */
bool recording_preloads(const char *name);

#endif
