/* Waits for the program to end: passes signals on to it, and stops it when its time is over. */
#ifndef PREPLAY_CLI_WAITING_H
#define PREPLAY_CLI_WAITING_H

#include "cli/recording.h"

/* Fills in status, seconds, stopped and interrupted. `directory` is where it records, as the
 * program was told. */
void waiting_for(struct recording *recording, const char *directory);

#endif
