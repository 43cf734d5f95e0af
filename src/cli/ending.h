/* How the program ended, if not by itself, and how many of its threads were waiting then. */
#ifndef PREPLAY_CLI_ENDING_H
#define PREPLAY_CLI_ENDING_H

#include "cli/recording.h"

/* One line on standard error, or none. */
void ending_say(const struct recording *recording);

/* One line on stderr if the recording of this process stopped before its program did. */
void ending_say_incomplete(const char *directory);

#endif
