/* SPDX-License-Identifier: MIT */
/* What is noted of calls whose outcome no event tells. */
#ifndef PREPLAY_STEPPER_DOUBTS_H
#define PREPLAY_STEPPER_DOUBTS_H

#include "stepper/page.h"

/* Before there are threads nothing is a choice. */
void doubt_threads(enum step_unknown what);
/* The thread reads from it. A file that one thread alone reads, and nobody writes, is the same in
 * every run. */
void doubt_input(int file);

#endif
