/* SPDX-License-Identifier: MIT */
/* Runs without starting the program anew: what has been loaded and linked once is copied for each.
 *
 * That takes a PID namespace: what a run leaves behind is found and ended there, and every copy can
 * have the same number. And it takes a process of one thread, for a copy has no more. */
#ifndef PREPLAY_STEPPER_COPIES_H
#define PREPLAY_STEPPER_COPIES_H

/* Returns in each process that is to be a run: in copies, or at once if there can be none. */
void copies_make(void);

#endif
