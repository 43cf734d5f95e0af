/* SPDX-License-Identifier: MIT */
/* How the program ended, if not by itself, and how many of its threads were waiting then. */
#ifndef PREPLAY_TARGET_ENDING_H
#define PREPLAY_TARGET_ENDING_H

#include "target/recording.h"

/* One line on standard error, or none. */
void ending_say(const struct recording *recording);

/* The same if a limit that nobody gave ended the recording: how much it was, and why. */
void ending_say_limit(const struct recording *recording);

#endif
