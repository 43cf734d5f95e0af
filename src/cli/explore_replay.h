/* SPDX-License-Identifier: MIT */
/* preplay replay of what `preplay explore` found. */
#ifndef PREPLAY_CLI_EXPLORE_REPLAY_H
#define PREPLAY_CLI_EXPLORE_REPLAY_H

#include "cli/options.h"

/* The failures that the arguments behind the first name, or all: the exit code is 0 if each
 * happened again. */
int explore_replay(const struct options *options, struct error *error);

#endif
