/* Runs a recorded program again under the schedule of one finding, and says what
 * became of it. */
#ifndef PREPLAY_CLI_REPLAYING_H
#define PREPLAY_CLI_REPLAYING_H

#include "replay/schedule_writer.h"

/* How the program was run when it was recorded (manifest.json). */
struct replay_program {
    void *manifest; /* parsed; the texts below live in it */
    const char **command, **environment;
    const char *directory;
    char process[256]; /* of the run that the manifest is of: "" or, for a forked child, the way
                          to its directory */
    bool sync_only, valgrind;
    double seconds;
};

struct replay_outcome {
    enum verdict verdict;
    char reason[512]; /* one line: what was seen, or why not */
    double seconds;
    bool ordered_accesses; /* the schedule ordered accesses, too */
    bool interrupted;      /* by the user, with Ctrl-C: it says nothing */
    bool held;             /* both threads stood before their accesses at one moment */
    struct trace *trace;   /* of the replayed run, read to its end; NULL if there is none */
    struct findings *seen; /* races that happens-before saw in it */
};

int replay_program_read(struct replay_program *program, const char *trace_path,
                        struct error *error);
/* How long a replay may take: the standard. */
double replay_program_seconds(const struct replay_program *program);
void replay_program_free(struct replay_program *program);

struct replay_manner {
    double timeout; /* seconds; 0: the standard, and longer where the machine is busy */
    unsigned lane;  /* of replays that run side by side, from 0 */
    enum schedule_detail detail;
    bool scratch; /* in a copy of the working directory */
};

/* 0 once the program has run. The target's output goes to a file in the trace
 * directory. replay_outcome_free() afterwards. */
int replaying_run(struct replay_outcome *outcome, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  const struct replay_manner *manner, struct error *error);
/* The same with each detail that makes a difference, until one confirms or the time
 * is up; the first outcome if none does. *runs counts them. */
int replaying_try(struct replay_outcome *outcome, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  struct replay_manner manner, uint32_t *runs, struct error *error);
void replay_outcome_free(struct replay_outcome *outcome);

#endif
