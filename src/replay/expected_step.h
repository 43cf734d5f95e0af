/* SPDX-License-Identifier: MIT */
/* Which step of a schedule was to come next, for the reader of a verdict. */
#ifndef PREPLAY_REPLAY_EXPECTED_STEP_H
#define PREPLAY_REPLAY_EXPECTED_STEP_H

#include <stdbool.h>
#include <stdint.h>

struct expected_step {
    uint32_t thread; /* its number in the schedule */
    uint32_t index;  /* which of its operations; of an access: the next one */
    char name[128];  /* and its name */
    char op[32];     /* "acq", "an access", ... */
};

/* The step after `performed` ones of the schedule at `path`; false if there is none. */
bool expected_step_read(struct expected_step *step, const char *path, uint32_t performed);
/* Only the name of a thread of that schedule, by its number. */
bool expected_step_thread(struct expected_step *step, const char *path, uint32_t thread);

#endif
