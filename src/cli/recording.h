/* Runs a program under the recorder. */
#ifndef PREPLAY_CLI_RECORDING_H
#define PREPLAY_CLI_RECORDING_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/standard_input.h"

#include <stdbool.h>
#include <stdint.h>

struct recording {
    const char *directory; /* where the trace goes; made, or replaced if it holds a trace */
    const char **command;  /* NULL-terminated */
    bool sync_only, valgrind, values, branches, blocks;
    uint64_t switch_every; /* valgrind: one in so many operations yields; 0: none */
    uint64_t limit;        /* bytes; 0: none */
    double stop_after;     /* seconds; 0: it may run as long as it likes */
    int status;            /* out: as from waitpid() */
    int process;           /* out: its id */
    double seconds;        /* out: how long it ran */
    bool stopped;          /* out: it had to be, for it ran too long */
    bool hung;             /* out: the same, for none of its threads could ever go on */
    bool interrupted;      /* out: a user pressed Ctrl-C */
    /* For replays (NULL otherwise). */
    const char *schedule, *control; /* absolute paths */
    const char *working_directory;
    const char *process_name;       /* which process follows the schedule (replay_program) */
    const char *program;            /* the file of the command, if that is not its first word */
    const char *const *environment; /* NULL-terminated */
    const char *input;              /* file for its standard input */
    bool debugged;                  /* the command is a debugger, which passes it all on */
    const char *output;             /* file for what it prints */
    /* Called once it has been started. */
    void (*started)(void *context);
    void *started_context;
    /* Called every few milliseconds while it runs; true has it killed. */
    bool (*watch)(void *context, int process);
    void *watch_context;
    struct standard_input standard_input; /* its own */
};

/* Of the command that is the arguments, as the options ask for it. */
struct recording recording_wanted(const struct options *options);

/* 0 once the program has run, whatever became of it; -1 with an error. */
int recording_run(struct recording *recording, struct error *error);

/* The same without a process in between: this one becomes the program. Returns only
 * on an error. */
int recording_become(struct recording *recording, struct error *error);

/* Ends this process as the program ended: with its exit code or its signal, or with
 * RECORDING_STOPPED. */
#define RECORDING_STOPPED 124 /* as timeout(1) has it */
int recording_exit_code(const struct recording *recording);

#endif
