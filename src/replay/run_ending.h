/* SPDX-License-Identifier: MIT */
/* How a replayed run ended, beside the recorded one: did it fail, and how? */
#ifndef PREPLAY_REPLAY_RUN_ENDING_H
#define PREPLAY_REPLAY_RUN_ENDING_H

#include "replay/watch.h"

/* How the recorded run ended. */
struct recorded_end {
    bool known;    /* by itself: with an exit code or by a signal of its own */
    int exit_code; /* -1: by a signal */
    int signal;
};

struct run_ending {
    const char *rule; /* finding_rule_find(); NULL: no failure */
    char text[1400];  /* one line: how it ended */
    char *stack;      /* of a failure (trace/consequence.h), or NULL; owned */
    bool by_itself;   /* it came to its end, and what it printed is all */
    int exit_code;    /* then */
};

/* `status` as from waitpid(); `output` is the file with what the program printed. */
void run_ending_judge(struct run_ending *ending, const struct watch *watch, int status,
                      const struct recorded_end *recorded, const char *output);
void run_ending_free(struct run_ending *ending);

#endif
