/* SPDX-License-Identifier: MIT */
/* Pipes, sockets and eventfds between threads of the program: who reads does so after who wrote.
 * That is told as accesses to a word for each of them. They are no choices: what was read is not in
 * it. */
#ifndef PREPLAY_STEPPER_CHANNELS_H
#define PREPLAY_STEPPER_CHANNELS_H

#include "stepper/steps.h"

enum channel_use { CHANNEL_READ, CHANNEL_WRITE, CHANNEL_CONNECT, CHANNEL_ACCEPT };

/* The thread, if there are more, has just used it so. */
void channel_used(int file, enum channel_use use, uintptr_t pc);
/* Two ends of one that have no names. */
void channel_pair(int one, int other);

#endif
