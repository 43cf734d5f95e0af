/* SPDX-License-Identifier: MIT */
/* From the options of a command to a recording (target/recording.h). */
#ifndef PREPLAY_CLI_RECORDING_OPTIONS_H
#define PREPLAY_CLI_RECORDING_OPTIONS_H

#include "cli/options.h"
#include "target/recording.h"

/* Of the command that is the arguments, as the options ask for it. */
struct recording recording_wanted(const struct options *options);

#endif
