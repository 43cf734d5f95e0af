/* SPDX-License-Identifier: MIT */
/* Runs a recorded program again under the schedule of one finding, and says what
 * became of it. */
#ifndef PREPLAY_REPLAY_REPLAYING_H
#define PREPLAY_REPLAY_REPLAYING_H

#include "replay/run_ending.h"
#include "replay/schedule_writer.h"
#include "trace/finding_id.h"
#include "target/manifest.h"

/* How the program was run when it was recorded (manifest.json). */
struct replay_program {
    void *manifest; /* parsed; the texts below live in it */
    const char **command, **environment;
    const char *directory;
    const char **missing; /* variables that were not recorded (--no-env) nor are set now */
    char process[MANIFEST_PROCESS]; /* of the run that the manifest is of: "" or, for a forked
                          child, the way to its directory */
    bool sync_only, valgrind;
    bool live_inputs; /* it is told what is true now, not what the recorded run was told */
    int id;           /* of the recorded process; 0: not known */
    double seconds, processor_seconds;
    struct recorded_end end;
    struct sandbox *sandbox; /* where it is run again */
};

struct replay_outcome {
    enum verdict verdict;
    char reason[512]; /* one line: what was seen, or why not */
    double seconds;
    bool ordered_accesses; /* the schedule ordered accesses, too */
    bool interrupted;      /* by the user, with Ctrl-C: it says nothing */
    bool held;             /* both threads stood before their accesses at one moment */
    bool by_itself;        /* what was observed came again, after the schedule had been left */
    bool left;             /* the schedule was left: this thread did not perform its operation
                              `left_index`, or an access before it */
    uint32_t left_index;
    char left_thread[64];
    struct run_ending ending;
    char values[300];      /* what the two accesses read and wrote, or empty */
    struct trace *trace;   /* of the replayed run, read to its end; NULL if there is none */
    struct findings *seen; /* races that happens-before saw in it */
};

int replay_program_read(struct replay_program *program, const char *trace_path,
                        struct error *error);
/* Makes the sandbox, without which nothing can be replayed: replays find the files that the
 * recorded run found, and leave nothing behind; `in_place`, they work on the user's own. */
int replay_program_keep_apart(struct replay_program *program, const char *trace_path, bool in_place,
                              struct error *error);
/* Where the program lies, if it was named from the directory it was started in; or NULL. */
const char *replay_program_file(char *path, size_t room, const struct replay_program *program);
/* How long a replay may take: the standard. */
double replay_program_seconds(const struct replay_program *program);
void replay_program_free(struct replay_program *program);

struct replay_manner {
    double timeout; /* seconds; 0: the standard, and longer where the machine is busy */
    unsigned lane;  /* of replays that run side by side, from 0 */
    enum schedule_detail detail;
    enum schedule_first first;
    bool kept;           /* the schedule that lies there already, as it is */
    bool stops_at_error; /* what comes after the error does not matter */
    const char *name;    /* of its files; NULL: the finding's id */
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
