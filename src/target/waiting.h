/* SPDX-License-Identifier: MIT */
/* Waits for the program to end: passes signals on to it, and stops it when its time is over or
 * when it can never go on. */
#ifndef PREPLAY_TARGET_WAITING_H
#define PREPLAY_TARGET_WAITING_H

#include "target/recording.h"

/* Fills in status, seconds, stopped, hung and interrupted. `directory` is where it records, as the
 * program was told. */
void waiting_for(struct recording *recording, const char *directory);

#endif
